// Determines the secondary factors that an API session still owes (behaviour/api-sessions#factors).

import type { Environment } from '../declare/operations/environment.ts';
import type { Caller, CallerSession } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import type { Header } from '../platform/http-exchange.ts';
import type { ApiSessionRecord } from '../records/api-session.ts';
import { authPolicyKind } from '../records/auth-policy.ts';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../records/external-jwt-signer.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import type { Context } from './context.ts';
import { type CandidateSigners, isCandidate, onlySigner } from './external-jwt/candidates.ts';
import type { Evidence } from './external-jwt/external-jwt.ts';

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

/** The secondary factors of an API session, as one request shows them. */
export interface Factors {
  /** The factors that are still owed. */
  readonly queries: readonly AuthQuery[];
  /**
   * Whole wall-clock ms at which the JWT of the request expires that counts as a factor; undefined
   * if none counts, or none is required.
   */
  readonly secondFactorUntil: number | undefined;
}

/** The part of an API session that factors depend on. */
export type FactorState = Pick<CallerSession, 'identityId' | 'isMfaRequired' | 'mfaPassedAt'>;

/** The sources of factors besides the records. */
export type FactorContext = Pick<Context, 'env' | 'bearerTokens'>;

/** The records that factors are computed from. */
export type FactorRecords = Pick<Environment, 'store'>;

type Signer = ExternalJwtSignerRecord;

const none: readonly AuthQuery[] = [];
const nothingOwed: Factors = Object.freeze({ queries: none, secondFactorUntil: undefined });

/**
 * Computed per request: a policy that asks for more makes live sessions partial at once
 * (behaviour/api-sessions#per-request).
 */
export function factorsOf(context: FactorContext, session: FactorState): Factors {
  const { env } = context;
  const demands = demandsOn(env, session);
  if (demands === undefined) return nothingOwed;
  const { identity, owesTotp, requireExtJwtSigner } = demands;
  if (!owesTotp && requireExtJwtSigner === undefined) return nothingOwed;
  const queries: AuthQuery[] = [];
  if (owesTotp) queries.push(totpQuery(isEnrolled({ env }, identity.id)));
  if (requireExtJwtSigner === undefined) return { queries, secondFactorUntil: undefined };
  const signer = env.store.table(externalJwtSignerKind).find(requireExtJwtSigner)?.record;
  const secondFactorUntil = shownUntil(context, signer, identity);
  if (secondFactorUntil === undefined) queries.push(jwtQuery(env, requireExtJwtSigner));
  return { queries, secondFactorUntil };
}

/** The pending queries (behaviour/api-sessions#queries). */
export function pendingQueries(context: FactorContext, session: FactorState): readonly AuthQuery[] {
  return factorsOf(context, session).queries;
}

/** Whether a session owes a factor on requests that bring no token. */
export function owesWithoutToken(records: FactorRecords, session: FactorState): boolean {
  const demands = demandsOn(records, session);
  return demands !== undefined && (demands.owesTotp || demands.requireExtJwtSigner !== undefined);
}

/**
 * The state of a session in words if its policy asks each request for a token, because the state
 * alone does not tell that; otherwise undefined (behaviour/api-sessions#state-in-words).
 */
export function stateInWords(
  records: FactorRecords,
  session: FactorState & Pick<ApiSessionRecord, 'state'>,
): string | undefined {
  const id = demandsOn(records, session)?.requireExtJwtSigner;
  if (id === undefined) return undefined;
  const signer = records.store.table(externalJwtSignerKind).find(id)?.record;
  const isUsable = signer !== undefined && isCandidate(signer);
  const problem = isUsable ? '' : ', which is disabled or unconfirmed';
  return `${session.state}, each request needs a JWT of signer '${signer?.name ?? id}'${problem}`;
}

/**
 * Whether a session owes no factor at `now`, wall-clock ms, where no request can bring a token: an
 * owed token counts from when a request brought it until it expires
 * (behaviour/api-sessions#secondary-jwts).
 */
export function isComplete(
  records: FactorRecords,
  session: FactorState & Pick<ApiSessionRecord, 'state' | 'secondFactorUntil'>,
  now: number,
): boolean {
  const demands = demandsOn(records, session);
  if (demands === undefined || demands.owesTotp) return false;
  if (demands.requireExtJwtSigner === undefined) return true;
  return session.state === 'full' && (session.secondFactorUntil ?? 0) > now;
}

/** The factors that identity and policy require; undefined if the identity does not exist. */
function demandsOn({ store }: FactorRecords, session: FactorState) {
  const identity = store.table(identityKind).find(session.identityId)?.record;
  if (identity === undefined) return undefined;
  const policy = store.table(authPolicyKind).find(identity.authPolicyId)?.record;
  const { requireTotp = false, requireExtJwtSigner } = policy?.secondary ?? {};
  // A factor that the login asked for is owed only as long as the enrollment exists: an
  // administrator may have removed it.
  const owesTotp =
    session.mfaPassedAt === undefined &&
    (requireTotp || (session.isMfaRequired && isEnrolled({ env: { store } }, identity.id)));
  return { identity, owesTotp, requireExtJwtSigner };
}

/**
 * 401 for a session that owes a factor; for a token the error names the signer
 * (behaviour/errors#challenges).
 */
export function factorOwed(context: FactorContext, caller: Caller): ApiError {
  const session = caller.session.record;
  const query = jwtOwed(context, session);
  return query === undefined ? new ApiError('UNAUTHORIZED') : jwtRefusal(context, query);
}

/**
 * The challenge for a login whose session owes a token; none where it owes none, or no signer is
 * enabled that would do.
 */
export function loginChallenge(
  context: FactorContext,
  { queries }: Pick<Factors, 'queries'>,
): readonly Header[] {
  const query = queries.find(isOfJwt);
  return query === undefined ? [] : jwtRefusal(context, query).headers;
}

function jwtRefusal(context: FactorContext, query: AuthQuery): ApiError {
  const signers = onlySigner(signerOf(context, query));
  return context.env.externalJwts.refusal('secondary', evidenceOf(context, signers), signers);
}

/**
 * Fetches the keys of owed tokens that the signer did not have yet, unless too many callers wait
 * for keys or `mayWaitForKeys` is false, and checks the signatures of tokens that are seen for the
 * first time. Undefined when there is nothing to wait for. `callerAgain` then finds the caller as
 * they are with these tokens.
 */
export function checkTokens(
  context: FactorContext,
  caller: Caller,
  mayWaitForKeys: boolean,
): Promise<void> | undefined {
  const { env, bearerTokens } = context;
  const query = jwtOwed(context, caller.session.record);
  if (query === undefined) return undefined;
  const signers = onlySigner(signerOf(context, query));
  const { unchecked, waiting } = evidenceOf(context, signers);
  const check = () => env.externalJwts.check(bearerTokens, signers);
  if (waiting.length > 0 && mayWaitForKeys) {
    const fetched = env.keyWaits.wait(caller.identity.id, waiting);
    if (fetched !== undefined) return fetched.then(check);
  }
  return unchecked.length === 0 ? undefined : check();
}

/**
 * When the token expires by which the signer names this identity, the last one of several;
 * undefined if the request has none. Such a request has waited for keys already if it may.
 */
function shownUntil(
  context: FactorContext,
  signer: Signer | undefined,
  identity: IdentityRecord,
): number | undefined {
  const { keys } = context.env.externalJwts;
  const { verified, waiting } = evidenceOf(context, onlySigner(signer));
  for (const awaited of waiting) void keys.load(awaited);
  let until: number | undefined;
  for (const { claim, lifetime, signer: by } of verified) {
    if (claim !== (by.useExternalId ? identity.externalId : identity.id)) continue;
    until = Math.max(until ?? 0, Math.min(Math.ceil(lifetime.untilMs), latestDateMs));
  }
  return until;
}

/** The latest time that a date can hold (ECMA-262 §21.4.1.1). */
const latestDateMs = 8.64e15;

/** The query of a session that owes a token; undefined where it owes none. */
function jwtOwed(context: FactorContext, session: FactorState): AuthQuery | undefined {
  return pendingQueries(context, session).find(isOfJwt);
}

const isOfJwt = ({ typeId }: AuthQuery): boolean => typeId === 'EXT-JWT';

function signerOf({ env }: FactorContext, { id = '' }: AuthQuery): Signer | undefined {
  return env.store.table(externalJwtSignerKind).find(id)?.record;
}

function evidenceOf({ env, bearerTokens }: FactorContext, signers: CandidateSigners): Evidence {
  return env.externalJwts.examine(bearerTokens, signers);
}

/** Whether the identity has a verified MFA enrollment. */
export function isEnrolled({ env }: { env: FactorRecords }, identityId: string): boolean {
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

/** The query for a token of the signer with this id. */
export function jwtQuery({ store }: FactorRecords, id: string): AuthQuery {
  const signer = store.table(externalJwtSignerKind).find(id)?.record;
  return {
    typeId: 'EXT-JWT',
    provider: 'url',
    httpUrl: signer?.externalAuthUrl ?? '',
    id,
    ...(signer?.clientId === undefined ? {} : { clientId: signer.clientId }),
    scopes: signer?.scopes ?? [],
  };
}
