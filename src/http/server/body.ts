// Gathers a request's body within a bound, in memory that grows with the bytes that have arrived.

import { Buffer } from 'node:buffer';

/** The memory that all bodies being gathered may take together. */
export interface BodyBudget {
  /** Bytes that may still be taken. */
  free: number;
}

/** The result of adding a chunk: this body, or all bodies together, may be too large. */
export type BodyOutcome = 'more' | 'whole' | 'tooLarge' | 'noRoom';

/** A body that is being gathered. */
export class BodyGatherer {
  readonly #bytesMax: number;
  readonly #budget: BodyBudget;
  #store: Buffer = nothing;
  #length = 0;
  #taken = 0;

  constructor(bytesMax: number, budget: BodyBudget) {
    this.#bytesMax = bytesMax;
    this.#budget = budget;
  }

  /** The body so far. */
  get body(): Buffer {
    return this.#store.subarray(0, this.#length);
  }

  /** Takes a chunk, copying it. After `tooLarge` or `noRoom` nothing can be added. */
  add(chunk: ArrayBuffer, last: boolean): BodyOutcome {
    const length = this.#length + chunk.byteLength;
    if (length > this.#bytesMax) return 'tooLarge';
    if (last && this.#length === 0) {
      // The case of nearly every body: a single chunk, so no memory is held while waiting for the
      // next.
      this.#store = Buffer.from(new Uint8Array(chunk));
      this.#length = length;
      return 'whole';
    }
    if (length > this.#store.length && !this.#grow(length)) return 'noRoom';
    this.#store.set(new Uint8Array(chunk), this.#length);
    this.#length = length;
    return last ? 'whole' : 'more';
  }

  /** Returns the budget; the body stays valid for its reader. */
  release(): void {
    this.#budget.free += this.#taken;
    this.#taken = 0;
  }

  #grow(needed: number): boolean {
    const size = Math.min(this.#bytesMax, Math.max(needed * 2, smallest));
    if (size - this.#taken > this.#budget.free) return false;
    this.#budget.free -= size - this.#taken;
    this.#taken = size;
    const store = Buffer.allocUnsafeSlow(size);
    this.#store.copy(store, 0, 0, this.#length);
    this.#store = store;
    return true;
  }
}

const nothing: Buffer = Buffer.alloc(0);
/** Memory allocated for a body's first part. */
const smallest = 4096;
