// The load of one round, which is over when nobody works any more and nobody has failed.

/** Something that works until it is stopped. */
export interface Worker {
  /** @throws what fails the round */
  run(): Promise<void>;
  stop(): void;
}

/** Workers that work while something happens. */
export class RoundLoad {
  /** Changes that were acknowledged so far. */
  acknowledged = 0;
  /** Between two acknowledged changes of anybody, or before the first. */
  longestGapMs = 0;
  #lastMs = performance.now();
  #workers: readonly Worker[] = [];
  #working: Promise<unknown> = Promise.resolve();
  #failed = new Promise<never>(() => undefined);

  begin(workers: readonly Worker[]): void {
    this.#workers = workers;
    this.#working = Promise.all(workers.map((worker) => worker.run()));
    this.#failed = new Promise((_, reject) => this.#working.catch(reject));
    // Nobody may be waiting for anything when a worker fails: `stop` throws it, too.
    this.#failed.catch(() => undefined);
  }

  /** To be called at each acknowledged change. */
  note(): void {
    const nowMs = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, Math.round(nowMs - this.#lastMs));
    this.#lastMs = nowMs;
    this.acknowledged += 1;
  }

  /** Waits for something else. @throws what a worker fails with meanwhile, at once */
  async during<T>(happening: Promise<T>): Promise<T> {
    return await Promise.race([happening, this.#failed]);
  }

  /**
   * Waits until each worker has ended what it was about.
   * @throws what a worker failed with; Error if no change was acknowledged: each worker's first
   * request is a change, and is sent again until it is answered
   */
  async stop(): Promise<void> {
    for (const worker of this.#workers) worker.stop();
    await this.#working;
    if (this.acknowledged === 0) throw new Error('no change was acknowledged in this round');
  }
}
