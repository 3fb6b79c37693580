// The stored CAs in the form that the judge of client certificates uses.

import type { ClientCas } from '../../auth/client-chain.ts';
import type { ClientCa } from '../../auth/client-vouchers.ts';
import { type CaRecord, caKind } from '../../records/ca.ts';
import type { Store } from '../../store/store.ts';

/** All CAs of a store. The revision changes with every change of one, even if it is rolled back. */
export function clientCas(store: Store): ClientCas {
  const table = store.table(caKind);
  let revision = 0;
  table.observe(() => {
    revision += 1;
  });
  return {
    get revision() {
      // Verdicts depend on the present CAs, including cached verdicts that read no table again.
      store.fence.note(table.lastLsn);
      return revision;
    },
    *all() {
      for (const { record } of table.rows()) yield clientCa(record);
    },
  };
}

/** All CAs whose ownership was proven; unverified ones are ignored (behaviour/cas). */
export function verifiedCas(store: Store): ClientCa[] {
  const rows = [...store.table(caKind).rows()];
  return rows.map(({ record }) => clientCa(record)).filter(({ isVerified }) => isVerified);
}

/** One CA, for `ClientChains.caOf`. */
export function clientCa({ id, certPem, isAuthEnabled, state }: CaRecord): ClientCa {
  return { id, certPem, isAuthEnabled, isVerified: state === 'verified' };
}
