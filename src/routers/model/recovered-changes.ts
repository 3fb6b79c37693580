// The changes of the model that the log of a home holds, found while the home is recovered: a start
// after a crash knows what routers may have missed.

import type { StoredRecord } from '../../../snapshots/journal.ts';
import { routerModelKind } from '../../records/router-model.ts';
import type { Store } from '../../store/store.ts';
import type { ModelChange } from './change-log.ts';

/** Changes that are kept, twice as many as the change log has. @bound per controller */
const recoveredMax = 20_000;

/** Changes without a gap up to the present index. */
export interface RecoveredModel {
  /** Oldest first. */
  readonly changes: readonly ModelChange[];
  /** The index before them. */
  readonly base: number;
}

/** Takes the versions of the model's record. */
export class RecoveredChanges {
  readonly kind = routerModelKind.kind;
  #versions: StoredRecord[] = [];
  /** The newest index of those that were dropped. */
  #dropped = 0;

  /** As `RecordHistory.take`. */
  take(record: StoredRecord): void {
    this.#versions.push(record);
    if (this.#versions.length <= recoveredMax) return;
    this.#versions = this.#versions.slice(recoveredMax / 2);
    // The first of the others only tells where they begin.
    this.#dropped = this.#versions[0]?.lsn ?? 0;
  }

  /** The changes after a snapshot; they are forgotten here. */
  changesOf(store: Store, snapshotLsn: number): RecoveredModel {
    const { codec } = store.table(routerModelKind);
    const inSnapshot = this.#versions.findLast(({ lsn }) => lsn <= snapshotLsn)?.lsn ?? 0;
    const base = Math.max(inSnapshot, this.#dropped);
    const changes = this.#versions
      .filter(({ lsn }) => lsn > base)
      .map(({ id, lsn, version, values }) => ({
        index: lsn,
        touches: codec.decode(id, version, values),
      }));
    this.#versions = [];
    return { changes, base };
  }
}
