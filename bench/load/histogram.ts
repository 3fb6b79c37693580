// Latencies in logarithmic buckets: constant memory, a known relative error, and histograms can be
// added.

/** Sub-buckets per power of two, so that values keep a relative error of at most 1/64. */
const subBits = 6;
const subBuckets = 1 << subBits;

/** One unit of a recorded value in ms: 0.1 µs, so that 32 bits reach 7 minutes. */
const unitMs = 1e-4;

/** The form in which a histogram is sent between processes: `[bucket, count]` pairs, ascending. */
export type SparseHistogram = readonly (readonly [bucket: number, count: number])[];

/** Figures of a distribution, in ms. */
export interface LatencyFigures {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** A histogram of durations in ms. */
export class Histogram {
  readonly #counts = new Float64Array((33 - subBits) * subBuckets);
  #total = 0;

  /** Number of recorded durations. */
  get total(): number {
    return this.#total;
  }

  /** Records a duration. A negative one counts as 0, one of more than 7 minutes as 7 minutes. */
  record(durationMs: number): void {
    const value = Math.min(Math.max(Math.round(durationMs / unitMs), 0), 0xffff_ffff);
    const bucket = bucketOf(value);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
  }

  /** Adds what another process recorded. */
  add(other: SparseHistogram): void {
    for (const [bucket, count] of other) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
      this.#total += count;
    }
  }

  /** The duration that `share` (0 to 1) of all durations do not exceed; 0 when there are none. */
  quantile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket] ?? 0;
      if (seen >= wanted) return upperMs(bucket);
    }
    return 0;
  }

  /** The usual four figures. */
  figures(): LatencyFigures {
    return {
      p50: this.quantile(0.5),
      p90: this.quantile(0.9),
      p99: this.quantile(0.99),
      max: this.quantile(1),
    };
  }

  /** The non-empty buckets, for a message or a file. */
  sparse(): SparseHistogram {
    const pairs: [number, number][] = [];
    this.#counts.forEach((count, bucket) => {
      if (count > 0) pairs.push([bucket, count]);
    });
    return pairs;
  }
}

/** The longest duration that falls into `bucket`, in ms. */
export function upperMs(bucket: number): number {
  if (bucket < subBuckets) return bucket * unitMs;
  const exponent = Math.floor(bucket / subBuckets) - 1;
  const mantissa = subBuckets + (bucket % subBuckets);
  return ((mantissa + 1) * 2 ** exponent - 1) * unitMs;
}

/** Values below 64 have a bucket each; above, the highest seven bits name the bucket. */
function bucketOf(value: number): number {
  if (value < subBuckets) return value;
  const exponent = 31 - Math.clz32(value) - subBits;
  return (exponent + 1) * subBuckets + ((value >>> exponent) & (subBuckets - 1));
}

/** The figures of a run's latencies. */
export function figuresOf(latencies: SparseHistogram): LatencyFigures {
  const histogram = new Histogram();
  histogram.add(latencies);
  return histogram.figures();
}
