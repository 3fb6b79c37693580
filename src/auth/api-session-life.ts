// Timed events of records: API sessions that become idle, and all deadlines that machines declare.

import { Deadlines } from '../actors/deadlines.ts';
import { FlushTimer } from '../actors/flush-timer.ts';
import { type BoundValues, boundsOf } from '../bounds.ts';
import type { Config } from '../config.ts';
import type { Cascades } from '../declare/cascades.ts';
import type { Environment } from '../declare/environment.ts';
import type { Kind } from '../declare/kind.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../ports.ts';
import { apiSessionKind } from '../records/api-session.ts';
import type { RecordBase, Row } from '../store/record.ts';
import { inFrames, rowsAStep } from '../store/steps.ts';
import type { Store } from '../store/store.ts';
import type { ChangeSet } from '../store/transaction.ts';
import type { Activity } from './activity.ts';
import type { RecoveredTimes } from './recovered-times.ts';
import { expiryOf, lifetimeEndOf } from './session-expiry.ts';

/** The parts that timed events work on. */
export interface ApiSessionLifeOptions {
  readonly store: Store;
  readonly activity: Activity;
  readonly recovered: RecoveredTimes;
  readonly clock: Clock;
  readonly config: Config;
  readonly bounds?: BoundValues | undefined;
  readonly kinds: readonly Kind[];
  readonly send: Environment['send'];
  readonly cascades: Cascades;
  readonly log: Log;
}

/** The time at which a record must be checked. */
export interface Expected {
  /** Wall-clock ms. */
  readonly at: number;
  /** Whether an earlier check does no harm. */
  readonly mayBeEarlier: boolean;
}

/** A time that a record waits for. */
export interface Wait {
  /** Wall-clock ms. */
  readonly at: number;
  /** Type of the event that its machine will be sent. */
  readonly event: string;
}

const kindOfSessions = apiSessionKind.kind;

/** How long a deadline that may restore access waits while access is being removed. */
const consequencesWaitMs = 50;

/** Deadlines, activity stamps and their flush. */
export class ApiSessionLife {
  readonly #options: ApiSessionLifeOptions;
  /** Public for tests, which damage it. */
  readonly deadlines: Deadlines;
  readonly #withDeadline: ReadonlyMap<string, NonNullable<Kind['machine']>['declaration']>;
  readonly #flush: FlushTimer;

  constructor(options: ApiSessionLifeOptions) {
    this.#options = options;
    const { store, clock, config, kinds, log } = options;
    this.deadlines = new Deadlines({
      clock,
      due: (kind, id, _at, now) => this.#due(kind, id, now),
      failed: (err, kind, id) =>
        log.error({ err, kind, id }, 'a deadline could not be carried out'),
      sliceEntriesMax: deadlineSliceEntriesMax,
    });
    this.#withDeadline = new Map(
      kinds.flatMap(({ kind, machine }) =>
        machine?.declaration.deadline === undefined ? [] : [[kind, machine.declaration]],
      ),
    );
    this.#flush = new FlushTimer({
      clock,
      intervalMs: config.session.activityFlushSeconds * 1000,
      waiting: () => options.activity.dirtyCount,
      writeFrame: (rowsMax) => this.#flushFrame(rowsMax),
    });
    store.follow((changes) => this.#follow(changes));
  }

  /** Sets the deadlines of all recovered records, and begins to fire them. */
  start(isClean: boolean): void {
    this.deadlines.rebuild(this.#recovered(isClean));
    this.deadlines.start();
    this.#flush.start();
  }

  /** Stops all timed events; stamps that are only in memory are written. */
  stop(): void {
    this.deadlines.stop();
    this.#flush.stop();
  }

  /** Kinds whose records may wait for a time. */
  get kinds(): readonly string[] {
    return [kindOfSessions, ...this.#withDeadline.keys()];
  }

  /**
   * Sets all deadlines again, some per step. A deadline that is due in the meantime is delayed
   * until the end.
   */
  *rebuild(): Generator<undefined> {
    this.deadlines.reset();
    let looked = 0;
    for (const kind of this.kinds) {
      for (const row of this.#options.store.tableNamed(kind).all()) {
        const expected = this.expected(kind, row);
        if (expected !== undefined) this.deadlines.set(kind, row.id, expected.at);
        if (++looked % rowsAStep === 0) yield;
      }
    }
  }

  /** The timed event that a record will receive next, and when, unless something happens before. */
  waitOf(kind: string, row: Row): Wait | undefined {
    const expected = this.expected(kind, row);
    if (expected === undefined) return undefined;
    return { at: expected.at, event: this.#eventOf(kind) };
  }

  #eventOf(kind: string): string {
    if (kind === kindOfSessions) return 'timeout';
    return this.#withDeadline.get(kind)?.deadline?.event ?? '';
  }

  /** The time at which a record must be checked; undefined for a record that waits for nothing. */
  expected(kind: string, { record, slot }: Row): Expected | undefined {
    if (kind === kindOfSessions) {
      const { activity, config } = this.#options;
      const activeAt = activity.lastActivityAt(slot);
      if (activeAt === undefined) return undefined;
      // The record is checked again at that time, so it may be too early.
      return { at: expiryOf(config, record.createdAt, activeAt), mayBeEarlier: true };
    }
    const at = this.#withDeadline.get(kind)?.deadline?.at(record);
    return at === undefined ? undefined : { at, mayBeEarlier: false };
  }

  /**
   * A clean stop has written every stamp. Before a crash a session may have been active without a
   * written stamp. It is therefore assumed active now, or for as long as any activity could have
   * kept it, so that no live session ends early. The end of its life stays unchanged.
   */
  *#recovered(isClean: boolean) {
    const { store, activity, recovered, clock, config } = this.#options;
    const now = clock.now();
    for (const row of store.table(apiSessionKind).all()) {
      const lastActivityAt = activity.lastActivityAt(row.slot) ?? now;
      const at = isClean
        ? lastActivityAt
        : Math.max(lastActivityAt, Math.min(now, lastActivityAt + this.#timeoutMs));
      activity.restore(row.slot, at);
      yield { kind: kindOfSessions, id: row.id, at: expiryOf(config, row.record.createdAt, at) };
    }
    yield* recovered.deadlines();
  }

  get #timeoutMs(): number {
    return this.#options.config.session.timeoutMinutes * 60_000;
  }

  #follow({ changes, timeMs }: ChangeSet): void {
    for (const { table, row, before, after } of changes) {
      if (table.kind === kindOfSessions) this.#followSession(row, before, after, timeMs);
      const declaration = this.#withDeadline.get(table.kind);
      if (declaration === undefined) continue;
      const at = after && declaration.deadline?.at(after);
      const was = before && declaration.deadline?.at(before);
      if (at !== undefined && at !== was) this.deadlines.set(table.kind, row.id, at);
      else if (at === undefined && was !== undefined) this.deadlines.clear(table.kind, row.id);
    }
  }

  #followSession(
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
    now: number,
  ): void {
    const { activity, config } = this.#options;
    if (after === undefined) {
      activity.release(row.slot);
      this.deadlines.clear(kindOfSessions, row.id);
    } else if (before === undefined) {
      activity.restore(row.slot, now);
      this.deadlines.set(kindOfSessions, row.id, expiryOf(config, after.createdAt, now));
    }
  }

  #due(kind: string, id: string, now: number): 'done' | number {
    const { store, activity, send, cascades, config } = this.#options;
    const row = store.tableNamed(kind).peek(id);
    if (row === undefined) return 'done';
    const cause = { actor: 'controller', requestId: '', operation: 'deadline' };
    if (kind !== kindOfSessions) {
      // An expiry may restore access that a pending deferred cascade is still removing.
      if (store.deferredCascades.holdsGrants) return now + consequencesWaitMs;
      const type = this.#eventOf(kind);
      store.transact(cause, (tx) => void send(tx, kind, id, { type, now: tx.now }));
      return 'done';
    }
    const timeoutMs = this.#timeoutMs;
    const lastActivityAt = activity.lastActivityAt(row.slot) ?? 0;
    const { createdAt } = row.record;
    const endsAt = expiryOf(config, createdAt, lastActivityAt);
    if (endsAt > now) return endsAt;
    const lifetimeEndsAt = lifetimeEndOf(config.auth, createdAt);
    store.transact(cause, (tx) => {
      const type = this.#eventOf(kind);
      const times = { lastActivityAt, timeoutMs, lifetimeEndsAt };
      const event = { type, now: Math.max(now, tx.now), ...times };
      cascades.remove(tx, kind, id, () => void send(tx, kind, id, event));
    });
    return 'done';
  }

  /** Writes the first of so many stamps; returns the number of stamps that are done. */
  #flushFrame(left: number): number {
    const { store, activity, bounds, log } = this.#options;
    const { activityFlushRowsMax } = boundsOf(flushBounds, bounds);
    const table = store.table(apiSessionKind);
    const cause = { actor: 'controller', requestId: '', operation: 'flushActivity' };
    try {
      return inFrames(Math.min(left, activityFlushRowsMax), (rowsMax) =>
        activity.flush(rowsMax, (stamps) =>
          store.transact(cause, (tx) => {
            for (const { slot, atMs } of stamps) {
              const record = table.at(slot)?.record;
              if (record !== undefined) tx.put(table, { ...record, lastActivityAt: atMs });
            }
          }),
        ),
      );
    } catch (err) {
      log.warn({ err }, 'activity stamps could not be written; the next flush tries again');
      return left;
    }
  }
}

/** Deadlines fired per turn, so that requests run between a thousand of them. @bound */
const deadlineSliceEntriesMax = 100;

const flushBounds = {
  /** API sessions whose last activity is written in one frame (behaviour/api-sessions). @bound */
  activityFlushRowsMax: 250,
};
