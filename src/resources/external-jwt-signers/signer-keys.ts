// Fetches and drops the keys of external JWT signers when their records change.

import { isCandidate } from '../../auth/external-jwt/candidates.ts';
import type { SignerKeys } from '../../auth/external-jwt/jwks-endpoints.ts';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../../records/external-jwt-signer.ts';
import type { Store } from '../../store/store.ts';
import { isOf } from '../../store/transaction.ts';

/**
 * Fetches keys when a signer that counts is created or changed, and drops them with the signer
 * (behaviour/external-jwt#keys). A node that follows fetches none: it verifies no tokens.
 */
export function followSigners(store: Store, keys: SignerKeys): void {
  store.follow(({ changes }) => {
    for (const change of changes) {
      if (!isOf(change, externalJwtSignerKind)) continue;
      if (change.after === undefined) keys.forget(change.row.record.id);
      else if (store.isAttached) warm(keys, change.after);
    }
  });
}

/**
 * Fetches the keys of all signers that count at a start, so that tokens of live sessions are not
 * refused only because no request has needed the keys yet.
 */
export function warmSigners(store: Store, keys: SignerKeys): void {
  const table = store.table(externalJwtSignerKind);
  for (const { record } of table.rows()) warm(keys, record);
}

function warm(keys: SignerKeys, signer: ExternalJwtSignerRecord): void {
  if (isCandidate(signer)) keys.warm(signer);
}
