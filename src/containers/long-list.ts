// A list that grows without being copied: copying an array of a million takes 5 ms and more.

const chunkShift = 14;
const chunkLength = 1 << chunkShift;

/** Values at positions, some of which are empty. Chunks that are all empty take no memory. */
export class LongList<T> {
  readonly #chunks: ((T | undefined)[] | undefined)[] = [];
  /** How many positions of each chunk are not empty. */
  readonly #held: number[] = [];
  #length = 0;

  /** One more than the last position that was ever set. */
  get length(): number {
    return this.#length;
  }

  get(at: number): T | undefined {
    return this.#chunks[at >>> chunkShift]?.[at & (chunkLength - 1)];
  }

  set(at: number, value: T | undefined): void {
    if (at >= this.#length) this.#length = at + 1;
    const index = at >>> chunkShift;
    const chunk = this.#chunks[index] ?? (value === undefined ? undefined : this.#opened(index));
    if (chunk === undefined) return;
    const within = at & (chunkLength - 1);
    // A hole would make it a slower kind of array for good.
    while (chunk.length < within) chunk.push(undefined);
    const before = chunk[within];
    chunk[within] = value;
    if ((before === undefined) === (value === undefined)) return;
    const held = (this.#held[index] ?? 0) + (value === undefined ? -1 : 1);
    this.#held[index] = held;
    if (held === 0) this.#chunks[index] = undefined;
  }

  /** Adds a value after the last position. @returns its position */
  push(value: T): number {
    const at = this.#length;
    const index = at >>> chunkShift;
    const chunk = this.#chunks[index];
    if (chunk === undefined || chunk.length !== (at & (chunkLength - 1))) this.set(at, value);
    else {
      chunk.push(value);
      this.#held[index] = (this.#held[index] ?? 0) + 1;
      this.#length = at + 1;
    }
    return at;
  }

  /**
   * The values by position, including those that are added after the present position meanwhile.
   */
  *[Symbol.iterator](): Generator<T> {
    for (const chunk of this.#chunks) {
      for (const value of chunk ?? []) if (value !== undefined) yield value;
    }
  }

  /** Like iteration, with the position of each value. */
  *entries(): Generator<[at: number, value: T]> {
    for (const [index, chunk] of this.#chunks.entries()) {
      for (const [within, value] of (chunk ?? []).entries()) {
        if (value !== undefined) yield [(index << chunkShift) + within, value];
      }
    }
  }

  /** Visits all values, in less time than iteration takes. */
  each(visit: (value: T) => void): void {
    for (const chunk of this.#chunks) {
      for (const value of chunk ?? []) if (value !== undefined) visit(value);
    }
  }

  #opened(index: number): (T | undefined)[] {
    while (this.#chunks.length <= index) {
      this.#chunks.push(undefined);
      this.#held.push(0);
    }
    const chunk: (T | undefined)[] = [];
    this.#chunks[index] = chunk;
    return chunk;
  }
}
