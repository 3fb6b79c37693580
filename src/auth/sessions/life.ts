// Timed events of records: API sessions that become idle, and all deadlines that machines declare.

import { Deadlines, deadlineRetryMs } from '../../actors/deadlines.ts';
import { FlushTimer } from '../../actors/flush-timer.ts';
import { inFrames, rowsAStep } from '../../containers/walk.ts';
import type { Cascades } from '../../declare/kinds/cascades.ts';
import type { Kind } from '../../declare/kinds/kind.ts';
import type { Environment } from '../../declare/operations/environment.ts';
import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';
import { type ApiSessionRecord, apiSessionKind } from '../../records/api-session.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Config } from '../../settings/config.ts';
import type { Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import { type ChangeSet, type CommittedChange, isOf } from '../../store/transaction.ts';
import type { Activity } from '../activity.ts';
import { owesWithoutToken } from '../factors.ts';
import type { RecoveredTimes } from '../recovered-times.ts';
import { expiryOf, lifetimeEndOf, nextEventOf } from './session-expiry.ts';

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

const deadlineCause = { actor: 'controller', requestId: '', operation: 'deadline' };

/** How long a deadline that may restore access waits while access is being removed. */
const cascadesWaitMs = 50;

/** Deadlines, activity stamps and their flush. */
export class ApiSessionLife {
  readonly #options: ApiSessionLifeOptions;
  /** Public for tests, which damage it. */
  readonly deadlines: Deadlines;
  readonly #withDeadline: ReadonlyMap<string, NonNullable<Kind['machine']>['declaration']>;
  readonly #flush: FlushTimer;
  /** Whether the deadlines are those of a leader's frames so far. */
  #hasFollowed = false;

  constructor(options: ApiSessionLifeOptions) {
    this.#options = options;
    const { store, clock, config, kinds, log } = options;
    this.deadlines = new Deadlines({
      clock,
      due: (kind, id, _at, now) => {
        // Each of them would fail, again and again, and each failure would be logged.
        const isWritable = store.journal.health.state === 'writable';
        return isWritable ? this.#due(kind, id, now) : now + deadlineRetryMs;
      },
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

  /**
   * Sets the deadlines of all recovered records without firing them, on a node that follows. The
   * frames of the leader move them from then on.
   */
  follow(): void {
    this.#hasFollowed = true;
    this.deadlines.rebuild(this.#recovered(true));
  }

  /**
   * Begins to fire deadlines: those of all recovered records, or those that were followed. The
   * latter counts as the start after a crash, as the former leader knew of later activity.
   */
  start(isClean: boolean): void {
    const { activity, clock } = this.#options;
    if (this.#hasFollowed) activity.assumeActive(clock.now(), this.#timeoutMs);
    else this.deadlines.rebuild(this.#recovered(isClean));
    this.deadlines.start();
    this.#flush.start();
  }

  /**
   * Counts every API session as active now, and writes that, a frame per step. Before `start`, for
   * a home whose sessions were idle because nothing served it.
   */
  *beginIdleAnew(): Generator<undefined> {
    const { store, activity, clock } = this.#options;
    const now = clock.now();
    for (const { slot } of store.table(apiSessionKind).all()) activity.touch(slot, now);
    for (let left = activity.dirtyCount; left > 0; left -= this.#flushFrame(left)) yield;
  }

  /** Stops all timed events; stamps that are only in memory are written. */
  async stop(): Promise<void> {
    this.deadlines.stop();
    await this.#flush.stop();
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
    if (kind === kindOfSessions) return this.#waitOfSession(row);
    const deadline = this.#withDeadline.get(kind)?.deadline;
    const at = deadline?.at(row.record);
    return deadline === undefined || at === undefined ? undefined : { at, event: deadline.event };
  }

  #waitOfSession({ id, slot }: Row): Wait | undefined {
    const { store, activity, config } = this.#options;
    const record = store.table(apiSessionKind).peek(id)?.record;
    const activeAt = activity.lastActivityAt(slot);
    if (record === undefined || activeAt === undefined) return undefined;
    return nextEventOf(config, record, activeAt + activity.unheardMs);
  }

  /** The time at which a record must be checked; undefined for a record that waits for nothing. */
  expected(kind: string, row: Row): Expected | undefined {
    const at = this.waitOf(kind, row)?.at;
    // An API session is checked again at that time, so it may be too early.
    return at === undefined ? undefined : { at, mayBeEarlier: kind === kindOfSessions };
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
      const next = nextEventOf(config, row.record, at + activity.unheardMs);
      yield { kind: kindOfSessions, id: row.id, at: next.at };
    }
    yield* recovered.deadlines();
  }

  get #timeoutMs(): number {
    return this.#options.config.session.timeoutMinutes * 60_000;
  }

  #follow({ changes, timeMs }: ChangeSet): void {
    for (const change of changes) {
      if (isOf(change, apiSessionKind)) this.#followSession(change, timeMs);
      const { table, row, before, after } = change;
      const declaration = this.#withDeadline.get(table.kind);
      if (declaration === undefined) continue;
      const at = after && declaration.deadline?.at(after);
      const was = before && declaration.deadline?.at(before);
      if (at !== undefined && at !== was) this.deadlines.set(table.kind, row.id, at);
      else if (at === undefined && was !== undefined) this.deadlines.clear(table.kind, row.id);
    }
  }

  #followSession({ row, before, after }: CommittedChange<ApiSessionRecord>, now: number): void {
    const { activity, config, store } = this.#options;
    if (after === undefined) {
      activity.release(row.slot);
      this.deadlines.clear(kindOfSessions, row.id);
      return;
    }
    // While it follows, each record tells its time, and moves its deadline, so that a takeover
    // finds only those due that are.
    if (store.isAttached) {
      if (before === undefined) activity.restore(row.slot, now);
      else if (!waitsOtherwise(before, after)) return;
    }
    const activeAt = activity.lastActivityAt(row.slot) ?? now;
    const next = nextEventOf(config, after, activeAt + activity.unheardMs);
    this.deadlines.set(kindOfSessions, row.id, next.at);
  }

  #due(kind: string, id: string, now: number): 'done' | number {
    const { store, send } = this.#options;
    if (kind === kindOfSessions) return this.#sessionDue(id, now);
    if (store.tableNamed(kind).peek(id) === undefined) return 'done';
    // An expiry may restore access that a pending deferred cascade is still removing.
    if (store.deferredCascades.holdsGrants) return now + cascadesWaitMs;
    const type = this.#withDeadline.get(kind)?.deadline?.event ?? '';
    store.transact(deadlineCause, (tx) => void send(tx, kind, id, { type, now: tx.now }));
    return 'done';
  }

  #sessionDue(id: string, now: number): 'done' | number {
    const { store, activity, send, cascades, config } = this.#options;
    const row = store.table(apiSessionKind).peek(id);
    if (row === undefined) return 'done';
    const { record, slot } = row;
    const lastActivityAt = activity.lastActivityAt(slot) ?? 0;
    const unheardUntil = lastActivityAt + activity.unheardMs;
    const next = nextEventOf(config, record, unheardUntil);
    if (next.at > now) return next.at;
    const endsAt = expiryOf(config, record, unheardUntil);
    store.transact(deadlineCause, (tx) => {
      const at = Math.max(now, tx.now);
      if (endsAt > now) {
        const secondFactorRequired = owesWithoutToken({ store }, record);
        send(tx, kindOfSessions, id, { type: next.event, now: at, secondFactorRequired });
        return;
      }
      const lifetimeEndsAt = lifetimeEndOf(config.auth, record);
      const times = { lastActivityAt, timeoutMs: this.#timeoutMs, lifetimeEndsAt };
      const event = { type: 'timeout', now: at, ...times };
      cascades.remove(tx, kindOfSessions, id, () => void send(tx, kindOfSessions, id, event));
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

/** Whether the timed events of an API session have changed, other than by its activity. */
function waitsOtherwise(before: ApiSessionRecord, after: ApiSessionRecord): boolean {
  return (
    before.secondFactorUntil !== after.secondFactorUntil || before.jwt?.until !== after.jwt?.until
  );
}

/** Deadlines fired per turn, so that requests run between a thousand of them. @bound */
const deadlineSliceEntriesMax = 100;

const flushBounds = {
  /** API sessions whose last activity is written in one frame (behaviour/api-sessions). @bound */
  activityFlushRowsMax: 250,
};
