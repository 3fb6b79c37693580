// Which secondary factors an API session still owes (spec/3 "Secondary authentication", behaviour
// §4.6).

import type { Context } from '../declare/operation.ts';
import type { RecordBase } from '../store/record.ts';

/** One query of an API session (spec/1 "AuthQuery"). */
export interface AuthQuery {
  readonly typeId: 'MFA' | 'EXT-JWT';
  readonly provider: 'ziti' | 'url';
  readonly httpMethod?: string;
  readonly httpUrl?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'numeric';
  readonly isTotpEnrolled?: boolean;
  readonly id?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
}

/** The part of an API session that factors depend on. */
export interface FactorState {
  readonly identityId: string;
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
}

interface Identity extends RecordBase {
  readonly authPolicyId: string;
}

interface Policy extends RecordBase {
  readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwtSigner?: string };
}

interface Signer extends RecordBase {
  readonly externalAuthUrl?: string;
  readonly clientId?: string;
  readonly scopes: readonly string[];
}

const none: readonly AuthQuery[] = [];

/**
 * What is still to be answered, computed a request: a policy that asks for more makes live sessions
 * partial at once (behaviour §4.6.6).
 */
export function pendingQueries(
  { env }: Pick<Context, 'env'>,
  session: FactorState,
): readonly AuthQuery[] {
  const { store } = env;
  const identity = store.table<Identity>('identity').find(session.identityId)?.record;
  if (identity === undefined) return none;
  const policy = store.table<Policy>('authPolicy').find(identity.authPolicyId)?.record;
  const { requireTotp = false, requireExtJwtSigner } = policy?.secondary ?? {};
  const owesTotp = (requireTotp || session.isMfaRequired) && !session.isMfaComplete;
  if (!owesTotp && requireExtJwtSigner === undefined) return none;
  const queries: AuthQuery[] = [];
  if (owesTotp) queries.push(totpQuery(isEnrolled({ env }, identity.id)));
  if (requireExtJwtSigner !== undefined) {
    const signer = store.table<Signer>('externalJwtSigner').find(requireExtJwtSigner)?.record;
    queries.push(jwtQuery(requireExtJwtSigner, signer));
  }
  return queries;
}

/** Whether the identity has a verified MFA enrollment. */
export function isEnrolled({ env }: Pick<Context, 'env'>, identityId: string): boolean {
  const row = env.store.table('mfaEnrollment').findBy('identityId', identityId);
  return (row?.record as { state?: string } | undefined)?.state === 'verified';
}

function totpQuery(isTotpEnrolled: boolean): AuthQuery {
  return {
    typeId: 'MFA',
    provider: 'ziti',
    httpMethod: 'POST',
    httpUrl: './authenticate/mfa',
    minLength: 4,
    maxLength: 6,
    format: 'numeric',
    isTotpEnrolled,
  };
}

function jwtQuery(id: string, signer: Signer | undefined): AuthQuery {
  return {
    typeId: 'EXT-JWT',
    provider: 'url',
    httpUrl: signer?.externalAuthUrl ?? '',
    id,
    ...(signer?.clientId === undefined ? {} : { clientId: signer.clientId }),
    scopes: signer?.scopes ?? [],
  };
}
