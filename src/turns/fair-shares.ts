// Shares a bounded resource of a listener fairly between addresses.

import type { Linked } from '../containers/linked-list.ts';
import { SharesBySize } from '../containers/shares-by-size.ts';

/**
 * Entries by the address they belong to. The owner of a bounded resource takes the next entry from
 * each address in turn, and drops entries of the address that has most. Every call takes constant
 * time, regardless of the number of addresses.
 */
export class FairShares<Entry> {
  readonly #shares = new Map<string, Share<Entry>>();
  readonly #bySize = new SharesBySize<Share<Entry>>();
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
      share = { address, entries: new Set(), before: undefined, after: undefined };
      this.#shares.set(address, share);
    }
    share.entries.add(entry);
    this.#size += 1;
    const { size } = share.entries;
    this.#bySize.resized(share, size - 1, size);
  }

  /** Removes an entry; one that is not in it is no error. */
  delete(address: string, entry: Entry): void {
    const share = this.#shares.get(address);
    if (share?.entries.delete(entry) !== true) return;
    this.#size -= 1;
    if (share.entries.size === 0) this.#shares.delete(address);
    const { size } = share.entries;
    this.#bySize.resized(share, size + 1, size);
  }

  /** Takes out the oldest entry of the address whose turn it is. */
  next(): Entry | undefined {
    for (const share of this.#shares.values()) {
      for (const entry of share.entries) {
        this.delete(share.address, entry);
        if (share.entries.size > 0) {
          this.#shares.delete(share.address);
          this.#shares.set(share.address, share);
        }
        return entry;
      }
    }
    return undefined;
  }

  /** All entries in the order of their turns. */
  *inTurn(): Generator<Entry> {
    let shares = [...this.#shares.values()].map(({ entries }) => entries.values());
    while (shares.length > 0) {
      const rest: typeof shares = [];
      for (const share of shares) {
        const { done, value } = share.next();
        if (done) continue;
        yield value;
        rest.push(share);
      }
      shares = rest;
    }
  }

  /** The oldest entry of the address that has most. */
  oldestOfMost(): Entry | undefined {
    for (const entry of this.#bySize.largest?.entries ?? []) return entry;
    return undefined;
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
}

interface Share<Entry> extends Linked<Share<Entry>> {
  readonly address: string;
  readonly entries: Set<Entry>;
}
