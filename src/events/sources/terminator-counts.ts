// How many terminators services have, and how many of them are usable, for the events of
// terminators (behaviour/events#the-fabric).

import { routerPresenceKind } from '../../records/router-presence.ts';
import { serviceKind } from '../../records/service.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import { isConnected } from '../../routers/presences.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import { presenceChanges } from './presence-changes.ts';

/** The counts of one service; a usable terminator is on a connected router. */
export interface ServiceTerminators {
  readonly total: number;
  /** By precedence. */
  readonly usable: Readonly<Record<TerminatorRecord['precedence'], number>>;
}

/**
 * Counts the terminators of a service when it is asked for first, and then follows commits: with
 * each event of a router that comes back, counting all of them would take quadratic time.
 */
export class TerminatorCounts {
  readonly #store: Store;
  readonly #services = new Map<string, RunningCounts>();
  /** By terminator of a counted service: where it is counted. */
  readonly #counted = new Map<string, CountedTerminator>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Undefined for a service that does not exist. */
  of(serviceId: string): ServiceTerminators | undefined {
    if (this.#store.table(serviceKind).peek(serviceId) === undefined) return undefined;
    const known = this.#services.get(serviceId);
    if (known !== undefined) return known;
    const counts = { total: 0, usable: { default: 0, required: 0, failed: 0 } };
    this.#services.set(serviceId, counts);
    for (const { id } of this.#terminators.members('service', serviceId)) this.#recount(id);
    return counts;
  }

  /** Takes a commit. */
  follow(set: ChangeSet): void {
    if (this.#services.size === 0) return;
    for (const change of set.changes) {
      const { id } = change.row;
      if (isOf(change, terminatorKind)) this.#recount(id);
      else if (isOf(change, serviceKind) && change.after === undefined) this.#services.delete(id);
    }
    for (const { routerId } of presenceChanges(set)) {
      for (const { id } of this.#terminators.group('router').rows(routerId)) this.#recount(id);
    }
  }

  /** Forgets all counts: commits may pass that are not followed. */
  forget(): void {
    this.#services.clear();
    this.#counted.clear();
  }

  get #terminators(): Table<TerminatorRecord> {
    return this.#store.table(terminatorKind);
  }

  /** Counts a terminator as it is now; done twice, it changes nothing more. */
  #recount(id: string): void {
    add(this.#counted.get(id), -1);
    this.#counted.delete(id);
    const terminator = this.#terminators.peek(id)?.record;
    const counts = terminator && this.#services.get(terminator.service);
    if (terminator === undefined || counts === undefined) return;
    const presence = this.#store.table(routerPresenceKind).peek(terminator.router)?.record;
    const isUsable = presence !== undefined && isConnected(presence);
    const counted = { counts, usableAs: isUsable ? terminator.precedence : undefined };
    this.#counted.set(id, counted);
    add(counted, 1);
  }
}

interface RunningCounts extends ServiceTerminators {
  total: number;
  readonly usable: Record<TerminatorRecord['precedence'], number>;
}

interface CountedTerminator {
  readonly counts: RunningCounts;
  /** Undefined for one that is not usable. */
  readonly usableAs: TerminatorRecord['precedence'] | undefined;
}

function add(counted: CountedTerminator | undefined, count: 1 | -1): void {
  if (counted === undefined) return;
  const { counts, usableAs } = counted;
  counts.total += count;
  if (usableAs !== undefined) counts.usable[usableAs] += count;
}
