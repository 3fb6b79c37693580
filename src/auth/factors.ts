// Determines the secondary factors that an API session still owes (behaviour/api-sessions#factors).

import type { Caller, CallerSession, Context } from '../declare/operation.ts';
import { ApiError } from '../errors.ts';
import { authPolicyKind } from '../records/auth-policy.ts';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../records/external-jwt-signer.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import type { Evidence } from './external-jwt.ts';
import { type CandidateSigners, onlySigner } from './external-jwt-candidates.ts';
import { countsFor } from './privileged-identities.ts';

/** One query of an API session (behaviour/api-sessions#queries). */
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
export type FactorState = Pick<CallerSession, 'identityId' | 'isMfaRequired' | 'isMfaComplete'>;

/** The sources of factors besides the records. */
export type FactorContext = Pick<Context, 'env' | 'bearerTokens'>;

type Signer = ExternalJwtSignerRecord;

const none: readonly AuthQuery[] = [];

/**
 * The pending queries, computed per request: a policy that asks for more makes live sessions
 * partial at once (behaviour/api-sessions#per-request).
 */
export function pendingQueries(context: FactorContext, session: FactorState): readonly AuthQuery[] {
  const { env } = context;
  const { store } = env;
  const identity = store.table(identityKind).find(session.identityId)?.record;
  if (identity === undefined) return none;
  const policy = store.table(authPolicyKind).find(identity.authPolicyId)?.record;
  const { requireTotp = false, requireExtJwtSigner } = policy?.secondary ?? {};
  // A factor that the login asked for is owed only as long as the enrollment exists: an
  // administrator may have removed it.
  const owesTotp =
    !session.isMfaComplete &&
    (requireTotp || (session.isMfaRequired && isEnrolled({ env }, identity.id)));
  if (!owesTotp && requireExtJwtSigner === undefined) return none;
  const queries: AuthQuery[] = [];
  if (owesTotp) queries.push(totpQuery(isEnrolled({ env }, identity.id)));
  if (requireExtJwtSigner !== undefined) {
    const signer = store.table(externalJwtSignerKind).find(requireExtJwtSigner)?.record;
    if (!isShown(context, signer, identity)) queries.push(jwtQuery(requireExtJwtSigner, signer));
  }
  return queries;
}

/**
 * 401 for a session that owes a factor; for a token the error names the signer
 * (behaviour/errors#challenges).
 */
export function factorOwed(context: FactorContext, caller: Caller): ApiError {
  const session = caller.session.record;
  const query = jwtOwed(context, session);
  if (query === undefined) return new ApiError('UNAUTHORIZED');
  const signers = onlySigner(signerOf(context, query));
  return context.env.externalJwts.refusal('secondary', evidenceOf(context, signers), signers);
}

/**
 * Checks the signatures of owed tokens that are seen for the first time; undefined when there are
 * none. `callerAgain` then finds the caller as they are with these tokens.
 */
export function checkTokens(context: FactorContext, caller: Caller): Promise<void> | undefined {
  const { env, bearerTokens } = context;
  const session = caller.session.record;
  const query = jwtOwed(context, session);
  if (query === undefined) return undefined;
  const signers = onlySigner(signerOf(context, query));
  if (evidenceOf(context, signers).unchecked.length === 0) return undefined;
  return env.externalJwts.check(bearerTokens, signers);
}

/**
 * Whether the request has a token of the signer that names this identity. A request does not wait
 * for keys: the fetch begins, and a later one finds them.
 */
function isShown(
  context: FactorContext,
  signer: Signer | undefined,
  identity: IdentityRecord,
): boolean {
  if (signer !== undefined && !countsFor(signer, identity)) return false;
  const { keys } = context.env.externalJwts;
  const { verified, waiting } = evidenceOf(context, onlySigner(signer));
  for (const awaited of waiting) void keys.load(awaited);
  return verified.some(
    ({ claim, signer: { useExternalId } }) =>
      claim === (useExternalId ? identity.externalId : identity.id),
  );
}

/** The query of a session that owes a token; undefined where it owes none. */
function jwtOwed(context: FactorContext, session: FactorState): AuthQuery | undefined {
  return pendingQueries(context, session).find(({ typeId }) => typeId === 'EXT-JWT');
}

function signerOf({ env }: FactorContext, { id = '' }: AuthQuery): Signer | undefined {
  return env.store.table(externalJwtSignerKind).find(id)?.record;
}

function evidenceOf({ env, bearerTokens }: FactorContext, signers: CandidateSigners): Evidence {
  return env.externalJwts.examine(bearerTokens, signers);
}

/** Whether the identity has a verified MFA enrollment. */
export function isEnrolled({ env }: Pick<Context, 'env'>, identityId: string): boolean {
  const row = env.store.table(mfaEnrollmentKind).findBy('identityId', identityId);
  return row?.record.state === 'verified';
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
