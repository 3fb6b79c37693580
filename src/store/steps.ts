// Long work in steps: its caller decides after each step whether to let other work run.

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
