// Finds the administrators among all identities.

import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import type { Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';

/** The rows of all administrators. */
export function administratorsOf(store: Store): Iterable<Row<IdentityRecord>> {
  return store.table(identityKind).members('isAdmin', 'true');
}
