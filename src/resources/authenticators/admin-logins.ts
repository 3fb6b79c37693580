// Checks whether any administrator can still log in, before a change removes the last way.

import { X509Certificate } from 'node:crypto';
import { isDisabled } from '../../auth/callers.ts';
import { isWithinDates } from '../../auth/certificates/client-chain.ts';
import { isCandidate } from '../../auth/external-jwt/candidates.ts';
import { countsFor } from '../../auth/privileged-identities.ts';
import { ApiError } from '../../errors/errors.ts';
import { type AuthPolicyRecord, authPolicyKind } from '../../records/auth-policy.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import { caKind } from '../../records/ca.ts';
import { externalJwtSignerKind } from '../../records/external-jwt-signer.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import type { Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import { admitsLogins } from '../cas/client-cas.ts';
import type { Context } from '../context.ts';

/** The rows of all administrators. */
export function administratorsOf(store: Store): Iterable<Row<IdentityRecord>> {
  return store.table(identityKind).members('isAdmin', 'true');
}

/** The records that are about to be removed and no longer count. */
export interface Going {
  readonly identityId?: string;
  readonly authenticatorId?: string;
  readonly signerId?: string;
  readonly caId?: string;
}

type Looking = Pick<Context, 'env' | 'now'>;

/**
 * Examines the administrators one by one until one of them has a way to log in, by the records of
 * this transaction. A second factor that can still be enrolled counts as present.
 * @throws ApiError NO_ADMIN_LOGIN_LEFT if there is none; the transaction is then undone.
 */
export function refuseIfNoAdminLogin(context: Looking, going: Going = {}): void {
  for (const { record } of administratorsOf(context.env.store)) {
    if (record.id !== going.identityId && canLogIn(context, record, going)) return;
  }
  throw new ApiError('NO_ADMIN_LOGIN_LEFT');
}

/**
 * Like `refuseIfNoAdminLogin`, after a change of a policy: a policy of no administrator removes
 * nothing.
 */
export function refuseIfPolicyBarsAdmins(context: Looking, policyId: string): void {
  for (const { record } of administratorsOf(context.env.store)) {
    if (record.authPolicyId !== policyId) continue;
    refuseIfNoAdminLogin(context);
    return;
  }
}

function canLogIn(context: Looking, identity: IdentityRecord, going: Going): boolean {
  // An administrator who is disabled for a limited time becomes enabled again.
  if (isDisabled(identity, context.now) && identity.disabledUntil === undefined) return false;
  const policies = context.env.store.table(authPolicyKind);
  const policy = policies.find(identity.authPolicyId)?.record;
  if (policy === undefined || !countsFor(policy, identity)) return false;
  const { primary, secondary } = policy;
  const { requireExtJwtSigner } = secondary;
  if (requireExtJwtSigner !== undefined && !vouches(context, requireExtJwtSigner, identity)) {
    return false;
  }
  return (
    hasAuthenticator(context, identity, primary, going) ||
    hasClaim(context, identity, primary, going) ||
    hasSigner(context, identity, primary, going)
  );
}

type Primary = AuthPolicyRecord['primary'];

function hasAuthenticator(
  { env, now }: Looking,
  identity: IdentityRecord,
  { updb, cert }: Primary,
  going: Going,
): boolean {
  const table = env.store.table(authenticatorKind);
  for (const { record } of table.members('identityId', identity.id)) {
    if (record.id === going.authenticatorId) continue;
    if (record.method === 'updb' && updb.allowed) return true;
    if (record.method !== 'cert' || !cert.allowed) continue;
    const ca = env.store.table(caKind).find(record.caId ?? '')?.record;
    if (ca !== undefined && (!admitsLogins(ca) || ca.id === going.caId)) continue;
    if (cert.allowExpiredCerts || isCurrent(record.certPem, now)) return true;
  }
  return false;
}

/** Some certificates are known only by fingerprint; they are assumed to be current. */
function isCurrent(certPem: string | undefined, now: number): boolean {
  if (certPem === undefined) return true;
  const { validFrom, validTo } = new X509Certificate(certPem);
  return isWithinDates({ validFromMs: Date.parse(validFrom), validToMs: Date.parse(validTo) }, now);
}

/** Whether certificates of some CA may name the identity by its external id. */
function hasClaim(
  { env }: Looking,
  identity: IdentityRecord,
  { cert }: Primary,
  { caId }: Going,
): boolean {
  if (!cert.allowed || identity.externalId === undefined) return false;
  for (const { record } of env.store.table(caKind).all()) {
    const isClaimed = record.externalIdClaim !== undefined && admitsLogins(record);
    if (isClaimed && record.id !== caId) return true;
  }
  return false;
}

function hasSigner(
  context: Looking,
  identity: IdentityRecord,
  { extJwt }: Primary,
  { signerId }: Going,
): boolean {
  if (!extJwt.allowed) return false;
  const { allowedSigners } = extJwt;
  // A signer that a policy names cannot be removed.
  if (allowedSigners.length > 0) return allowedSigners.some((id) => vouches(context, id, identity));
  for (const { id } of context.env.store.table(externalJwtSignerKind).all()) {
    if (id !== signerId && vouches(context, id, identity)) return true;
  }
  return false;
}

/** Whether tokens of a signer can name the identity. */
function vouches({ env }: Looking, signerId: string, identity: IdentityRecord): boolean {
  const signers = env.store.table(externalJwtSignerKind);
  const signer = signers.find(signerId)?.record;
  if (signer === undefined || !isCandidate(signer)) return false;
  return !signer.useExternalId || identity.externalId !== undefined;
}
