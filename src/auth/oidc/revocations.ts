// Looks up revoked tokens, and revokes (behaviour/revocations).

import type { Environment } from '../../declare/operations/environment.ts';
import { type RevocationRecord, revocationKind } from '../../records/revocation.ts';
import type { Config } from '../../settings/config.ts';
import type { Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';

/** Whether one token was revoked: its session may go on with others. */
export function isRevoked(store: Store, { jti }: { readonly jti: string }): boolean {
  return store.table(revocationKind).find(jti)?.record.type === 'JTI';
}

/** How long a revocation has to stand: as long as any token may live, in ms. */
export function revocationLifetimeMs({ oidc }: Pick<Config, 'oidc'>): number {
  const { accessTokenMinutes, refreshTokenMinutes, idTokenMinutes } = oidc;
  return Math.ceil(Math.max(accessTokenMinutes, refreshTokenMinutes, idTokenMinutes) * 60_000);
}

/** Revokes, or renews a revocation. What it concerns is ended by the caller. */
export function revoke(
  {
    env,
    tx,
    now,
  }: {
    readonly env: Pick<Environment, 'send' | 'config'>;
    readonly tx: Transaction;
    readonly now: number;
  },
  type: RevocationRecord['type'],
  id: string,
  expiresAt = now + revocationLifetimeMs(env.config),
): void {
  const fields = {
    tags: {},
    type,
    expiresAt,
    issuedBefore: type === 'IDENTITY' ? now : undefined,
  };
  env.send(tx, revocationKind.kind, id, { type: 'revoke', now, fields });
}
