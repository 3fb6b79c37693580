// Ends many API sessions by one decision: in the deciding frame, or by deferred cascades when there
// are too many for it. From that frame on, no reader sees any of them.

import type { Cascades } from '../../declare/kinds/cascades.ts';
import { type ApiSessionRecord, apiSessionKind } from '../../records/api-session.ts';
import { type AuthRequestRecord, authRequestKind } from '../../records/auth-request.ts';
import { identityKind } from '../../records/identity.ts';
import { deferredCascadeKind } from '../../store/deferred-cascades.ts';
import type { Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';

/** API sessions that end together: those of one group of their table, or all. */
export interface EndedSessions {
  /** The name of the group index. */
  readonly by: GroupName | 'all';
  /** Empty for all. */
  readonly key: string;
  /** The session that continues; undefined for none. */
  readonly exceptId?: string | undefined;
}

type GroupName = 'identityId' | 'authenticatorId' | 'caId';

/** The parts of the controller that endings need. */
export interface ApiSessionEndingsOptions {
  readonly store: Store;
  readonly cascades: Pick<Cascades, 'remove' | 'dependents'>;
  /** Ids of API sessions: a later id sorts after earlier ones. */
  readonly newId: () => string;
}

/** An ending that is carried out by deferred cascades. */
interface Ending extends EndedSessions {
  /**
   * Created by the deciding frame: sessions with a larger id were created later, even within the
   * same millisecond, and continue.
   */
  readonly beforeId: string;
}

const kindOfSessions = apiSessionKind.kind;
/** The name of the durable work. */
const endApiSessionsWork = 'endApiSessions';

/** Sorts after every id. */
const behindAll = '\uffff';

/**
 * The endings of one store. Must be created before recovery, which reports the open endings to it.
 */
export class ApiSessionEndings {
  readonly #store: Store;
  readonly #cascades: ApiSessionEndingsOptions['cascades'];
  readonly #newId: () => string;
  readonly #sessions: Table<ApiSessionRecord>;
  /** Whether the record that a session depends on exists. */
  readonly #hasOwner: Table<ApiSessionRecord>['isLive'];
  /** By the id of the deferred cascade. */
  readonly #open = new Map<string, Ending>();

  constructor({ store, cascades, newId }: ApiSessionEndingsOptions) {
    this.#store = store;
    this.#cascades = cascades;
    this.#newId = newId;
    this.#sessions = store.table(apiSessionKind);
    this.#hasOwner = this.#sessions.isLive;
    this.#hideSessionsThatEnd();
    store.table(deferredCascadeKind).observe((_row, before, after) => {
      if (before !== undefined) this.#open.delete(before.id);
      if (after?.work === endApiSessionsWork) this.#open.set(after.id, endingOf(after.subject));
    });
    store.deferredCascades.register(endApiSessionsWork, {
      takes: () => [kindOfSessions],
      // It applies to sessions that existed when it was decided: no grant restores them.
      isFinal: true,
      slice: (tx, subject, rowsMax) => this.#slice(tx, endingOf(subject), rowsMax),
    });
  }

  /**
   * Ends all of them: at once, or by deferred cascades if more rows are removed than one slice
   * takes.
   * @param gone rows that earlier endings of the same transaction removed
   * @returns the same count including this ending
   */
  end(tx: Transaction, { by, key, exceptId = '' }: EndedSessions, gone = 0): number {
    this.#endLogins(tx, { by, key });
    const { deferredCascades } = this.#store;
    const ended: string[] = [];
    let rows = gone;
    for (const row of this.#rowsOf({ by, key })) {
      if (row.id === exceptId || !this.#isStaying(row.record)) continue;
      rows += this.#rowsWith(row);
      if (rows > deferredCascades.rowsMax) {
        const beforeId = this.#newId();
        deferredCascades.note(tx, beforeId, endApiSessionsWork, [by, key, beforeId, exceptId]);
        return gone;
      }
      ended.push(row.id);
    }
    for (const id of ended) this.#cascades.remove(tx, kindOfSessions, id);
    return rows;
  }

  /** Logins by OIDC in progress would become such sessions. They are in memory, and few. */
  #endLogins(tx: Transaction, { by, key }: Pick<EndedSessions, 'by' | 'key'>): void {
    const requests = this.#store.table(authRequestKind);
    if (requests.size === 0) return;
    for (const { id, record } of [...requests.all()]) {
      if (by === 'all' || ownerOf(record, by) === key)
        this.#cascades.remove(tx, authRequestKind.kind, id);
    }
  }

  #rowsOf({ by, key }: Pick<EndedSessions, 'by' | 'key'>): Iterable<Row<ApiSessionRecord>> {
    return by === 'all' ? this.#sessions.all() : this.#sessions.group(by).rows(key);
  }

  /** A session that is already being removed belongs to another deferred cascade. */
  #isStaying(record: ApiSessionRecord): boolean {
    return !this.#isEnding(record) && (this.#hasOwner?.(record) ?? true);
  }

  /** Rows that are removed with a session, including its own. */
  #rowsWith({ id }: Row): number {
    return 1 + this.#cascades.dependents(kindOfSessions, id, this.#store.deferredCascades.rowsMax);
  }

  #slice(tx: Transaction, ending: Ending, rowsMax: number): 'more' | 'done' {
    let rows = 0;
    for (const row of this.#rowsOf(ending)) {
      if (!isEndedBy(ending, row.record)) continue;
      // The first session is always ended: if it has more rows than a slice it schedules its own
      // deferred cascade.
      const isFirst = rows === 0;
      rows += this.#rowsWith(row);
      if (rows > rowsMax && !isFirst) return 'more';
      this.#cascades.remove(tx, kindOfSessions, row.id);
    }
    return 'done';
  }

  #hideSessionsThatEnd(): void {
    const identities = this.#store.table(identityKind);
    this.#sessions.isLive = (record) =>
      this.#isStaying(record) &&
      // The sessions of a disabled identity were ended in the frame that disabled it.
      identities.peek(record.identityId)?.record.state !== 'disabled';
  }

  #isEnding(record: ApiSessionRecord): boolean {
    for (const ending of this.#open.values()) if (isEndedBy(ending, record)) return true;
    return false;
  }
}

function isEndedBy({ by, key, beforeId, exceptId }: Ending, record: ApiSessionRecord): boolean {
  const began = record.jwt?.began ?? record.id;
  const isOne = by === 'all' || record[by] === key;
  return isOne && began < beforeId && record.id !== exceptId;
}

/** Whose session a login in progress would become. */
function ownerOf(request: AuthRequestRecord, by: GroupName): string | undefined {
  return by === 'identityId' ? request.identityId : request.login?.[by];
}

/** Earlier versions stored only an identity: all of its sessions were to end. */
function endingOf(subject: readonly string[]): Ending {
  if (subject.length === 1) return { by: 'identityId', key: subject[0] ?? '', beforeId: behindAll };
  const [by, key = '', beforeId = behindAll, exceptId] = subject;
  return { by: groupNamed(by), key, beforeId, exceptId };
}

function groupNamed(name: string | undefined): EndedSessions['by'] {
  if (name === 'authenticatorId' || name === 'caId' || name === 'all') return name;
  return 'identityId';
}
