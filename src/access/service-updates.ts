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
 * From now on, stamps the identities that the sources name, with each commit. Deleted identities
 * lose their stamps.
 */
export function followUpdates(options: {
  readonly store: Store;
  readonly changeStamps: ChangeStamps;
  readonly now: () => number;
  readonly identityKind: string;
  readonly sources: readonly UpdateSource[];
}): void {
  const { store, changeStamps, now, identityKind } = options;
  const sources = new Map(options.sources.map((source) => [source.kind.kind, source]));
  store.follow(({ changes, timeMs }) => {
    // If the clock went back, a session with a later creation time is still shown that time.
    changeStamps.advance(timeMs);
    for (const { table, row, before, after } of changes) {
      // A node that follows stamps everyone when it leads.
      const source = store.isAttached ? sources.get(table.kind) : undefined;
      for (const identities of source?.identities(row, before, after) ?? []) {
        if (typeof identities === 'number') changeStamps.stampMember(identities, now());
        else changeStamps.stamp(identities, now());
      }
      if (table.kind === identityKind && after === undefined) changeStamps.forget(row.slot);
    }
  });
}
