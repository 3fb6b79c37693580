// One goal with the measured figure, and the format of both.

/** A goal with the measured figure. */
export interface GoalLine {
  readonly work: string;
  readonly goal: string;
  /** Empty when the run did not measure it. */
  readonly measured: string;
  /** The figure of OpenZiti on a machine of this kind; `–` if there is none. */
  readonly rival: string;
  /** Undefined when the run did not measure it, or not what it is compared with. */
  readonly met: boolean | undefined;
  /** The cause, which the repository names, in case the goal is missed. */
  readonly reason?: string;
}

/** A goal: the work, the figure of OpenZiti, the measured figure, the goal, and their format. */
export type Against = readonly [
  work: string,
  rival: string,
  value: number | undefined,
  goal: number,
  shown: (value: number) => string,
];

/** A goal that is met if the figure is at most this. */
export const atMost = (...line: Against): GoalLine =>
  goalLine('≤', (value, goal) => value <= goal, line);
/** A goal that is met if the figure is at least this. */
export const atLeast = (...line: Against): GoalLine =>
  goalLine('≥', (value, goal) => value >= goal, line);

function goalLine(
  sign: string,
  isMet: (value: number, goal: number) => boolean,
  [work, rival, value, goal, shown]: Against,
): GoalLine {
  return {
    work,
    goal: `${sign} ${shown(goal)}`,
    measured: value === undefined ? '' : shown(value),
    rival,
    met: value === undefined ? undefined : isMet(value, goal),
  };
}

/** µs, written in ms. */
export const millis = (micros: number): string =>
  `${(micros / 1000).toFixed(micros < 10_000 ? 3 : 1)} ms`;
/** A ratio. */
export const times = (ratio: number): string =>
  `${ratio < 100 ? ratio.toFixed(ratio < 10 ? 2 : 1) : grouped(ratio)} times`;
/** A small number of things for each of many. */
export const fraction = (count: number): string => count.toFixed(2);
/** Bytes. */
export const bytes = (count: number): string => `${grouped(count)} B`;
/** Megabytes. */
export const megabytes = (count: number): string => `${Math.round(count)} MB`;
/** ms, written in s. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Bytes, written in KB. */
export const kilobytes = (count: number): string => `${Math.round(count / 1000)} KB`;

/** µs, written in the unit that suits their size. */
export function span(micros: number): string {
  if (micros < 1000) return `${micros.toFixed(1)} µs`;
  return micros < 1e6 ? millis(micros) : seconds(micros / 1000);
}

/** Digits in groups of three. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
