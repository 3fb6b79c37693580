// Counts how often a value fell between fixed bounds. It is cheap enough to be used with each
// request.

/** Upper bounds in seconds for answers that a person or a program waits for. */
export const latencyBounds: readonly number[] = Object.freeze([
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]);

/** Upper bounds for counts: powers of two. */
export const countBounds: readonly number[] = Object.freeze([
  1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
]);

/** A histogram of fixed bounds. It never grows. */
export class Histogram {
  /** Upper bounds in ascending order; values above the last are in one more bucket. */
  readonly bounds: Float64Array;
  /** The number of values per bucket, not cumulative; the last is for values above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = Float64Array.from(bounds);
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Records a value, in the unit of the bounds, `times` times. */
  observe(value: number, times = 1): void {
    const { bounds, counts } = this;
    let bucket = 0;
    // The search begins with the lowest bound, because most values here are small.
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    counts[bucket] = (counts[bucket] ?? 0) + times;
    this.sum += value * times;
  }
}
