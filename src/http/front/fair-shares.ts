// Shares a bounded resource of a listener fairly between addresses.

import { InsertionOrder } from './insertion-order.ts';

/**
 * Entries by the address they belong to. The owner of a bounded resource takes the next entry from
 * each address in turn, and drops entries of the address that has most. Every call takes constant
 * time, regardless of the number of addresses.
 */
export class FairShares<Entry> {
  readonly #shares = new Map<string, Share<Entry>>();
  /** The shares by how many entries each of them has. */
  readonly #bySize = new Map<number, InsertionOrder<Share<Entry>>>();
  #most = 0;
  #size = 0;

  /** All entries. */
  get size(): number {
    return this.#size;
  }

  /** The entries of an address. */
  sizeOf(address: string): number {
    return this.#shares.get(address)?.entries.size ?? 0;
  }

  /** Adds an entry that is not in it. */
  add(address: string, entry: Entry): void {
    let share = this.#shares.get(address);
    if (share === undefined) {
      share = { address, entries: new InsertionOrder() };
      this.#shares.set(address, share);
    }
    share.entries.add(entry);
    this.#size += 1;
    this.#resized(share, share.entries.size - 1);
  }

  /** Removes an entry; one that is not in it is no error. */
  delete(address: string, entry: Entry): void {
    const share = this.#shares.get(address);
    if (share?.entries.delete(entry) !== true) return;
    this.#size -= 1;
    if (share.entries.size === 0) this.#shares.delete(address);
    this.#resized(share, share.entries.size + 1);
  }

  /**
   * Makes an entry the newest of its address, and its address the last to be asked of those with as
   * many; one that is not in it is no error.
   */
  renew(address: string, entry: Entry): void {
    const share = this.#shares.get(address);
    if (share?.entries.delete(entry) !== true) return;
    share.entries.add(entry);
    this.#bySize.get(share.entries.size)?.add(share);
  }

  /** Takes out the oldest entry of the address whose turn it is. */
  next(): Entry | undefined {
    for (const share of this.#shares.values()) {
      const entry = share.entries.first;
      if (entry === undefined) continue;
      this.delete(share.address, entry);
      if (share.entries.size > 0) {
        this.#shares.delete(share.address);
        this.#shares.set(share.address, share);
      }
      return entry;
    }
    return undefined;
  }

  /** The oldest entry of an address. */
  oldestOf(address: string): Entry | undefined {
    return this.#shares.get(address)?.entries.first;
  }

  /** The oldest entry of the address that has most. */
  oldestOfMost(): Entry | undefined {
    return this.#bySize.get(this.#most)?.first?.entries.first;
  }

  /** The entries of each address, the oldest first, for as long as `isMeant` holds of them. */
  *oldestWhile(isMeant: (entry: Entry) => boolean): Generator<Entry> {
    for (const share of this.#shares.values()) {
      for (const entry of share.entries) {
        if (!isMeant(entry)) break;
        yield entry;
      }
    }
  }

  #resized(share: Share<Entry>, before: number): void {
    const now = share.entries.size;
    const peers = this.#bySize.get(before);
    const joined = this.#bySize.get(now);
    const wasAlone = peers?.size === 1;
    if (wasAlone) this.#bySize.delete(before);
    else peers?.delete(share);
    if (joined !== undefined) joined.add(share);
    // A share that was alone keeps its set: the usual case is one address with nearly all entries.
    else if (now > 0) {
      const alone = wasAlone ? peers : new InsertionOrder<Share<Entry>>();
      alone.add(share);
      this.#bySize.set(now, alone);
    }
    // A count changes by one at a time, so the next largest share is at most one step away.
    if (now > this.#most) this.#most = now;
    else if (before === this.#most && !this.#bySize.has(before)) this.#most = now;
  }
}

interface Share<Entry> {
  readonly address: string;
  readonly entries: InsertionOrder<Entry>;
}
