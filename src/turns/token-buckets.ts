// Token buckets, which limit each of many members in a burst and in the long run.

/** The size of each bucket and how fast it fills. */
export interface BucketSize {
  /** Tokens that return per second; 0 means that buckets never run out. */
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** Times are sums of fractions of a ms, so times with a smaller difference are equal. */
const toleranceMs = 1e-3;

/**
 * One bucket per slot, full at first. A bucket is one number, the time at which it will be full
 * again, so there are no timers and nothing to sweep (the "generic cell rate algorithm"). Times are
 * monotonic ms: a wall clock that is set back would stop a bucket from filling.
 */
export class TokenBuckets {
  /** Tokens of a full bucket. */
  readonly burst: number;
  readonly #msPerToken: number;
  #fullAt = new Float64Array(0);

  constructor({ perSecond, burst }: BucketSize) {
    this.burst = burst;
    this.#msPerToken = perSecond === 0 ? 0 : 1000 / perSecond;
  }

  /** Whether these buckets bound anything. */
  get isOn(): boolean {
    return this.#msPerToken > 0;
  }

  /** Takes one token. @returns 0, or the ms until there is a token again */
  take(slot: number, nowMs: number): number {
    if (!this.isOn) return 0;
    const fullAt = this.#fullAtOf(slot, nowMs) + this.#msPerToken;
    const waitMs = fullAt - nowMs - this.burst * this.#msPerToken;
    if (waitMs > toleranceMs) return waitMs;
    this.#set(slot, fullAt);
    return 0;
  }

  /** Available whole tokens; infinite if these buckets bound nothing. */
  left(slot: number, nowMs: number): number {
    if (!this.isOn) return Number.POSITIVE_INFINITY;
    const missingMs = this.#fullAtOf(slot, nowMs) - nowMs - toleranceMs;
    return Math.max(0, Math.floor(this.burst - missingMs / this.#msPerToken));
  }

  /** The ms until there is a token; 0 if there is one. */
  waitMs(slot: number, nowMs: number): number {
    if (this.left(slot, nowMs) > 0) return 0;
    return this.#fullAtOf(slot, nowMs) - nowMs - (this.burst - 1) * this.#msPerToken;
  }

  /** Takes tokens for work already done, even more than are available. */
  charge(slot: number, nowMs: number, tokens: number): void {
    if (this.isOn) this.#set(slot, this.#fullAtOf(slot, nowMs) + tokens * this.#msPerToken);
  }

  /** The slot gets another owner from now on. */
  reset(slot: number): void {
    if (slot < this.#fullAt.length) this.#fullAt[slot] = 0;
  }

  #fullAtOf(slot: number, nowMs: number): number {
    return Math.max(this.#fullAt[slot] ?? 0, nowMs);
  }

  #set(slot: number, fullAt: number): void {
    if (slot >= this.#fullAt.length) {
      const grown = new Float64Array(Math.max(1024, 2 * this.#fullAt.length, slot + 1));
      grown.set(this.#fullAt);
      this.#fullAt = grown;
    }
    this.#fullAt[slot] = fullAt;
  }
}
