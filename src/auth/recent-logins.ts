// The user names that logged in recently, each with its address. In memory only.

import { addressBlock } from '../platform/address-block.ts';

/**
 * Remembers pairs of address and user name, so that the hash queue can recognise known callers.
 * Only a right password adds a pair.
 */
export class RecentLogins {
  readonly #most: number;
  /** Ordered by last login. */
  readonly #pairs = new Set<string>();

  /** @param most pairs that are kept; the one with the oldest login is forgotten first */
  constructor(most: number) {
    this.#most = most;
  }

  /** Notes a login. */
  note(address: string, username: string): void {
    const pair = keyOf(address, username);
    this.#pairs.delete(pair);
    this.#pairs.add(pair);
    dropOldest(this.#pairs, this.#most);
  }

  /** Whether `username` logged in from `address`, as far as is remembered. */
  has(address: string, username: string): boolean {
    return this.#pairs.has(keyOf(address, username));
  }
}

function keyOf(address: string, username: string): string {
  return `${addressBlock(address)} ${username}`;
}

/** Deletes the first entry of a map or a set that has one more than `most`. */
function dropOldest(entries: Map<string, unknown> | Set<string>, most: number): void {
  const [oldest] = entries.size > most ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
}
