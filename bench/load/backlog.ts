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
   * @param rate requests a second
   * @param requestsMax requests there are
   * @param waitingMax requests that may wait at a time
   */
  constructor(rate: number, requestsMax: number, waitingMax: number) {
    this.#rate = rate;
    this.#requestsMax = requestsMax;
    this.#waitingMax = waitingMax;
  }

  /** Requests that were taken. */
  get sent(): number {
    return this.#sent;
  }

  /** Requests that arrived and were not taken yet. */
  get waiting(): number {
    return this.#arrived - this.#sent;
  }

  /** The most that ever waited when it was judged. */
  get most(): number {
    return this.#most;
  }

  /** More waited than may when it was judged. */
  get isOverrun(): boolean {
    return this.#isOverrun;
  }

  /** Whether all there are have arrived. */
  get isSpent(): boolean {
    return this.#arrived >= this.#requestsMax;
  }

  /** When the next one arrives, on the clock of `start`. */
  get nextAt(): number {
    return this.#intendedAt(this.#arrived);
  }

  /** The first request arrives now. */
  start(now: number): void {
    this.#start = now;
  }

  /** Lets everything arrive that is due by `now`. */
  arrive(now: number): void {
    const due = Math.floor(((now - this.#start) * this.#rate) / 1000) + 1;
    this.#arrived = Math.max(this.#arrived, Math.min(due, this.#requestsMax));
  }

  /** All connections are busy: whatever is left has to wait. */
  judge(): void {
    this.#most = Math.max(this.#most, this.waiting);
    if (this.waiting > this.#waitingMax) this.#isOverrun = true;
  }

  /** Waiting requests will not be sent any more. */
  overrun(): void {
    this.#isOverrun = true;
  }

  /** The one that waited longest; there must be one. */
  take(): { readonly request: number; readonly intendedAt: number } {
    const request = this.#sent++;
    return { request, intendedAt: this.#intendedAt(request) };
  }

  #intendedAt(request: number): number {
    return this.#start + (request / this.#rate) * 1000;
  }
}
