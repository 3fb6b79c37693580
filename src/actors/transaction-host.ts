// Presents a transaction to the machine runtime.

import type { RecordBase } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { MachineHost } from './runtime.ts';

/** The host of the events that are sent within `tx`. */
export function transactionHost(store: Store, tx: Transaction): MachineHost {
  return {
    get: (kind, id) => store.tableNamed(kind).peek(id)?.record as ReturnType<MachineHost['get']>,
    put: (kind, record) => void tx.put(store.tableNamed(kind), record as RecordBase),
    delete: (kind, id) => tx.delete(store.tableNamed(kind), id),
    logEvent: (event) => tx.logEvent(event),
  };
}
