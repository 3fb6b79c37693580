// The stored CAs as the judge of client certificates sees them.

import type { ClientCas } from '../auth/client-chain.ts';
import type { ClientCa } from '../auth/client-vouchers.ts';
import type { CaRecord } from '../records/ca.ts';
import { caKind } from '../records/ca.ts';
import type { Store } from '../store/store.ts';

/** All CAs of a store. The revision moves with every change of one, taken back or not. */
export function clientCas(store: Store): ClientCas {
  const table = store.table(caKind);
  let revision = 0;
  table.observe(() => {
    revision += 1;
  });
  return {
    get revision() {
      // Verdicts rest on the CAs as they are, also those that no table is asked for again.
      store.fence.note(table.lastLsn);
      return revision;
    },
    *all() {
      for (const { record } of table.rows()) yield clientCa(record);
    },
  };
}

/** All CAs whose control was proven; unverified ones count for nothing (behaviour/cas). */
export function verifiedCas(store: Store): ClientCa[] {
  const rows = [...store.table(caKind).rows()];
  return rows.map(({ record }) => clientCa(record)).filter(({ isVerified }) => isVerified);
}

/** One CA, for `ClientChains.caOf`. */
export function clientCa({ id, certPem, isAuthEnabled, state }: CaRecord): ClientCa {
  return { id, certPem, isAuthEnabled, isVerified: state === 'verified' };
}
