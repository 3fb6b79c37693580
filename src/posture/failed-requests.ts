// Requests for services that posture refused: what administrators look into when somebody asks why
// (behaviour/posture#failures). In memory, as they are for the days in which somebody asks.

import { boundsOf } from '../bounds.ts';
import type { Store } from '../store/store.ts';

interface Ring {
  /** JSON texts, the oldest first. */
  readonly texts: string[];
  characters: number;
}

/** What bounds refused requests, in memory only. */
export const failedRequestBounds = {
  /** Refused requests remembered of one identity (behaviour/posture). @bound per identity */
  failedRequestsMax: 100,
  /** Text of refused requests remembered of one identity: 2.5 KB each. @bound per identity */
  failedRequestCharactersMax: 256 * 1024,
  /** Text of all refused requests that are remembered. @bound per controller */
  failedRequestsCharactersMax: 32 * 1024 * 1024,
};

/**
 * The latest refused requests by identity, each as JSON text made at the time of the refusal. They
 * do not outlive the process, nor their identity.
 */
export class FailedRequests {
  readonly #bounds: typeof failedRequestBounds;
  /** Who was refused longest ago comes first. */
  readonly #byIdentity = new Map<string, Ring>();
  #characters = 0;

  constructor(bounds?: Partial<typeof failedRequestBounds>) {
    this.#bounds = boundsOf(failedRequestBounds, bounds);
  }

  /** Forgets identities as they are deleted from `store`. */
  follow(store: Store): void {
    store.follow(({ changes }) => {
      for (const { table, row, after } of changes) {
        if (table.kind === 'identity' && after === undefined) this.#forget(row.record.id);
      }
    });
  }

  /** Remembers one more refusal; beyond the bounds older ones go. */
  add(identityId: string, text: string): void {
    const ring = this.#byIdentity.get(identityId) ?? { texts: [], characters: 0 };
    this.#byIdentity.delete(identityId);
    this.#byIdentity.set(identityId, ring);
    ring.texts.push(text);
    this.#weigh(ring, text.length);
    const { failedRequestsMax, failedRequestCharactersMax } = this.#bounds;
    while (
      ring.texts.length > failedRequestsMax ||
      (ring.characters > failedRequestCharactersMax && ring.texts.length > 1)
    ) {
      this.#weigh(ring, -(ring.texts.shift()?.length ?? 0));
    }
    for (const id of this.#byIdentity.keys()) {
      if (this.#characters <= this.#bounds.failedRequestsCharactersMax) break;
      this.#forget(id);
    }
  }

  /** The refused requests of an identity as JSON texts, the oldest first. */
  of(identityId: string): readonly string[] {
    return this.#byIdentity.get(identityId)?.texts ?? [];
  }

  /** How many identities have some, and the length of all texts, for metrics and tests. */
  get size(): { readonly identities: number; readonly characters: number } {
    return { identities: this.#byIdentity.size, characters: this.#characters };
  }

  #forget(identityId: string): void {
    const ring = this.#byIdentity.get(identityId);
    if (ring === undefined) return;
    this.#byIdentity.delete(identityId);
    this.#characters -= ring.characters;
  }

  #weigh(ring: Ring, characters: number): void {
    ring.characters += characters;
    this.#characters += characters;
  }
}
