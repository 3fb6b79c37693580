// Requests for services that posture refused, for administrators who look for the reason
// (behaviour/posture#failures). They are kept in memory, because they are only needed for a few
// days.

import { RecentByKey } from '../containers/recent-by-key.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Store } from '../store/store.ts';

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
  readonly #texts: RecentByKey<string>;

  constructor(bounds?: Partial<typeof failedRequestBounds>) {
    const { failedRequestsMax, failedRequestCharactersMax, failedRequestsCharactersMax } = boundsOf(
      failedRequestBounds,
      bounds,
    );
    this.#texts = new RecentByKey(
      {
        valuesMax: failedRequestsMax,
        keyWeightMax: failedRequestCharactersMax,
        weightMax: failedRequestsCharactersMax,
      },
      ({ length }) => length,
    );
  }

  /** From now on, forgets identities when they are deleted from `store`. */
  follow(store: Store): void {
    store.follow(({ changes }) => {
      for (const { table, row, after } of changes) {
        if (table.kind === 'identity' && after === undefined) this.#texts.forget(row.record.id);
      }
    });
  }

  /** Remembers one more refusal; beyond the bounds, older ones are dropped. */
  add(identityId: string, text: string): void {
    this.#texts.add(identityId, text);
  }

  /** The refused requests of an identity as JSON texts, the oldest first. */
  of(identityId: string): readonly string[] {
    return this.#texts.of(identityId);
  }

  /**
   * How many identities have refused requests, and the length of all texts, for metrics and tests.
   */
  get size(): { readonly identities: number; readonly characters: number } {
    const { keys: identities, weight: characters } = this.#texts.size;
    return { identities, characters };
  }
}
