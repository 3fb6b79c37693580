// The records of a new home in memory, as its first start will load them.

import type { Lsn, StoredRecord } from '../../../snapshots/journal.ts';
import { Cascades } from '../../declare/kinds/cascades.ts';
import { RecordChecks, type RecordFinding } from '../../integrity/record-checks.ts';
import type { Clock } from '../../platform/ports.ts';
import { detachedStore } from '../../resources/detached-store.ts';
import { kinds } from '../../resources/index.ts';
import type { Store } from '../../store/store.ts';
import type { ConvertedRecord } from '../convert/conversion.ts';

/** The LSN of all records of a new home, as if one frame had written them. */
export const firstLsn: Lsn = 1;

/** Takes the records of a home one by one, until they are handed out. */
export class NewRecords {
  #store: Store | undefined;
  #count = 0;

  constructor(clock: Clock) {
    this.#store = detachedStore(clock);
  }

  /** The store that holds them. @throws Error after `load` */
  get store(): Store {
    if (this.#store === undefined) throw new Error('the records were handed out already');
    return this.#store;
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /**
   * Takes a record in the form that it has after a restart.
   * @throws Error for a second record of an id, which is a mistake of the conversion
   */
  add({ kind, record }: ConvertedRecord): void {
    const table = this.store.tableNamed(kind);
    if (table.peek(record.id) !== undefined) {
      throw new Error(`${kind} ${record.id} was converted twice`);
    }
    const { codec } = table;
    table.load(codec.decode(record.id, codec.version, codec.encode(record)), firstLsn);
    this.#count += 1;
  }

  /**
   * Hands out each record once, as it is stored, and lets go of them: the home is checked next,
   * which needs as much memory again.
   */
  load(take: (record: StoredRecord) => void): void {
    const tables = this.store.durableTables();
    this.#store = undefined;
    for (const table of tables) {
      const { kind, codec } = table;
      for (const { id, record, lsn } of table.all()) {
        take({ kind, id, lsn, version: codec.version, values: table.encode(record) });
      }
    }
  }

  /** The rules that records break, as `edge-control check` looks for them. */
  *findings(): Generator<RecordFinding> {
    const { store } = this;
    // Both sides know which records readers no longer see.
    new Cascades({ kinds, store, newId: () => '', remover: () => undefined });
    const checks = new RecordChecks(kinds, store);
    for (const table of store.tables()) {
      for (const row of table.all()) yield* checks.of(table.kind, row);
    }
  }
}
