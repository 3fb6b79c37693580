// The API sessions that routers may have to know, grouped by the policies of their identities.

import { KeyMap } from '../../containers/key-map.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { identityKind } from '../../records/identity.ts';
import type { RoutersEnvironment } from '../context.ts';
import { GroupsByPolicy, keyOf, type PolicyGroup, policiesOf } from './by-policy.ts';
import { type ApiSessionRow, SessionChunks } from './session-chunks.ts';

/** API sessions whose identities the same edge router policies select. */
export class SessionGroup implements PolicyGroup {
  readonly policies: readonly string[];
  readonly key: string;
  readonly sessions = new SessionChunks();
  /** How many identities have API sessions here. */
  identities = 0;

  constructor(policies: readonly string[], key: string) {
    this.policies = policies;
    this.key = key;
  }
}

/** An identity that has API sessions here. */
interface KnownIdentity {
  group: SessionGroup;
  sessions: number;
}

/** API sessions that have gone from one group to another. */
export interface MovedSessions {
  readonly from: SessionGroup;
  readonly to: SessionGroup;
  readonly rows: ApiSessionRow[];
}

/** Remembers groups by the class of members, until access changes. */
export type GroupMemo = Map<object, SessionGroup>;

/** All fully authenticated API sessions, each in the group of its identity. */
export class SessionGroups {
  readonly #env: Pick<RoutersEnvironment, 'store' | 'access'>;
  readonly #groups = new GroupsByPolicy<SessionGroup>();
  /** By id. */
  readonly #identities = new KeyMap<KnownIdentity>();

  constructor(env: Pick<RoutersEnvironment, 'store' | 'access'>) {
    this.#env = env;
  }

  /** The groups that have one of these policies. */
  under(policies: readonly string[]): Set<SessionGroup> {
    return this.#groups.under(policies);
  }

  /** The group of an identity that has API sessions here. */
  groupOf(identityId: string): SessionGroup | undefined {
    return this.#identities.get(identityId)?.group;
  }

  /**
   * Adds an API session to the group of its identity. Nothing happens if it is there, or the
   * identity does not exist any more.
   * @returns the group it was added to
   */
  add(row: ApiSessionRow, memo?: GroupMemo): SessionGroup | undefined {
    const { identityId } = row.record;
    let known = this.#identities.get(identityId);
    if (known === undefined) {
      const slot = this.#env.store.table(identityKind).peek(identityId)?.slot;
      if (slot === undefined) return undefined;
      known = { group: this.#groupOfSlot(slot, memo), sessions: 0 };
      known.group.identities += 1;
      this.#identities.set(identityId, known);
    }
    if (!known.group.sessions.add(row)) return undefined;
    known.sessions += 1;
    return known.group;
  }

  /** Removes an API session. @returns the group that it was in */
  delete(row: ApiSessionRow, identityId: string): SessionGroup | undefined {
    const known = this.#identities.get(identityId);
    if (known === undefined || !known.group.sessions.delete(row)) return undefined;
    known.sessions -= 1;
    if (known.sessions === 0) {
      this.#identities.delete(identityId);
      this.#leave(known.group);
    }
    return known.group;
  }

  /**
   * Moves the API sessions of an identity to the group of its present policies.
   * @returns undefined where they are in the right one
   */
  move(identityId: string, memo?: GroupMemo): MovedSessions | undefined {
    const known = this.#identities.get(identityId);
    const slot = this.#env.store.table(identityKind).peek(identityId)?.slot;
    if (known === undefined || slot === undefined) return undefined;
    const from = known.group;
    const to = this.#groupOfSlot(slot, memo);
    if (from === to) return undefined;
    const rows: ApiSessionRow[] = [];
    for (const row of this.#env.store.table(apiSessionKind).group('identityId').rows(identityId)) {
      if (!from.sessions.delete(row)) continue;
      to.sessions.add(row);
      rows.push(row);
    }
    known.group = to;
    to.identities += 1;
    this.#leave(from);
    return { from, to, rows };
  }

  /** Forgets all encoded messages. */
  forgetBodies(): void {
    for (const { sessions } of this.#groups.all()) sessions.forgetBodies();
  }

  #leave(group: SessionGroup): void {
    group.identities -= 1;
    if (group.identities === 0) this.#groups.delete(group);
  }

  #groupOfSlot(slot: number, memo: GroupMemo | undefined): SessionGroup {
    const members = memo && this.#env.access.classOf('identity', slot);
    const remembered = members && memo?.get(members);
    // A group that has lost its last identity is not found any more.
    if (remembered !== undefined && remembered.identities > 0) return remembered;
    const policies = policiesOf(this.#env, 'identity', slot);
    const key = keyOf(policies);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = new SessionGroup(policies, key);
      this.#groups.add(group);
    }
    if (members !== undefined) memo?.set(members, group);
    return group;
  }
}
