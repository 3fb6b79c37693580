// The stored CAs in the form in which `ClientChains` uses them.

import type { ClientCas } from '../../auth/certificates/client-chain.ts';
import type { ClientCa } from '../../auth/certificates/issuing-cas.ts';
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

/** All CAs that count. */
export function trustedCas(store: Store): ClientCa[] {
  const rows = [...store.table(caKind).rows()];
  return rows.map(({ record }) => clientCa(record)).filter((ca) => ca.isTrusted);
}

/** Whether certificates of a CA log in. */
export function admitsLogins(ca: CaRecord): boolean {
  return isTrusted(ca) && ca.isAuthEnabled;
}

/** One CA, for `ClientChains.caOf`. */
export function clientCa(ca: CaRecord): ClientCa {
  const { id, certPem, isAuthEnabled } = ca;
  return { id, certPem, isAuthEnabled, isTrusted: isTrusted(ca) };
}

/**
 * Whether a CA counts for logins and enrollments: it is verified and not unconfirmed
 * (behaviour/cas#unverified-cas, behaviour/permissions#unconfirmed).
 */
export function isTrusted({ state, isUnconfirmed }: CaRecord): boolean {
  return state === 'verified' && isUnconfirmed !== true;
}
