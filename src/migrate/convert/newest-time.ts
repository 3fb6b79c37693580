// When the peer stopped: the time of the newest change in its database.

import type { PeerFields } from '../peer/entity.ts';
import { SourceDamaged } from '../source-problem.ts';

/** The times of changes that entities name; ends of periods and certificates are none. */
const timeFields = [
  'createdAt',
  'updatedAt',
  'lastActivityAt',
  'issuedAt',
  'lastJoinedAt',
  'disabledAt',
  'issuedBefore',
];

/** The newest time of the entities that were noted. */
export class NewestTime {
  #newestMs = Number.NEGATIVE_INFINITY;

  /** Notes the times of an entity. One that cannot be read is named by its conversion. */
  note(fields: PeerFields): void {
    for (const field of timeFields) {
      try {
        this.#newestMs = Math.max(this.#newestMs, fields.time(field) ?? this.#newestMs);
      } catch (error) {
        if (!(error instanceof SourceDamaged)) throw error;
      }
    }
  }

  /**
   * The newest time in ms since the Unix epoch; `nowMs` if there is none, or if it lies in the
   * future because a clock was wrong.
   */
  before(nowMs: number): number {
    return Number.isFinite(this.#newestMs) ? Math.min(this.#newestMs, nowMs) : nowMs;
  }
}
