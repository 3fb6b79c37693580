// When the controller began, and as what, in the words that clients are told.

import type { FollowingJournal } from '../../snapshots/journal.ts';
import { hashedUuid, type Ids } from '../platform/ids.ts';
import type { Clock } from '../platform/ports.ts';

/** The options of a beginning. */
interface BeginningOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly journal: Pick<FollowingJournal, 'lastTimeMs'>;
  /** Its data set and its generation, which tell a cluster from all others. */
  readonly cluster: string;
}

/**
 * The start that clients are told of: of this process or, on a node of a cluster, of the present
 * leadership, of which all nodes tell the same (behaviour/cluster#applying).
 */
export class Beginning {
  readonly #journal: BeginningOptions['journal'];
  readonly #cluster: string;
  #startedAt: number;
  #instanceId: string;

  constructor({ clock, ids, journal, cluster }: BeginningOptions) {
    this.#journal = journal;
    this.#cluster = cluster;
    this.#startedAt = this.#notBack(clock.now());
    this.#instanceId = ids.uuid();
  }

  /** As `Addresses.startedAt`. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** As `Addresses.instanceId`. */
  get instanceId(): string {
    return this.#instanceId;
  }

  /** A leadership begins, at a time that is no earlier than those of the frames before it. */
  termBegan(term: number, timeMs: number): void {
    this.#startedAt = this.#notBack(timeMs);
    this.#instanceId = hashedUuid(`${this.#cluster} ${term}`);
  }

  /**
   * Never earlier than the start that was last reported: change stamps must not go back
   * (behaviour/api-sessions#service-updates).
   */
  #notBack(timeMs: number): number {
    return Math.max(timeMs, this.#journal.lastTimeMs);
  }
}
