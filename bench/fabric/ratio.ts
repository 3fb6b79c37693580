// Two kinds of work in turns of one run: the rows about the fabric are ratios of their costs.

import { medianOf } from '../compare.ts';

/** A goal of a ratio. */
export interface RatioGoal {
  readonly work: string;
  /** The other work of the comparison. */
  readonly against: string;
  /** The figure that is compared, with its unit: `CPU µs`. */
  readonly figure: string;
  /** The ratio must be at most this. */
  readonly goal: number;
}

/** One row: medians of the turns, and the ratios of single turns. */
export interface FabricRatio extends RatioGoal {
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

/** The row that some turns give. */
export function fabricRatio(goal: RatioGoal, turns: readonly RatioTurn[]): FabricRatio {
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
