// Follows the edge router policies: tells routers of the API sessions that may use them from now
// on, and of those that may not any more.

import { type ApiSessionRecord, apiSessionKind } from '../../records/api-session.ts';
import type { RoutersContext } from '../context.ts';
import type { ApiSessionMessages } from './api-session-messages.ts';
import { shareAPolicy } from './by-policy.ts';
import { isTold } from './ended-sessions.ts';
import { expecting, give, type KnownSessions, take } from './known-sessions.ts';
import type { SyncedRouter } from './router-groups.ts';
import { type ApiSessionRow, lastIdOf, sessionsAChunkMax } from './session-chunks.ts';
import type { GroupMemo, MovedSessions, SessionGroup } from './session-groups.ts';

/** What following policies works with. */
export interface MovedMembersOptions {
  readonly context: Pick<RoutersContext, 'env' | 'durable'>;
  readonly messages: ApiSessionMessages;
  /** Routers are to be told of the API session once its frame is durable. */
  readonly later: (known: KnownSessions, row: ApiSessionRow) => void;
}

/**
 * API sessions of the table between two looks at the clock: 0.2 ms, or 2 ms if all of them move.
 * Those that move in one step are told together.
 */
const sessionsAStep = 512;

/** Routers that one step sends a message to: 1 ms. */
const routersAStep = 500;

/** Brings routers and API sessions into the groups of their present policies. */
export class MovedMembers {
  readonly #options: MovedMembersOptions;

  constructor(options: MovedMembersOptions) {
    this.#options = options;
  }

  /** Everything that is stale, some per step. It ends early when `isOver` says so. */
  *steps(known: KnownSessions, isOver: () => boolean): Generator<undefined, void> {
    while (known.areRoutersStale || known.areIdentitiesStale) {
      if (known.areRoutersStale) {
        known.areRoutersStale = false;
        yield* this.#moveRouters(known);
      }
      if (!known.areIdentitiesStale) continue;
      known.areIdentitiesStale = false;
      const rows = this.#options.context.env.store.table(apiSessionKind);
      // A class of members is remembered only until others may change access.
      let memo: GroupMemo = new Map();
      let moved = new MovedBySlice();
      for (let slot = 0; slot < rows.slots && !isOver(); slot++) {
        const row = rows.inSlot(slot);
        if (row !== undefined && isTold(row.record)) this.#place(known, row, memo, moved);
        if (slot % sessionsAStep !== 0) continue;
        this.#notifyAll(known, moved);
        [memo, moved] = [new Map(), new MovedBySlice()];
        yield;
      }
      if (isOver()) return;
      this.#notifyAll(known, moved);
      if (known.isWhole) continue;
      known.isWhole = true;
      for (const router of known.routers.all()) if (router.isGreeted) known.jobs.full(router);
    }
  }

  /** The policies of one identity have changed. */
  moveIdentity(known: KnownSessions, identityId: string): void {
    const moved = known.sessions.move(identityId);
    if (moved !== undefined) this.#tell(known, moved);
  }

  /** Adds API sessions that routers do not know yet. */
  giveAdded(
    known: KnownSessions,
    group: SessionGroup,
    rows: readonly ApiSessionRow[],
    told?: Set<SyncedRouter>,
  ): void {
    this.#give(known, known.routers.under(group.policies), rows, told);
  }

  #place(known: KnownSessions, row: ApiSessionRow, memo: GroupMemo, moved: MovedBySlice): void {
    const { durable } = this.#options.context;
    const { sessions } = known;
    if (row.lsn > durable.lsn && !sessions.groupOf(row.record.identityId)?.sessions.has(row)) {
      this.#options.later(known, row);
      return;
    }
    const way = sessions.move(row.record.identityId, memo);
    if (way !== undefined) moved.note(way);
    const group = sessions.add(row, memo);
    if (group !== undefined && known.isWhole) this.giveAdded(known, group, [row]);
  }

  #notifyAll(known: KnownSessions, moved: MovedBySlice): void {
    for (const way of moved.ways.values()) this.#tell(known, way);
  }

  #tell(known: KnownSessions, { from, to, rows }: MovedSessions): void {
    const before = new Set(known.routers.under(from.policies));
    const after = new Set(known.routers.under(to.policies));
    const lost = [...before].filter((router) => !after.has(router));
    // A full state that is under way may have passed the place to which they have gone.
    const gained = [...after].filter((router) => !before.has(router) || router.job?.isFull);
    if (lost.length > 0) {
      for (const some of parts(rows)) take(lost, this.#options.messages.removed(records(some)));
    }
    this.#give(known, gained, rows);
  }

  #give(
    known: KnownSessions,
    routers: Iterable<SyncedRouter>,
    rows: readonly ApiSessionRow[],
    told?: Set<SyncedRouter>,
  ): void {
    const { messages, context } = this.#options;
    const wanted = expecting(known, routers);
    if (wanted.length === 0) return;
    for (const some of parts(rows)) {
      const message = messages.added([messages.fullBody(some)], context.env.ids.sortable());
      give(known, wanted, message, told);
    }
  }

  *#moveRouters(known: KnownSessions): Generator<undefined, void> {
    const { sessions, jobs } = known;
    const lost = new Map<SessionGroup, SyncedRouter[]>();
    for (const { from, to, routers } of known.routers.moveAll()) {
      const [before, after] = [sessions.under(from.policies), sessions.under(to.policies)];
      const gained = [...after].filter((group) => !before.has(group));
      for (const router of routers) {
        if (!router.isGreeted || !known.isWhole) continue;
        // Its full state may have passed groups that it now has, or hold those that it has lost.
        if (router.job?.isFull) jobs.full(router);
        else if (gained.length > 0) jobs.added(router, gained);
      }
      for (const group of before) {
        if (after.has(group)) continue;
        const others = lost.get(group);
        if (others === undefined) lost.set(group, [...routers]);
        else others.push(...routers);
      }
    }
    for (const [group, routers] of lost) yield* this.#takeGroup(group, routers);
  }

  /** Takes a whole group from routers that were moved, but for those that have it again since. */
  *#takeGroup(group: SessionGroup, routers: readonly SyncedRouter[]): Generator<undefined, void> {
    let chunk = group.sessions.after('');
    while (chunk !== undefined) {
      const told = routers.filter((router) => !shareAPolicy(router.group, group));
      if (told.length === 0) return;
      const lastId = lastIdOf(chunk);
      const message = this.#options.messages.removed(records(chunk.rows));
      for (let at = 0; at < told.length; at += routersAStep) {
        take(told.slice(at, at + routersAStep), message);
        yield;
      }
      chunk = group.sessions.after(lastId);
    }
  }
}

/** The moves of one slice, so that those of the same way are told together. */
class MovedBySlice {
  readonly ways = new Map<string, MovedSessions>();

  note({ from, to, rows }: MovedSessions): void {
    const way = `${from.key}>${to.key}`;
    const others = this.ways.get(way);
    if (others?.from === from && others.to === to) others.rows.push(...rows);
    else this.ways.set(way, { from, to, rows });
  }
}

/** As many rows as one message holds. */
function* parts(rows: readonly ApiSessionRow[]): Generator<readonly ApiSessionRow[]> {
  for (let at = 0; at < rows.length; at += sessionsAChunkMax) {
    yield rows.slice(at, at + sessionsAChunkMax);
  }
}

function* records(rows: readonly ApiSessionRow[]): Generator<ApiSessionRecord> {
  for (const { record } of rows) yield record;
}
