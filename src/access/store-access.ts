// Keeps access in step with the store: tells it of members and policies, and draws what follows
// from its answers.

import type { Kind } from '../declare/kind.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Settler, Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Access, AccessOptions } from './access.ts';
import { type AccessChange, type AccessPairs, type MemberGroup, NO_CHANGE } from './change.ts';
import { AccessRenewal, type AccessSource } from './renewal.ts';
import type { AccessType, PolicyRoles, Semantic } from './vocabulary.ts';

/** What the use of access looks like in the store: who holds a right to a service. */
export interface SessionSource {
  /** The kind of the rows that end when access does. */
  readonly kind: string;
  /** Its group indexes by identity and by service. */
  readonly byIdentity: string;
  readonly byService: string;
  readonly identityKind: string;
  readonly serviceKind: string;
  identityId(record: RecordBase): string;
  serviceId(record: RecordBase): string;
  type(record: RecordBase): AccessType;
  /** Identities that keep their sessions whatever the policies say (behaviour §8.6). */
  isExempt(identity: RecordBase): boolean;
}

/** What keeps access in step. */
export interface StoreAccessOptions {
  readonly store: Store;
  readonly access: Access;
  readonly kinds: readonly Kind[];
  readonly sessions: SessionSource;
  /** Told of the identities whose services a committed or doomed change may have touched. */
  readonly touched: (identities: MemberGroup) => void;
  readonly newId: () => string;
}

/** The name of the durable work that ends many sessions. */
const endSessionsWork = 'endSessions';

/** Access that is kept in step. */
export interface ConnectedAccess {
  /** Makes it anew from the records, some a step, and puts that in the place of the present one. */
  renew(options: AccessOptions, now: () => number): Generator<undefined>;
}

/** Observes members and policies from now on, those that are there included. */
export function connectAccess(options: StoreAccessOptions): ConnectedAccess {
  const { store, access, kinds, sessions, touched } = options;
  const endings = new SessionEndings(options);
  // What recovery brings is news to nobody.
  let isConnected = false;
  const changed = (change: AccessChange) => {
    if (!isConnected) return;
    if (change.lost.length === 0 && change.gained.length === 0) return;
    for (const pairs of change.lost) endings.collect(pairs);
    touched(change.identities());
  };
  let renewal: AccessRenewal | undefined;
  const sources = kinds.flatMap(sourcesOf);
  for (const source of sources) {
    store.table(source.kind).observe((row, before, after) => {
      renewal?.change(source, row, before, after);
      changed(source.tell(access, row, before, after));
    });
  }
  store.table(sessions.identityKind).observe((row, before, after) => {
    if (before !== undefined && after !== undefined) endings.exemption(row, before, after);
  });
  store.settleWith(endings);
  isConnected = true;
  return {
    *renew(made, now) {
      renewal = new AccessRenewal(store, sources, made);
      try {
        yield* renewal.walk();
        renewal.putInPlaceOf(access, now());
      } finally {
        renewal = undefined;
      }
    },
  };
}

function sourcesOf({ kind, member, policy }: Kind): AccessSource[] {
  const sources: AccessSource[] = [];
  if (member !== undefined) {
    sources.push({
      kind,
      tell(access, { slot, record }, before, after) {
        const was = before && member.attributes(before as never);
        const is = after && member.attributes(after as never);
        if (was === is) return NO_CHANGE;
        return access.changeMember(member.space, slot, record.id, was, is);
      },
    });
  }
  if (policy !== undefined) {
    sources.push({
      kind,
      tell(access, { slot }, before, after) {
        const was = before && rolesOf(policy, before);
        const is = after && rolesOf(policy, after);
        return access.changePolicy(policy.family, slot, was, is);
      },
    });
  }
  return sources;
}

/** The roles that a record of a policy's kind holds. */
export function rolesOf(policy: NonNullable<Kind['policy']>, record: RecordBase): PolicyRoles {
  const fields = record as RecordBase & Record<string, unknown>;
  const lists = Object.fromEntries(
    Object.entries(policy.sides).map(([space, name]) => [space, fields[name ?? '']]),
  ) as PolicyRoles['lists'];
  const type = policy.type?.(record as never);
  return {
    semantic: fields['semantic'] as Semantic,
    lists,
    ...(type === undefined ? {} : { type }),
  };
}

/**
 * Ends the sessions that lost their access: in the same frame, or by follow-ups when they are many.
 */
class SessionEndings implements Settler {
  readonly #store: Store;
  readonly #access: Access;
  readonly #source: SessionSource;
  readonly #newId: () => string;
  readonly #candidates = new Set<string>();
  /**
   * Sessions that open follow-ups have still to end; unknown after a restart, then found by a scan.
   */
  #doomed: string[] | undefined;
  /** Where in `#doomed` the first stands whose row may still be there. */
  #next = 0;

  constructor({ store, access, sessions, newId }: StoreAccessOptions) {
    this.#store = store;
    this.#access = access;
    this.#source = sessions;
    this.#newId = newId;
    const table = store.table(sessions.kind);
    const further = table.isLive;
    table.isLive = (record) => this.#mayStay(record) && (further?.(record) ?? true);
    store.followUps.register(endSessionsWork, (tx, _subject, rowsMax) =>
      this.#endSlice(tx, rowsMax),
    );
  }

  begin(): void {
    this.#candidates.clear();
  }

  /**
   * Notes the sessions of the smaller side of a loss; which of them have lost access is asked
   * later.
   */
  collect({ identities, services }: AccessPairs): void {
    const { kind, byIdentity, byService, identityKind, serviceKind } = this.#source;
    const table = this.#store.table(kind);
    if (table.size === 0) return;
    const byServices = identities.all || (!services.all && services.most() < identities.most());
    const [group, members, index] = byServices
      ? ([services, this.#store.table(serviceKind), byService] as const)
      : ([identities, this.#store.table(identityKind), byIdentity] as const);
    if (group.all || group.slots().length > table.size) {
      for (const row of table.all()) this.#candidates.add(row.record.id);
      return;
    }
    for (const slot of group.slots()) {
      const id = members.at(slot)?.record.id;
      if (id === undefined) continue;
      for (const row of table.group(index).rows(id)) this.#candidates.add(row.record.id);
    }
  }

  /**
   * Notes the sessions of an identity that kept them whatever the policies said, and no longer
   * does.
   */
  exemption(row: Row, before: RecordBase, after: RecordBase): void {
    const { kind, byIdentity, isExempt } = this.#source;
    if (!isExempt(before) || isExempt(after)) return;
    for (const session of this.#store.table(kind).group(byIdentity).rows(row.record.id)) {
      this.#candidates.add(session.record.id);
    }
  }

  settle(tx: Transaction): void {
    if (this.#candidates.size === 0) return;
    const { followUps } = this.#store;
    const table = this.#store.table(this.#source.kind);
    const lost: string[] = [];
    for (const id of this.#candidates) {
      if (this.#isLost(id)) lost.push(id);
    }
    if (lost.length <= followUps.rowsMax) {
      for (const id of lost) tx.delete(table, id);
      return;
    }
    this.#doomed = [...(this.#doomed ?? []), ...lost];
    followUps.note(tx, this.#newId(), endSessionsWork, []);
  }

  #endSlice(tx: Transaction, rowsMax: number): 'more' | 'done' {
    const table = this.#store.table(this.#source.kind);
    this.#doomed ??= this.#scan(table.all());
    const doomed = this.#doomed;
    // Passed over once it is gone, not before: a slice that could not be written is tried again.
    while (this.#next < doomed.length && !this.#isLost(doomed[this.#next] ?? '')) this.#next++;
    const end = this.#next + rowsMax;
    for (const id of doomed.slice(this.#next, end)) if (this.#isLost(id)) tx.delete(table, id);
    if (end < doomed.length) return 'more';
    this.#doomed = undefined;
    this.#next = 0;
    return 'done';
  }

  /** Whether a session is there and has no right to be. */
  #isLost(id: string): boolean {
    const row = this.#store.table(this.#source.kind).peek(id);
    return row !== undefined && !this.#mayStay(row.record);
  }

  #scan(rows: Iterable<Row>): string[] {
    const found: string[] = [];
    for (const { record } of rows) if (!this.#mayStay(record)) found.push(record.id);
    return found;
  }

  #mayStay(record: RecordBase): boolean {
    const { identityKind, serviceKind } = this.#source;
    const identity = this.#store.table(identityKind).peek(this.#source.identityId(record));
    const service = this.#store.table(serviceKind).peek(this.#source.serviceId(record));
    // A missing owner is the cascade's matter.
    if (identity === undefined || service === undefined) return true;
    if (this.#source.isExempt(identity.record)) return true;
    return this.#source.type(record) === 'Dial'
      ? this.#access.mayDial(identity.slot, service.slot)
      : this.#access.mayBind(identity.slot, service.slot);
  }
}
