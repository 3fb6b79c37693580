// Two kinds of work in turns of one run: some rows are ratios of their costs.

import { medianOf } from './compare.ts';
import type { JobResult } from './load/job.ts';

/** A goal of a ratio. */
export interface RatioGoal {
  readonly work: string;
  /** The other work of the comparison. */
  readonly against: string;
  /** The figure that is compared, with its unit: `CPU µs`. */
  readonly figure: string;
  /** The ratio must be at most this; absent if it is only published. */
  readonly goal?: number;
  /** Why it is more, if measurements say so. */
  readonly reason?: string;
}

/** One row: medians of the turns, and the ratios of single turns. */
export interface RatioMeasurement extends RatioGoal {
  readonly turns: number;
  readonly value: number;
  readonly base: number;
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly wrong: number;
}

/** The figures of one turn. */
export interface RatioTurn {
  readonly value: number;
  readonly base: number;
  readonly wrong: number;
}

/** The figure of one kind of work in one turn. */
export interface Figure {
  readonly value: number;
  readonly wrong: number;
}

/** The row that some turns give. */
export function ratioRow(goal: RatioGoal, turns: readonly RatioTurn[]): RatioMeasurement {
  const ratios = turns.map(({ value, base }) => value / base);
  return {
    ...goal,
    turns: turns.length,
    value: medianOf(turns.map(({ value }) => value)),
    base: medianOf(turns.map(({ base }) => base)),
    ratio: medianOf(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    wrong: turns.reduce((sum, { wrong }) => sum + wrong, 0),
  };
}

/**
 * Does both kinds of work in each turn. The order alternates, as the first one of a turn finds the
 * machine in another state.
 */
export async function takeTurns(
  turns: number,
  work: (turn: number) => Promise<Figure>,
  against: (turn: number) => Promise<Figure>,
): Promise<readonly RatioTurn[]> {
  const all: RatioTurn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = turn % 2 === 0 ? await against(turn) : undefined;
    const done = await work(turn);
    const base = before ?? (await against(turn));
    all.push({ value: done.value, base: base.value, wrong: done.wrong + base.wrong });
  }
  return all;
}

/** CPU of the controller per request, in µs. */
export function cpuFigure({ server, answered, wrong }: JobResult): Figure {
  return { value: ((server?.cpuMs ?? 0) * 1000) / Math.max(1, answered), wrong };
}
