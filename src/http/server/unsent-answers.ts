// Bounds the memory for answers that their peers have not read yet.

/** An answer of which a part is not sent yet. */
interface UnsentAnswer {
  cutOff(): void;
}

/**
 * The unsent parts of all answers of a server. When they exceed the bound together, those that have
 * waited longest are cut off: honest readers finish quickly, so these belong to peers that request
 * large answers and do not read them.
 */
export class UnsentAnswers {
  /** Answers that were cut off. */
  cut = 0;
  readonly #bytesMax: number;
  /** The oldest first. */
  readonly #waiting = new Map<UnsentAnswer, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Notes an answer whose last `bytes` are kept. One that is larger than the bound is kept too. */
  keep(answer: UnsentAnswer, bytes: number): void {
    for (const [oldest, held] of this.#waiting) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      this.#waiting.delete(oldest);
      this.#bytes -= held;
      this.cut += 1;
      oldest.cutOff();
    }
    this.#waiting.set(answer, bytes);
    this.#bytes += bytes;
  }

  /** Forgets an answer that is over; one that was never kept is no error. */
  forget(answer: UnsentAnswer): void {
    const bytes = this.#waiting.get(answer);
    if (bytes === undefined) return;
    this.#waiting.delete(answer);
    this.#bytes -= bytes;
  }
}
