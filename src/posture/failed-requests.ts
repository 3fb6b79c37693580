// Requests for services that posture refused, for administrators who look for the reason
// (behaviour/posture#failures). They are kept in memory, because they are only needed for a few
// days.

import { boundsOf } from '../settings/bounds.ts';
import type { Store } from '../store/store.ts';

interface Ring {
  /** JSON texts, the oldest first. */
  readonly texts: string[];
  characters: number;
}

/** Bounds of refused requests, which are in memory only. */
export const failedRequestBounds = {
  /** Refused requests remembered per identity (behaviour/posture). @bound per identity */
  failedRequestsMax: 100,
  /** Text of refused requests remembered per identity: 2.5 KB each. @bound per identity */
  failedRequestCharactersMax: 256 * 1024,
  /** Text of all refused requests that are remembered. @bound per controller */
  failedRequestsCharactersMax: 32 * 1024 * 1024,
};

/**
 * The latest refused requests by identity, each as JSON text from the time of the refusal. They are
 * lost when the process ends or the identity is deleted.
 */
export class FailedRequests {
  readonly #bounds: typeof failedRequestBounds;
  /** The identity that was refused longest ago comes first. */
  readonly #byIdentity = new Map<string, Ring>();
  #characters = 0;

  constructor(bounds?: Partial<typeof failedRequestBounds>) {
    this.#bounds = boundsOf(failedRequestBounds, bounds);
  }

  /** From now on, forgets identities when they are deleted from `store`. */
  follow(store: Store): void {
    store.follow(({ changes }) => {
      for (const { table, row, after } of changes) {
        if (table.kind === 'identity' && after === undefined) this.#forget(row.record.id);
      }
    });
  }

  /** Remembers one more refusal; beyond the bounds, older ones are dropped. */
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

  /**
   * How many identities have refused requests, and the length of all texts, for metrics and tests.
   */
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
