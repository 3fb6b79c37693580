// Which identities must look at their services again for other reasons than access
// (behaviour/api-sessions#service-updates).

import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { MemberGroup } from './change.ts';
import type { ChangeStamps } from './change-stamps.ts';

/** Which identities' view of their services a change to one record of a kind may alter. */
export interface UpdateSource {
  readonly kind: string;
  /** Groups of identities, or slots of single ones. */
  identities(
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): Iterable<MemberGroup | number>;
}

/**
 * Stamps the identities that the sources name, with each commit from now on. Deleted identities
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
  const sources = new Map(options.sources.map((source) => [source.kind, source]));
  store.follow(({ changes, timeMs }) => {
    // A session that was made later than the clock says now is shown the time of its making.
    changeStamps.advance(timeMs);
    for (const { table, row, before, after } of changes) {
      for (const identities of sources.get(table.kind)?.identities(row, before, after) ?? []) {
        if (typeof identities === 'number') changeStamps.stampMember(identities, now());
        else changeStamps.stamp(identities, now());
      }
      if (table.kind === identityKind && after === undefined) changeStamps.forget(row.slot);
    }
  });
}
