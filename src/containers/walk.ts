// Long work in steps: its caller decides after each step whether to let other work run.

import { FrameTooLarge } from '../../snapshots/errors.ts';

/** Rows per step of a walk over a table: 5 to 50 µs. */
export const rowsAStep = 16;

/**
 * Compares derived data with the records it is derived from. Each step takes some tens of
 * microseconds, and writes may come between two steps. It ends at the first difference, which it
 * returns as the end of a sentence without a full stop that holds no secret; undefined if there is
 * none.
 */
export type FaultSearch = Generator<undefined, string | undefined>;

/** The first fault that `faultOf` finds among things, some of them per step. */
export function* firstFault<T>(
  things: Iterable<T>,
  faultOf: (thing: T) => string | undefined,
): FaultSearch {
  let checked = 0;
  for (const thing of things) {
    const fault = faultOf(thing);
    if (fault !== undefined) return fault;
    if (++checked % rowsAStep === 0) yield;
  }
  return undefined;
}

/** The numbers from 0 up to a bound that may move meanwhile, the bound excluded. */
export function* numbersBelow(bound: () => number): Generator<number> {
  for (let number = 0; number < bound(); number++) yield number;
}

/**
 * Writes at most `rowsMax` rows by `write`, and fewer if they make a frame that is too large: a
 * write that is needed sooner or later would otherwise be retried for ever.
 * @throws whatever `write` throws, FrameTooLarge for a single row
 */
export function inFrames<T>(rowsMax: number, write: (rowsMax: number) => T): T {
  for (let rows = rowsMax; ; rows = Math.ceil(rows / 2)) {
    try {
      return write(rows);
    } catch (error) {
      if (!(error instanceof FrameTooLarge) || rows <= 1) throw error;
    }
  }
}
