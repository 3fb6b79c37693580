// Every kind of record that a home may hold, for commands that read a home without a controller.

import { Access } from '../access/access.ts';
import { connectAccess, storedIds } from '../access/store-access.ts';
import type { Clock } from '../platform/ports.ts';
import { Store } from '../store/store.ts';
import { kinds } from './index.ts';
import { sessionSource } from './sessions/session-sources.ts';

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

/** The access that the records of such a store give. It is told of everything that it holds. */
export function detachedAccess(store: Store, clock: Clock): Access {
  const access = new Access({ ids: storedIds(store, kinds) });
  connectAccess({
    store,
    access,
    kinds,
    sessions: sessionSource,
    // Records that have expired since then are not a fault.
    condition: { isUsed: false, isMet: () => true },
    endings: [],
    evaluatedMax: 0,
    evaluatedMs: 0,
    clock,
    affected: () => undefined,
    renewed: () => undefined,
    newId: () => '',
  });
  return access;
}
