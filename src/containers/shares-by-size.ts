// Shares of a bounded resource by their size, of which the largest is found in constant time.

import { type Linked, LinkedList } from './linked-list.ts';

/**
 * Shares, each with a number of entries that changes by one at a time. Of those with as many, the
 * one that has had as many for longest comes first.
 */
export class SharesBySize<Share extends Linked<Share>> {
  readonly #bySize = new Map<number, LinkedList<Share>>();
  #most = 0;

  /** The share with most entries; undefined if none has any. */
  get largest(): Share | undefined {
    return this.#bySize.get(this.#most)?.first;
  }

  /** A share has `size` entries now, one more or one less than before. */
  resized(share: Share, before: number, size: number): void {
    const peers = this.#bySize.get(before);
    const joined = this.#bySize.get(size);
    peers?.delete(share);
    const wasAlone = peers?.size === 0;
    if (wasAlone) this.#bySize.delete(before);
    if (size > 0) {
      // A share that was alone keeps its list: usually one address has nearly all entries.
      const list = joined ?? (wasAlone ? peers : new LinkedList<Share>());
      if (joined === undefined) this.#bySize.set(size, list);
      list.add(share);
    }
    // The next largest share is at most one step away.
    if (size > this.#most) this.#most = size;
    else if (before === this.#most && !this.#bySize.has(before)) this.#most = size;
  }

  /** Makes a share of `size` entries the last one of those with as many. */
  renew(share: Share, size: number): void {
    const list = this.#bySize.get(size);
    list?.delete(share);
    list?.add(share);
  }
}
