// The queue for password hashes, shared fairly by address and by user name.

import type { WaitQueue } from '../../turns/admission.ts';

/** The share that a waiter counts for. */
export interface Share {
  /** As `addressBlock` has it. */
  readonly address: string;
  readonly username: string;
  /**
   * This user name logged in from this address before, or the caller is authenticated. Such callers
   * wait in a separate queue.
   */
  readonly isKnown: boolean;
}

/**
 * Two bounded queues, served alternately. Within a queue addresses take turns, within an
 * address user names do, and each user name is served in the order of arrival.
 *
 * A full queue still accepts a newcomer and refuses another waiter: the newest waiter of the
 * address with most waiters, of its user name with most. Between equal addresses, it is the one
 * whose user name has most waiters in the whole queue. The newcomer is refused only if it is no
 * better than that.
 */
export class FairQueue<Waiter> implements WaitQueue<Waiter, Share> {
  readonly #known: RoundRobinQueue<Waiter>;
  readonly #others: RoundRobinQueue<Waiter>;
  #isKnownNext = true;

  /** @param waitingMax waiters of each queue. */
  constructor(waitingMax: number) {
    this.#known = new RoundRobinQueue(waitingMax);
    this.#others = new RoundRobinQueue(waitingMax);
  }

  get length(): number {
    return this.#known.length + this.#others.length;
  }

  add(waiter: Waiter, share: Share): Waiter | undefined {
    return (share.isKnown ? this.#known : this.#others).add(waiter, share);
  }

  take(): Waiter | undefined {
    const [first, second] = this.#isKnownNext
      ? [this.#known, this.#others]
      : [this.#others, this.#known];
    this.#isKnownNext = !this.#isKnownNext;
    return first.take() ?? second.take();
  }
}

/** The waiters of one address by user name; the name at the front is served next. */
interface Address<Waiter> {
  size: number;
  readonly names: Map<string, Waiter[]>;
}

class RoundRobinQueue<Waiter> {
  readonly #waitingMax: number;
  /** The address at the front is served next. */
  readonly #addresses = new Map<string, Address<Waiter>>();
  /** Waiters per user name, over all addresses. */
  readonly #nameSizes = new Map<string, number>();
  length = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** @returns the waiter that has to leave for it, which may be the newcomer */
  add(waiter: Waiter, { address: key, username }: Share): Waiter | undefined {
    let address = this.#addresses.get(key);
    if (address === undefined) {
      address = { size: 0, names: new Map() };
      this.#addresses.set(key, address);
    }
    const ofName = address.names.get(username);
    if (ofName === undefined) address.names.set(username, [waiter]);
    else ofName.push(waiter);
    this.#count(address, username, 1);
    return this.length > this.#waitingMax ? this.#turnAway(key, username) : undefined;
  }

  take(): Waiter | undefined {
    for (const [key, address] of this.#addresses) {
      for (const [username, ofName] of address.names) {
        const waiter = ofName.shift();
        this.#count(address, username, -1);
        // Both move to the back if they have more waiters.
        address.names.delete(username);
        if (ofName.length > 0) address.names.set(username, ofName);
        this.#addresses.delete(key);
        if (address.size > 0) this.#addresses.set(key, address);
        return waiter;
      }
    }
    return undefined;
  }

  /**
   * Refuses the newest waiter of the largest share. Between equals it is the newcomer's share, else
   * that of the address served last.
   */
  #turnAway(newKey: string, newName: string): Waiter | undefined {
    let key = newKey;
    let address = this.#addresses.get(newKey);
    let name = address && this.#largestName(address, newName);
    for (const [otherKey, other] of this.#addresses) {
      if (address === undefined || name === undefined || other.size < address.size) continue;
      const otherName = this.#largestName(other, newName);
      const more = other.size - address.size || this.#sizeOf(otherName) - this.#sizeOf(name);
      if (more < 0 || (more === 0 && key === newKey)) continue;
      [key, address, name] = [otherKey, other, otherName];
    }
    if (address === undefined || name === undefined) return undefined;
    const ofName = address.names.get(name);
    const waiter = ofName?.pop();
    this.#count(address, name, -1);
    if (ofName?.length === 0) address.names.delete(name);
    if (address.size === 0) this.#addresses.delete(key);
    return waiter;
  }

  /** The user name with most waiters of an address; `preferred` among equals. */
  #largestName({ names }: Address<Waiter>, preferred: string): string {
    let largest = preferred;
    let most = names.get(preferred)?.length ?? 0;
    for (const [name, { length }] of names) {
      if (length > most) [largest, most] = [name, length];
    }
    return largest;
  }

  #sizeOf(username: string): number {
    return this.#nameSizes.get(username) ?? 0;
  }

  #count(address: Address<Waiter>, username: string, change: 1 | -1): void {
    address.size += change;
    this.length += change;
    const size = this.#sizeOf(username) + change;
    if (size === 0) this.#nameSizes.delete(username);
    else this.#nameSizes.set(username, size);
  }
}
