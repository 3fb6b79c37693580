// The arrivals of an open loop: which requests are due, which wait, and since when.

/** Requests that arrive evenly at a rate and wait until they are taken. */
export class Backlog {
  readonly #rate: number;
  readonly #requestsMax: number;
  readonly #waitingMax: number;
  #start = 0;
  #arrived = 0;
  #sent = 0;
  #most = 0;
  #isOverrun = false;

  /**
   * @param rate requests per second @param requestsMax how many requests there are @param
   * waitingMax how many requests may wait at a time
   */
  constructor(rate: number, requestsMax: number, waitingMax: number) {
    this.#rate = rate;
    this.#requestsMax = requestsMax;
    this.#waitingMax = waitingMax;
  }

  /** The number of requests that were taken. */
  get sent(): number {
    return this.#sent;
  }

  /** The number of requests that arrived and were not taken yet. */
  get waiting(): number {
    return this.#arrived - this.#sent;
  }

  /** The most requests that waited at any check. */
  get most(): number {
    return this.#most;
  }

  /** Whether more requests waited than permitted at a check. */
  get isOverrun(): boolean {
    return this.#isOverrun;
  }

  /** Whether all requests have arrived. */
  get isSpent(): boolean {
    return this.#arrived >= this.#requestsMax;
  }

  /** When the next request arrives, on the clock of `start`. */
  get nextAt(): number {
    return this.#intendedAt(this.#arrived);
  }

  /** The first request arrives now. */
  start(now: number): void {
    this.#start = now;
  }

  /** Adds the requests that are due by `now`. */
  arrive(now: number): void {
    const due = Math.floor(((now - this.#start) * this.#rate) / 1000) + 1;
    this.#arrived = Math.max(this.#arrived, Math.min(due, this.#requestsMax));
  }

  /** Checks the backlog while all connections are busy, so that the rest has to wait. */
  evaluate(): void {
    this.#most = Math.max(this.#most, this.waiting);
    if (this.waiting > this.#waitingMax) this.#isOverrun = true;
  }

  /** Drops the waiting requests, which will not be sent any more. */
  overrun(): void {
    this.#isOverrun = true;
  }

  /** Takes the request that has waited longest; there must be one. */
  take(): { readonly request: number; readonly intendedAt: number } {
    const request = this.#sent++;
    return { request, intendedAt: this.#intendedAt(request) };
  }

  #intendedAt(request: number): number {
    return this.#start + (request / this.#rate) * 1000;
  }
}
