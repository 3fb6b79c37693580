// Guards the records that decide who may log in against callers who could gain rights by them: auth
// policies, external JWT signers, CAs (behaviour/permissions#unconfirmed).

import { isDeepStrictEqual } from 'node:util';
import { type LoginRule, privilegedIdentities } from '../../auth/privileged-identities.ts';
import { credentialOfSigner } from '../../auth/sessions/credential-endings.ts';
import type { Draft } from '../../declare/resources/resource.ts';
import { notPermitted } from '../../errors/errors.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { authPolicyKind } from '../../records/auth-policy.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import { type CaRecord, caKind } from '../../records/ca.ts';
import { enrollmentKind } from '../../records/enrollment.ts';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../../records/external-jwt-signer.ts';
import type { IdentityRecord } from '../../records/identity.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { Context } from '../context.ts';

/** Whether an administrator or permission holder relies on a record to log in. */
export type Relied<R> = (store: Store, record: R, identity: IdentityRecord) => boolean;

/**
 * For the `check` of such a record: notes whether an administrator has the last word on it.
 * @param stored undefined at its creation
 * @param switches of signers and CAs: flags that let fewer in when they are false. Other callers
 *   may always clear them, and set labels. Without them every change counts.
 * @throws ApiError 401 for another caller while a privileged identity relies on it.
 */
export function checkLoginRule<R extends LoginRule & RecordBase>(
  context: Context,
  draft: Draft<R>,
  stored: R | undefined,
  relied: Relied<R>,
  switches?: readonly (keyof R & string)[],
): void {
  if (stored !== undefined && !context.caller.isAdmin) {
    if (switches !== undefined && admitsNoMore(stored, draft, switches)) return;
    refuseIfReliedOn(context, stored, relied);
  }
  draft.isUnconfirmed = context.caller.isAdmin ? undefined : true;
}

/** Whether a change sets labels alone, or lets fewer in. */
function admitsNoMore(before: object, after: object, switches: readonly string[]): boolean {
  const was = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).every(
    ([name, value]: readonly [string, unknown]) =>
      labels.has(name) ||
      (switches.includes(name) && !value) ||
      isDeepStrictEqual(value, was.get(name)),
  );
}

const labels: ReadonlySet<string> = new Set(['name', 'tags', 'updatedAt']);

/**
 * @throws ApiError 401 for a caller who is no administrator while an administrator or permission
 *   holder relies on the record.
 */
export function refuseIfReliedOn<R>(context: Context, record: R, relied: Relied<R>): void {
  if (context.caller.isAdmin) return;
  const { store } = context.env;
  for (const identity of privilegedIdentities(store)) {
    if (!relied(store, record, identity.record)) continue;
    throw notPermitted('an administrator or a holder of permissions logs in by it');
  }
}

/** Whether an identity has the auth policy. */
export const hasPolicy: Relied<{ readonly id: string }> = (_store, { id }, { authPolicyId }) =>
  authPolicyId === id;

/** Whether the auth policy of an identity admits or requires tokens of the signer. */
export const reliesOnSigner: Relied<ExternalJwtSignerRecord> = (store, signer, identity) => {
  const policy = store.table(authPolicyKind).find(identity.authPolicyId)?.record;
  if (policy === undefined) return false;
  const { allowed, allowedSigners } = policy.primary.extJwt;
  if (policy.secondary.requireExtJwtSigner === signer.id) return true;
  if (!allowed) return false;
  return allowedSigners.length === 0
    ? signer.isUnconfirmed !== true
    : allowedSigners.includes(signer.id);
};

/** Whether a credential or pending enrollment of an identity, or its external id, is the CA's. */
export const reliesOnCa: Relied<CaRecord> = (store, ca, identity) => {
  const isOfCa = ({ record }: Row<RecordBase & { readonly caId: string | undefined }>) =>
    record.caId === ca.id;
  const authenticators = store.table(authenticatorKind).members('identityId', identity.id);
  const enrollments = store.table(enrollmentKind).members('identityId', identity.id);
  if ([...authenticators, ...enrollments].some(isOfCa)) return true;
  const hasClaim = ca.externalIdClaim !== undefined && identity.externalId !== undefined;
  return hasClaim && ca.isUnconfirmed !== true;
};

/**
 * Whether an identity is logged in by a record that would not count for it if it were privileged: a
 * session goes on when its signer or CA becomes unconfirmed.
 */
export function isLoggedInUnconfirmed(store: Store, { id, authPolicyId }: IdentityRecord): boolean {
  if (store.table(authPolicyKind).find(authPolicyId)?.record.isUnconfirmed) return true;
  const credentials = new Set<string | undefined>();
  for (const { record } of store.table(apiSessionKind).members('identityId', id)) {
    credentials.add(record.authenticatorId).add(record.caId);
  }
  for (const { record } of store.table(externalJwtSignerKind).rows()) {
    if (record.isUnconfirmed && credentials.has(credentialOfSigner(record.id))) return true;
  }
  for (const { record } of store.table(caKind).rows()) {
    if (record.isUnconfirmed && credentials.has(record.id)) return true;
  }
  return false;
}
