// Sorting in steps: sorted runs are merged in pairs, and other work can run between steps.

/** Numbers that are merged per step, 1 to 2 ms. */
const mergedInAStep = 4096;

/**
 * Merges the runs into one run of all their numbers.
 * @param runs ascending by `compare`, whose answers must not change between two steps
 */
export function* mergedRuns(
  runs: readonly Uint32Array[],
  compare: (a: number, b: number) => number,
): Generator<undefined, Uint32Array> {
  let left = runs;
  while (left.length > 1) {
    const next: Uint32Array[] = [];
    for (let at = 0; at < left.length; at += 2) {
      const [first, second] = [left[at] ?? none, left[at + 1] ?? none];
      next.push(second.length === 0 ? first : yield* mergedPair(first, second, compare));
    }
    left = next;
  }
  return left[0] ?? none;
}

function* mergedPair(
  first: Uint32Array,
  second: Uint32Array,
  compare: (a: number, b: number) => number,
): Generator<undefined, Uint32Array> {
  const merged = new Uint32Array(first.length + second.length);
  let [a, b] = [0, 0];
  for (let to = 0; to < merged.length; to++) {
    if (to % mergedInAStep === 0) yield;
    const [one, other] = [first[a], second[b]];
    const takesFirst = other === undefined || (one !== undefined && compare(one, other) <= 0);
    merged[to] = (takesFirst ? one : other) as number;
    if (takesFirst) a++;
    else b++;
  }
  return merged;
}

const none = new Uint32Array(0);
