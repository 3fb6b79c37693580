// Keeps access in step with the store: tells it of members and policies, and acts on its answers.

import type { MemberSpace, PolicyRoles, Semantic } from '../declare/kinds/access-vocabulary.ts';
import type { Kind } from '../declare/kinds/kind.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { StoredKind } from '../store/table.ts';
import { Access, type AccessOptions } from './access.ts';
import { type AccessChange, type MemberGroup, noChange } from './change.ts';
import type { LinkedSessions, OwnedSessions } from './endangered-sessions.ts';
import type { SlotOf } from './members.ts';
import { SessionEndings, type SessionEndingsOptions } from './session-endings.ts';

/** Changes other than those of access by which sessions may lose their access. */
export interface EndingSource<R extends RecordBase = RecordBase> {
  readonly kind: StoredKind<R>;
  /** Sessions to evaluate when a record was created, changed or deleted. */
  endangered(
    row: Row<R>,
    before: R | undefined,
    after: R | undefined,
  ): Iterable<OwnedSessions | LinkedSessions>;
}

/** A source whose function takes the records of its kind. */
export function endingSource<R extends RecordBase>(source: EndingSource<R>): EndingSource {
  return source;
}

/** What the connection between store and access works with. */
export interface StoreAccessOptions extends SessionEndingsOptions {
  readonly kinds: readonly Kind[];
  readonly endings: readonly EndingSource[];
  /**
   * Told of the identities whose services a change may have affected, whether it commits or not.
   */
  readonly affected: (identities: MemberGroup) => void;
  /** Told when access was rebuilt, before it is used. */
  readonly renewed: () => void;
}

/** Access that is kept in step with the store. */
export interface ConnectedAccess {
  /** Ends the sessions that lose their access. */
  readonly endings: SessionEndings;
  /**
   * Builds access from the records, some per step, beside the present one. It is kept in step with
   * the store for as long as `use` takes.
   */
  beside<T>(
    options: AccessOptions,
    use: (fresh: Access) => Iterable<undefined, T>,
  ): Generator<undefined, T>;
  /** Rebuilds access in the same way, and replaces the present one with the result. */
  rebuild(options: AccessOptions, now: () => number): Generator<undefined>;
}

/** The ids of members as the store knows them, for `Access`. */
export function storedIds(store: Store, kinds: readonly Kind[]): (space: MemberSpace) => SlotOf {
  return (space) => {
    const table = kinds
      .filter(({ member }) => member?.space === space)
      .map(({ kind }) => store.tableNamed(kind))[0];
    return (id) => table?.peek(id)?.slot;
  };
}

/**
 * Observes members and policies from now on, including those that exist already. The store must not
 * be attached yet: what it holds until then is no change.
 */
export function connectAccess(options: StoreAccessOptions): ConnectedAccess {
  const { store, access, kinds, condition, affected } = options;
  const endings = new SessionEndings(options);
  const changed = (change: AccessChange) => {
    // Recovered records are not a change.
    if (!store.isRecovered) return;
    if (change.lost.length === 0 && change.gained.length === 0) return;
    affected(change.identities());
    // The endings of sessions are in the frames of the leader.
    if (!store.isAttached) return;
    for (const pairs of change.lost) endings.endanger(pairs);
    // Identities that are exempt while no policy covers them are so no longer.
    if (condition.isUsed && change.gained.length > 0) {
      endings.endanger({ kind: options.sessions.identityKind, owners: [...exempt] });
    }
  };
  /** Slots of the identities that keep sessions which no policy covers; there are few. */
  const exempt = new Set<number>();
  store.tableNamed(options.sessions.identityKind).observe(({ slot }, _, after) => {
    if (after !== undefined && options.sessions.isExempt(after)) exempt.add(slot);
    else exempt.delete(slot);
  });
  const sources = kinds.flatMap(sourcesOf);
  for (const { kind, tell } of sources) {
    store
      .tableNamed(kind)
      .observe((row, before, after) => changed(tell(access, row, before, after)));
  }
  for (const { kind, endangered } of options.endings) {
    store.table(kind).observe((row, before, after) => {
      if (!store.isAttached) return;
      for (const sessions of endangered(row, before, after)) endings.endanger(sessions);
    });
  }
  return {
    endings,
    beside: (made, use) => beside(store, sources, made, use),
    *rebuild(made, now) {
      yield* beside(store, sources, made, (fresh) => {
        access.become(fresh, now());
        options.renewed();
        return [];
      });
      // Sessions that relied on the wrong answers must not go on.
      const cause = { actor: 'controller', requestId: '', operation: 'renewAccess' };
      store.transact(cause, () => endings.endangerAll());
    },
  };
}

/** How the records of one kind are told to access: as members, or as policies. */
interface AccessSource {
  readonly kind: string;
  /** Tells of one record; before and after as `Table.observe` has them. */
  tell(
    access: Access,
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): AccessChange;
}

/** As `ConnectedAccess.beside`. @throws whatever a record throws that access cannot be told of */
function* beside<T>(
  store: Store,
  sources: readonly AccessSource[],
  made: AccessOptions,
  use: (fresh: Access) => Iterable<undefined, T>,
): Generator<undefined, T> {
  const fresh = new Access(made);
  let problem: { readonly error: unknown } | undefined;
  const followed = sources.map(({ kind, tell }) => ({
    table: store.tableNamed(kind),
    change(row: Row, before: RecordBase | undefined, after: RecordBase | undefined) {
      try {
        tell(fresh, row, before, after);
      } catch (error) {
        // The write that it is told of succeeds all the same.
        problem ??= { error };
      }
    },
  }));
  try {
    for (const one of followed) yield* one.table.follow(one);
    if (problem !== undefined) throw problem.error;
    return yield* use(fresh);
  } finally {
    for (const one of followed) one.table.unfollow(one);
  }
}

function sourcesOf({ kind, member, policy }: Kind): AccessSource[] {
  const sources: AccessSource[] = [];
  if (member !== undefined) {
    sources.push({
      kind,
      tell(access, { slot, id }, before, after) {
        const was = before && member.attributes(before);
        const is = after && member.attributes(after);
        if (was === is) return noChange;
        return access.changeMember(member.space, slot, id, was, is);
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
function rolesOf(policy: NonNullable<Kind['policy']>, record: RecordBase): PolicyRoles {
  const fields: Readonly<Record<string, unknown>> = record;
  const lists = Object.fromEntries(
    Object.entries(policy.sides).map(([space, name]) => [space, fields[name ?? '']]),
  ) as PolicyRoles['lists'];
  const type = policy.type?.(record);
  return {
    semantic: fields['semantic'] as Semantic,
    lists,
    ...(type === undefined ? {} : { type }),
  };
}
