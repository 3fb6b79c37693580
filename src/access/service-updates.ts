// Finds the identities that must read their services again for reasons other than access
// (behaviour/api-sessions#service-updates).

import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { StoredKind } from '../store/table.ts';
import type { MemberGroup } from './change.ts';
import type { ChangeStamps } from './change-stamps.ts';

/** Names the identities whose view of their services may change with one record of a kind. */
export interface UpdateSource<R extends RecordBase = RecordBase> {
  readonly kind: StoredKind<R>;
  /** Groups of identities, or slots of single ones. */
  identities(
    row: Row<R>,
    before: R | undefined,
    after: R | undefined,
  ): Iterable<MemberGroup | number>;
}

/** A source whose function takes the records of its kind. */
export function updateSource<R extends RecordBase>(source: UpdateSource<R>): UpdateSource {
  return source;
}

/**
 * From now on, stamps the identities that the sources name, and those that were noted, with the
 * time of each commit. Deleted identities lose their stamps. A node that follows gives the same
 * stamps as its leader (behaviour/cluster#applying).
 */
export function followUpdates(options: {
  readonly store: Store;
  readonly changeStamps: ChangeStamps;
  readonly identityKind: string;
  readonly sources: readonly UpdateSource[];
}): void {
  const { store, changeStamps, identityKind } = options;
  const sources = new Map(options.sources.map((source) => [source.kind.kind, source]));
  // A transaction that was undone has changed nothing for the members that it noted.
  store.beforeCommit({ begin: () => changeStamps.drop(), write: () => undefined });
  store.follow(({ changes, timeMs }) => {
    // If the clock went back, a session with a later creation time is still shown that time.
    changeStamps.advance(timeMs);
    for (const { table, row, before, after } of changes) {
      for (const identities of sources.get(table.kind)?.identities(row, before, after) ?? []) {
        if (typeof identities === 'number') changeStamps.noteMember(identities);
        else changeStamps.note(identities);
      }
    }
    changeStamps.commit(timeMs);
    for (const { table, row, after } of changes) {
      if (table.kind === identityKind && after === undefined) changeStamps.forget(row.slot);
    }
  });
}
