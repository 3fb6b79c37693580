// Every kind of record that a home may hold, for commands that read a home without a controller.

import type { Clock } from '../platform/ports.ts';
import { Store } from '../store/store.ts';
import { kinds } from './index.ts';

/** A store without a journal. It takes recovered records and is never written. */
export function detachedStore(clock: Clock): Store {
  return new Store({
    clock,
    tables: kinds.map(({ table }) => table),
    freeze: false,
    cascadeRowsMax: 1,
    fatal: (error) => {
      throw error;
    },
  });
}
