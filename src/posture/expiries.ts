// MFA checks that fail by themselves at a known time. They are found in lists ordered by time, with
// one deadline per list and lag, so that 100,000 API sessions cost nothing until theirs run out.

import type { Access } from '../access/access.ts';
import type { OwnedSessions } from '../access/endangered-sessions.ts';
import { Deadlines } from '../actors/deadlines.ts';
import { rowsAStep } from '../containers/walk.ts';
import type { Clock } from '../platform/ports.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import { identityKind } from '../records/identity.ts';
import { type PostureCheckRecord, postureCheckKind } from '../records/posture-check.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import { type ChangeSet, isOf } from '../store/transaction.ts';
import { Slices } from '../turns/slices.ts';
import { evaluate } from './evaluate-check.ts';
import type { Posture } from './posture.ts';
import { fillOrder, TimeOrder } from './time-order.ts';
import { type ExpiryCursor, lagsOf, type Stamp, type Timeline, timelineOf } from './timelines.ts';

/** The options of expiries. */
export interface ExpiriesOptions {
  readonly store: Store;
  readonly access: Access;
  readonly posture: Posture;
  readonly clock: Clock;
  readonly bounds?: BoundValues | undefined;
  /** Has sessions evaluated before the open transaction ends. */
  readonly endanger: (sessions: OwnedSessions) => void;
  /** Stamps an identity, by slot, that has a check which passed before. */
  readonly stampMember: (identity: number, now: number) => void;
  /** Called when an expiry failed, which is retried, or the stamping of its identities. */
  readonly failed: (error: unknown) => void;
}

/** API sessions that ran out at one time, by slot, and their stamps at that time. */
interface Expired {
  readonly cursor: ExpiryCursor;
  readonly slots: readonly number[];
  readonly times: readonly number[];
}

/** Ends the sessions whose posture has expired, and stamps the identities concerned. */
export class Expiries {
  readonly #options: ExpiriesOptions;
  readonly #bounds: typeof expiryBounds;
  readonly #stamping: Slices;
  /** Public for tests that damage it, like the timelines. */
  readonly deadlines: Deadlines;
  readonly timelines: Readonly<Record<Stamp, Timeline>> = {
    mfaPassedAt: timelineOf('mfaPassedAt'),
    wokenAt: timelineOf('wokenAt'),
    unlockedAt: timelineOf('unlockedAt'),
  };
  /**
   * Wall-clock ms up to which cursors have advanced: the time of the last commit, or of the last
   * expiry. If the next commit is earlier, the clock jumped.
   */
  #now: number;
  /** A new cursor then begins with what ran out long ago, because it may have been missed. */
  #isRebuilding = false;

  /** Must be created after the store is recovered. */
  constructor(options: ExpiriesOptions) {
    const { store, clock, failed } = options;
    this.#options = options;
    this.#bounds = boundsOf(expiryBounds, options.bounds);
    this.#stamping = new Slices({ clock, sliceMs: this.#bounds.stampedMs, failed });
    this.#now = clock.now();
    this.deadlines = new Deadlines({
      clock,
      due: (stamp, lag, _at, now) => this.#due(stamp as Stamp, Number(lag), now),
      failed,
      // Each expiry may evaluate as many sessions as a turn has time for.
      sliceEntriesMax: 1,
    });
    this.#recover();
    store.follow((changes) => this.#follow(changes));
  }

  /** Starts to hand out expiries. The start-up handles what ran out before the start. */
  start(): void {
    this.deadlines.start();
  }

  /** Stops handing out expiries. */
  stop(): void {
    this.#stamping.stop();
    this.deadlines.stop();
  }

  /** Whether something has run out and is not yet ended. */
  get isDue(): boolean {
    const { next } = this.deadlines;
    return next !== undefined && next <= this.#options.clock.now();
  }

  /** Wall-clock ms up to which cursors have advanced at most. */
  get comeTo(): number {
    return this.#now;
  }

  /**
   * Rebuilds orders and cursors from the records, one step at a time. Whatever has run out is ended
   * and reported once more.
   */
  *rebuild(): Generator<undefined> {
    const sessions = this.#options.store.table(apiSessionKind);
    for (const timeline of Object.values(this.timelines)) {
      timeline.fresh = new TimeOrder();
      try {
        yield* fillOrder(timeline.fresh, sessions, ({ record }) => record[timeline.stamp]);
        timeline.order = timeline.fresh;
      } finally {
        timeline.fresh = undefined;
      }
    }
    for (const { cursors } of Object.values(this.timelines)) cursors.clear();
    this.deadlines.reset();
    this.#isRebuilding = true;
    try {
      let told = 0;
      for (const { record } of this.#options.store.table(postureCheckKind).all()) {
        this.#followCheck(undefined, record);
        if (++told % rowsAStep === 0) yield;
      }
    } finally {
      this.#isRebuilding = false;
    }
  }

  #recover(): void {
    const { store } = this.#options;
    const rows = [...store.table(apiSessionKind).all()];
    for (const { stamp, order } of Object.values(this.timelines)) {
      const stamped = rows.filter(({ record }) => record[stamp] !== undefined);
      const timeOf = ({ record }: Row<ApiSessionRecord>) => record[stamp] ?? 0;
      stamped.sort((a, b) => timeOf(a) - timeOf(b));
      for (const row of stamped) order.add(row.slot, timeOf(row));
    }
    for (const { record } of store.table(postureCheckKind).all()) {
      this.#followCheck(undefined, record);
    }
  }

  #follow({ changes, timeMs }: ChangeSet): void {
    const isBack = timeMs < this.#now;
    this.#now = timeMs;
    if (isBack) this.#rewind();
    for (const change of changes) {
      if (isOf(change, apiSessionKind)) {
        this.#followSession(change.row.slot, change.before, change.after);
      } else if (isOf(change, postureCheckKind)) {
        this.#followCheck(change.before, change.after);
      }
    }
  }

  /** Sessions that had run out may be due in the future again, and must then end a second time. */
  #rewind(): void {
    for (const { order, cursors } of Object.values(this.timelines)) {
      for (const cursor of cursors.values()) {
        let next = cursor.next;
        for (;;) {
          const before = order.before(next);
          if (before === undefined || order.timeOf(before) + cursor.lagMs <= this.#now) break;
          next = before;
        }
        if (next !== cursor.next) this.#point(cursor, next);
      }
    }
  }

  #followSession(
    slot: number,
    before: ApiSessionRecord | undefined,
    after: ApiSessionRecord | undefined,
  ): void {
    for (const timeline of Object.values(this.timelines)) {
      const [was, is] = [before?.[timeline.stamp], after?.[timeline.stamp]];
      if (was === is) continue;
      if (was !== undefined) this.#leave(timeline, slot);
      if (is !== undefined) this.#join(timeline, slot, is);
    }
  }

  #leave({ order, cursors, fresh }: Timeline, slot: number): void {
    fresh?.remove(slot);
    for (const cursor of cursors.values()) {
      if (cursor.next === slot) this.#point(cursor, order.after(slot));
    }
    order.remove(slot);
  }

  #join({ order, cursors, fresh }: Timeline, slot: number, at: number): void {
    order.add(slot, at);
    fresh?.add(slot, at);
    for (const cursor of cursors.values()) {
      const isFirst = cursor.next === undefined || at < order.timeOf(cursor.next);
      if (isFirst && at + cursor.lagMs > this.#now) this.#point(cursor, slot);
    }
  }

  #followCheck(
    before: PostureCheckRecord | undefined,
    after: PostureCheckRecord | undefined,
  ): void {
    const [was, is] = [before && lagsOf(before), after && lagsOf(after)];
    for (const timeline of Object.values(this.timelines)) {
      const { stamp, cursors } = timeline;
      const [from, to] = [was?.[stamp], is?.[stamp]];
      if (from === to) continue;
      const left = from === undefined ? undefined : cursors.get(from);
      if (left?.checks.delete(before?.id ?? '') && left.checks.size === 0) {
        this.deadlines.clear(stamp, String(left.lagMs));
        cursors.delete(left.lagMs);
      }
      if (to === undefined || after === undefined) continue;
      let joined = cursors.get(to);
      if (joined === undefined) {
        joined = { timeline, lagMs: to, checks: new Set(), next: undefined };
        cursors.set(to, joined);
        this.#seek(joined);
      }
      joined.checks.add(after.id);
    }
  }

  #seek(cursor: ExpiryCursor): void {
    const { order } = cursor.timeline;
    const next = this.#isRebuilding ? order.first : order.from(this.#now - cursor.lagMs + 1);
    this.#point(cursor, next);
  }

  #point(cursor: ExpiryCursor, next: number | undefined): void {
    cursor.next = next;
    const { stamp, order } = cursor.timeline;
    const lag = String(cursor.lagMs);
    if (next === undefined) this.deadlines.clear(stamp, lag);
    else this.deadlines.set(stamp, lag, order.timeOf(next) + cursor.lagMs);
  }

  #due(stamp: Stamp, lagMs: number, now: number): 'done' {
    const { store, endanger } = this.#options;
    const cursor = this.timelines[stamp].cursors.get(lagMs);
    if (cursor === undefined) return 'done';
    // Sessions that are skipped here are done; if the clock goes back, `#rewind` brings them back.
    this.#now = Math.max(this.#now, now);
    const { order } = cursor.timeline;
    const slots: number[] = [];
    const times: number[] = [];
    let next = cursor.next;
    while (next !== undefined && slots.length < this.#bounds.expiriesInATurnMax) {
      const at = order.timeOf(next);
      if (at + lagMs > now) break;
      slots.push(next);
      times.push(at);
      next = order.after(next);
    }
    const cause = { actor: 'controller', requestId: '', operation: 'postureExpiry' };
    store.transact(cause, () => endanger({ kind: 'apiSession', owners: slots }));
    this.#point(cursor, next);
    this.#stamping.add(this.#stamp({ cursor, slots, times }));
    return 'done';
  }

  /** Stamps identities for which a check of the cursor passed until it expired. */
  *#stamp({ cursor, slots, times }: Expired): Generator<undefined> {
    const { clock, stampMember, store } = this.#options;
    const apiSessions = store.table(apiSessionKind);
    const identities = store.table(identityKind);
    for (const [at, slot] of slots.entries()) {
      if (at > 0 && at % rowsAStep === 0) yield;
      const now = clock.now();
      const record = apiSessions.at(slot)?.record;
      const stampedAt = times[at] ?? 0;
      if (record === undefined || record[cursor.timeline.stamp] !== stampedAt) continue;
      const identity = identities.peek(record.identityId);
      if (identity === undefined) continue;
      if (this.#hasExpired(cursor, record, identity.slot, stampedAt, now))
        stampMember(identity.slot, now);
    }
  }

  #hasExpired(
    cursor: ExpiryCursor,
    record: ApiSessionRecord,
    slot: number,
    stampedAt: number,
    now: number,
  ): boolean {
    const { access, posture } = this.#options;
    const { id: apiSessionId, identityId } = record;
    const subject = posture.subjectOf({ identityId, apiSessionId });
    return access
      .policiesOf('identity', slot, 'servicePolicy')
      .flatMap((policy) => posture.checksOf(policy).filter(({ id }) => cursor.checks.has(id)))
      .some(
        (check) =>
          !evaluate(check, subject, now).isPassing &&
          evaluate(check, subject, stampedAt + cursor.lagMs - 1).isPassing,
      );
  }
}

const expiryBounds = {
  /** API sessions whose MFA expires in one turn, at 20 ns each. @bound */
  expiriesInATurnMax: 100_000,
  /** How long their identities are stamped per turn, at 1 to 5 µs each. @bound */
  stampedMs: 2,
};
