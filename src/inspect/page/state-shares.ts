// Counts by state as the pieces of a bar.

import type { MachineView } from '../contract.ts';

/** One state's piece of the bar, in percent of its width. */
export interface StateShare {
  readonly state: string;
  readonly count: number;
  readonly start: number;
  readonly width: number;
  /** Place among the states of the kind, which chooses its colour. */
  readonly index: number;
}

/** A state that few are in must still be seen. */
const leastWidth = 0.8;

/** As many as the style sheet has. */
const colours = 6;

/** Every state that instances of a machine can be in; those with no instance have no width. */
export function stateShares({ counts }: Pick<MachineView, 'counts'>): StateShare[] {
  const states = Object.keys(counts);
  const figures = Object.values(counts);
  const total = figures.reduce((sum, count) => sum + count, 0);
  const wide = figures.map((count) =>
    count === 0 ? 0 : Math.max(leastWidth, (count / total) * 100),
  );
  const scale =
    100 /
    Math.max(
      100,
      wide.reduce((sum, width) => sum + width, 0),
    );
  let start = 0;
  return states.map((state, index) => {
    const width = (wide[index] ?? 0) * scale;
    const share = { state, count: figures[index] ?? 0, start, width, index };
    start += width;
    return share;
  });
}

/** The colour of a state among those of its kind: `state-0` and on, a few that repeat. */
export function stateColour({ counts }: Pick<MachineView, 'counts'>, state: string): string {
  const index = Object.keys(counts).indexOf(state);
  return index < 0 ? 'state-rest' : `state-${index % colours}`;
}
