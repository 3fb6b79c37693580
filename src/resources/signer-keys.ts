// Keys of external JWT signers are fetched and forgotten with the records of the signers.

import type { SignerKeys } from '../auth/external-jwt-keys.ts';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../records/external-jwt-signer.ts';
import type { Store } from '../store/store.ts';

/**
 * Has keys fetched when a signer was made or changed, and lets go of them with the signer
 * (behaviour/external-jwt#keys).
 */
export function followSigners(store: Store, keys: SignerKeys): void {
  store.follow(({ changes }) => {
    for (const { table, row, after } of changes) {
      if (table.kind !== externalJwtSignerKind.kind) continue;
      if (after === undefined) keys.forget(row.record.id);
      else warm(keys, after as ExternalJwtSignerRecord);
    }
  });
}

/**
 * Fetches the keys of all signers that are there at a start: what live sessions show with every
 * request is not to be refused only because nobody has asked yet.
 */
export function warmSigners(store: Store, keys: SignerKeys): void {
  const table = store.table(externalJwtSignerKind);
  for (const { record } of table.rows()) warm(keys, record);
}

function warm(keys: SignerKeys, signer: ExternalJwtSignerRecord): void {
  if (signer.enabled) keys.warm(signer);
}
