// Ends the sessions that lost their access: in the same frame, or by deferred cascades when there
// are many.

import type { AccessType } from '../declare/kinds/access-vocabulary.ts';
import type { Cascades } from '../declare/kinds/cascades.ts';
import type { Clock } from '../platform/ports.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { BeforeCommitTrigger, Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Access } from './access.ts';
import {
  EndangeredSessions,
  type LinkedSessions,
  type OwnedSessions,
  type SessionTables,
} from './endangered-sessions.ts';

/** The kinds of the store by which sessions hold a right to a service. */
export interface SessionSource extends SessionTables {
  identityId(record: RecordBase): string;
  serviceId(record: RecordBase): string;
  type(record: RecordBase): AccessType;
  /** Identities that keep their sessions while no policy covers them (behaviour/sessions). */
  isExempt(identity: RecordBase): boolean;
}

/** The requirements of a policy besides its roles: its posture checks. */
export interface AccessCondition {
  /** Whether any policy may have requirements. */
  readonly isUsed: boolean;
  /**
   * Whether the session now meets the requirements of one of these service policies, given by slot.
   */
  isMet(policies: readonly number[], session: RecordBase): boolean;
}

/** What session endings work with. */
export interface SessionEndingsOptions {
  readonly store: Store;
  readonly access: Access;
  readonly sessions: SessionSource;
  readonly condition: AccessCondition;
  /** Removes what depends on a session with it. Absent where nothing is written. */
  readonly cascades?: Pick<Cascades, 'remove' | 'dependents'>;
  readonly newId: () => string;
  /** The most sessions evaluated in one go: in the deciding transaction, or in a slice. */
  readonly evaluatedMax: number;
  /**
   * The longest time for one go, as a session about which nothing is remembered takes ten times as
   * long.
   */
  readonly evaluatedMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The name of the durable work that ends many sessions. */
const endSessionsWork = 'endSessions';

/** Sessions evaluated between two looks at the clock. */
const sessionsALook = 16;

/** Sessions that a deferred cascade still has to evaluate. */
export interface BackgroundScan {
  readonly rows: Iterator<Row | undefined>;
  /**
   * Rows that a slice which is not committed yet took from `rows`; if it fails, they come again.
   */
  readonly taken: (Row | undefined)[];
}

/**
 * Evaluates the endangered sessions before a transaction ends, and ends those without access. When
 * there are too many to evaluate, it schedules a deferred cascade at once, without counting the
 * rows first. Until the cascade is complete, readers check the access of each session that they
 * show.
 */
export class SessionEndings implements BeforeCommitTrigger {
  readonly #options: SessionEndingsOptions;
  readonly #sessions: Table;
  readonly #identities: Table;
  readonly #services: Table;
  #endangered: EndangeredSessions;
  /**
   * By deferred cascade; after a restart there is none, and all sessions are evaluated. Public for
   * the integrity run, and for tests that damage it.
   */
  readonly scans = new Map<string, BackgroundScan>();

  constructor(options: SessionEndingsOptions) {
    const { store, sessions } = options;
    this.#options = options;
    this.#sessions = store.tableNamed(sessions.kind);
    this.#identities = store.tableNamed(sessions.identityKind);
    this.#services = store.tableNamed(sessions.serviceKind);
    this.#endangered = this.#noEndangered();
    const further = this.#sessions.isLive;
    this.#sessions.isLive = (record) => this.#mayStay(record) && (further?.(record) ?? true);
    store.deferredCascades.register(endSessionsWork, {
      takes: () => [sessions.kind],
      slice: (tx, [id = ''], rowsMax) => this.#endSlice(tx, id, rowsMax),
    });
    store.beforeCommit(this);
  }

  begin(): void {
    if (!this.#endangered.isEmpty) this.#endangered = this.#noEndangered();
  }

  /** Has these sessions evaluated before the open transaction ends. */
  endanger(sessions: OwnedSessions | LinkedSessions): void {
    this.#endangered.add(sessions);
  }

  /** Has every session evaluated before the open transaction ends. */
  endangerAll(): void {
    this.#endangered.addAll();
  }

  /**
   * Finishes what the last run left open, and ends what ran out in the meantime, one frame per
   * step. It runs at the start, before any request is served; after a crash in between, the next
   * start does the rest.
   */
  *catchUp(): Generator<undefined> {
    const { deferredCascades } = this.#options.store;
    yield* deferredCascades.slices();
    if (!this.#options.condition.isUsed) return;
    const lost: string[] = [];
    for (const { record } of this.#sessions.all()) {
      if (!this.#mayStay(record)) lost.push(record.id);
    }
    const cause = { actor: 'controller', requestId: '', operation: 'start' };
    for (let at = 0; at < lost.length; at += deferredCascades.rowsMax) {
      this.#options.store.transact(cause, (tx) => {
        const slice = lost.slice(at, at + deferredCascades.rowsMax);
        for (const id of slice) this.#remove(tx, id);
      });
      yield;
    }
  }

  /**
   * The same for a node that takes over: whoever ran out unseen is evaluated as after any change,
   * so that many are evaluated in slices while requests are served.
   */
  *takeOver(): Generator<undefined> {
    const { condition, store } = this.#options;
    yield* store.deferredCascades.slices();
    if (!condition.isUsed) return;
    const cause = { actor: 'controller', requestId: '', operation: 'start' };
    store.transact(cause, () => this.endangerAll());
  }

  write(tx: Transaction): void {
    const endangered = this.#endangered;
    if (endangered.isEmpty) return;
    const lost = this.#lostAmong(endangered);
    if (lost !== undefined) {
      for (const id of lost) this.#remove(tx, id);
      return;
    }
    const id = this.#options.newId();
    this.#options.store.deferredCascades.note(tx, id, endSessionsWork, [id]);
    tx.afterCommit(() => this.scans.set(id, { rows: endangered.rows(), taken: [] }));
  }

  /** Those who have lost access; undefined when finding or ending them at once is too much work. */
  #lostAmong(endangered: EndangeredSessions): ReadonlySet<string> | undefined {
    const { evaluatedMax, store } = this.#options;
    const rows: (Row | undefined)[] = [];
    for (const row of endangered.rows()) if (rows.push(row) > evaluatedMax) return undefined;
    const lost = new Set<string>();
    let lostRows = 0;
    const isOver = this.#timeLimit();
    for (const row of rows) {
      if (isOver()) return undefined;
      if (row === undefined || lost.has(row.id) || this.#mayStay(row.record)) continue;
      lost.add(row.id);
      lostRows += this.#rowsWith(row);
    }
    return lostRows > store.deferredCascades.rowsMax ? undefined : lost;
  }

  /** Rows that are removed with a session, including its own. */
  #rowsWith({ id }: Row): number {
    const { cascades, sessions, store } = this.#options;
    return 1 + (cascades?.dependents(sessions.kind, id, store.deferredCascades.rowsMax) ?? 0);
  }

  #remove(tx: Transaction, id: string): void {
    const { cascades, sessions } = this.#options;
    if (cascades === undefined) tx.delete(this.#sessions, id);
    else cascades.remove(tx, sessions.kind, id);
  }

  #endSlice(tx: Transaction, id: string, rowsMax: number): 'more' | 'done' {
    const table = this.#sessions;
    const scan = this.#scanOf(id);
    let room = rowsMax;
    const end = (row: Row | undefined) => {
      if (row === undefined || table.peek(row.id) !== row) return;
      if (this.#mayStay(row.record)) return;
      room -= this.#rowsWith(row);
      this.#remove(tx, row.id);
    };
    for (const row of scan.taken) end(row);
    let isDone = false;
    const isOver = this.#timeLimit();
    for (let left = this.#options.evaluatedMax; left > 0 && room > 0 && !isOver(); left--) {
      const next = scan.rows.next();
      isDone = next.done === true;
      if (isDone) break;
      scan.taken.push(next.value);
      end(next.value);
    }
    tx.afterCommit(() => {
      scan.taken.length = 0;
      if (isDone) this.scans.delete(id);
    });
    return isDone ? 'done' : 'more';
  }

  /** Whether the time of one go is over, checked every few sessions; false at first. */
  #timeLimit(): () => boolean {
    const { clock, evaluatedMs } = this.#options;
    const until = clock.monotonic() + evaluatedMs;
    let asked = 0;
    return () => ++asked % sessionsALook === 0 && clock.monotonic() >= until;
  }

  #scanOf(id: string): BackgroundScan {
    let scan = this.scans.get(id);
    if (scan === undefined) {
      const everybody = this.#noEndangered();
      everybody.addAll();
      this.scans.set(id, (scan = { rows: everybody.rows(), taken: [] }));
    }
    return scan;
  }

  #noEndangered(): EndangeredSessions {
    return new EndangeredSessions(this.#options.store, this.#options.sessions);
  }

  #mayStay(record: RecordBase): boolean {
    const { access, condition, sessions } = this.#options;
    const identity = this.#identities.peek(sessions.identityId(record));
    const service = this.#services.peek(sessions.serviceId(record));
    // The cascade takes care of a missing owner.
    if (identity === undefined || service === undefined) return true;
    const type = sessions.type(record);
    const [from, to] = [identity.slot, service.slot];
    const isLinked = type === 'Dial' ? access.mayDial(from, to) : access.mayBind(from, to);
    if (!isLinked) return sessions.isExempt(identity.record);
    if (!condition.isUsed) return true;
    return condition.isMet(access.permissions.linking(from, to, type), record);
  }
}

/** Bounds of evaluating many sessions. */
export const evaluationBounds = {
  /**
   * Sessions evaluated at once, at 1 to 5 µs each, in the transaction that may cost them their
   * access or in one slice of its deferred cascade. @bound
   */
  sessionsEvaluatedMax: 1000,
  /** How long sessions are evaluated at once; unknown ones take ten times as long. @bound */
  sessionsEvaluatedMs: 4,
};
