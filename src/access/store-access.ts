// Keeps access in step with the store: tells it of members and policies, and draws what follows
// from its answers.

import type { Kind } from '../declare/kind.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { AccessChange, MemberGroup } from './change.ts';
import { SessionEndings, type SessionEndingsOptions } from './session-endings.ts';
import type { LinkedSessions, OwnedSessions } from './suspects.ts';
import type { PolicyRoles, Semantic } from './vocabulary.ts';

/** Changes beside those of access by which sessions may lose theirs. */
export interface EndingSource {
  readonly kind: string;
  /** Sessions to look at when a record was created, changed or deleted. */
  suspects(
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): Iterable<OwnedSessions | LinkedSessions>;
}

/** What keeps access in step. */
export interface StoreAccessOptions extends SessionEndingsOptions {
  readonly kinds: readonly Kind[];
  readonly endings: readonly EndingSource[];
  /** Told of the identities whose services a committed or doomed change may have touched. */
  readonly touched: (identities: MemberGroup) => void;
}

/**
 * Observes members and policies from now on, those that are there included; answers what ends
 * sessions.
 */
export function connectAccess(options: StoreAccessOptions): SessionEndings {
  const { store, access, kinds, condition, touched } = options;
  const endings = new SessionEndings(options);
  // What recovery brings is news to nobody.
  let isConnected = false;
  const changed = (change: AccessChange) => {
    if (!isConnected) return;
    if (change.lost.length === 0 && change.gained.length === 0) return;
    for (const pairs of change.lost) endings.suspect(pairs);
    // Who is exempt while no policy says anything is not any more.
    if (condition.isUsed) for (const pairs of change.gained) endings.suspect(pairs);
    touched(change.identities());
  };
  for (const { kind, member, policy } of kinds) {
    if (member !== undefined) {
      store.table(kind).observe((row, before, after) => {
        const was = before && member.attributes(before as never);
        const is = after && member.attributes(after as never);
        if (was === is) return;
        changed(access.changeMember(member.space, row.slot, row.record.id, was, is));
      });
    }
    if (policy !== undefined) {
      store.table(kind).observe((row, before, after) => {
        const was = before && rolesOf(policy, before);
        const is = after && rolesOf(policy, after);
        changed(access.changePolicy(policy.family, row.slot, was, is));
      });
    }
  }
  for (const { kind, suspects } of options.endings) {
    store.table(kind).observe((row, before, after) => {
      if (!isConnected) return;
      for (const sessions of suspects(row, before, after)) endings.suspect(sessions);
    });
  }
  isConnected = true;
  return endings;
}

function rolesOf(policy: NonNullable<Kind['policy']>, record: RecordBase): PolicyRoles {
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
