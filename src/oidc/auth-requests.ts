// Bounds the authorization requests: anybody can begin one, and each of them takes memory for ten
// minutes (behaviour/oidc#requests).

import { addressBlock } from '../platform/address-block.ts';
import { authRequestKind } from '../records/auth-request.ts';
import type { Store } from '../store/store.ts';

/** Requests in which nobody has logged in yet, in the order of their beginning. */
export class WaitingRequests {
  readonly #all = new Set<string>();
  readonly #byAddress = new Map<string, Set<string>>();

  constructor(store: Store) {
    store.table(authRequestKind).observe(({ id }, before, after) => {
      const address = addressBlock((after ?? before)?.address ?? '');
      if (after === undefined || after.identityId !== '') this.#delete(id, address);
      else if (!this.#all.has(id)) this.#add(id, address);
    });
  }

  /** The oldest one of an address that has `addressMax` of them; undefined if it has fewer. */
  oldestOf(address: string, addressMax: number): string | undefined {
    const ids = this.#byAddress.get(addressBlock(address));
    return ids === undefined || ids.size < addressMax ? undefined : first(ids);
  }

  /** The oldest one of all; undefined if there is none. */
  get oldest(): string | undefined {
    return first(this.#all);
  }

  #add(id: string, address: string): void {
    this.#all.add(id);
    const ids = this.#byAddress.get(address);
    if (ids === undefined) this.#byAddress.set(address, new Set([id]));
    else ids.add(id);
  }

  #delete(id: string, address: string): void {
    this.#all.delete(id);
    const ids = this.#byAddress.get(address);
    ids?.delete(id);
    if (ids?.size === 0) this.#byAddress.delete(address);
  }
}

function first(ids: ReadonlySet<string>): string | undefined {
  for (const id of ids) return id;
  return undefined;
}
