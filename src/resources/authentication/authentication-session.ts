// The common part of all logins: whether an identity may log in, and the API session that is
// created.

import Type, { type Static } from 'typebox';
import type { JwtSession } from '../../../machines/api-session.ts';
import { isDisabled } from '../../auth/callers.ts';
import { type Factors, factorsOf, isEnrolled, loginChallenge } from '../../auth/factors.ts';
import { isKnownAddress, withKnownAddress } from '../../auth/known-addresses.ts';
import { countsFor, isAdministrator } from '../../auth/privileged-identities.ts';
import { endIdlestSession } from '../../auth/sessions/limit.ts';
import { expiryOf, withExpiry } from '../../auth/sessions/session-expiry.ts';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import type { Header } from '../../platform/http-exchange.ts';
import {
  type ApiSessionRecord,
  apiSessionKind,
  keepsClientFacts,
} from '../../records/api-session.ts';
import { type AuthPolicyRecord, authPolicyKind } from '../../records/auth-policy.ts';
import type { AuthenticatorRecord } from '../../records/authenticator.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import { envInfoSchema, sdkInfoSchema } from '../../records/info-schemas.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { Row } from '../../store/record.ts';
import { currentSessionText } from '../api-sessions/api-session.ts';
import { attachCertificate } from '../api-sessions/presented-certificate.ts';
import { loginUsernameSchema, passwordSchema } from '../authenticators/authenticator.ts';
import { configTypeIds } from '../configs/service-config.ts';
import type { Context } from '../context.ts';

/** The body of a login; user name and password are used by one method only. */
export const loginBody = Type.Object({
  configTypes: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000 })),
  envInfo: Type.Optional(envInfoSchema),
  sdkInfo: Type.Optional(sdkInfoSchema),
  username: Type.Optional(loginUsernameSchema),
  password: Type.Optional(passwordSchema),
});

/** What a client says of itself at a login. */
export type Login = Static<typeof loginBody>;

/** A login in the form that its method checks. */
export type LoginContext = Context<Login>;

/** An identity that may log in, and the rules that apply. */
export interface Admitted {
  readonly identity: Row<IdentityRecord>;
  readonly policy: AuthPolicyRecord;
}

/**
 * The identity with its policy; undefined when it is disabled, locked out here, or its policy does
 * not exist or does not count for it (behaviour/login#admission). The method itself checks whether
 * the policy allows it.
 */
export function admitted(
  { env, now, request }: Pick<Context, 'env' | 'now' | 'request'>,
  identity: Row<IdentityRecord> | undefined,
): Admitted | undefined {
  if (identity === undefined || isDisabled(identity.record, now)) return undefined;
  const { lockedOutUntil, knownAddresses } = identity.record;
  // Guessing must not lock an administrator out at their usual address (behaviour/login).
  if (lockedOutUntil !== undefined && lockedOutUntil > now) {
    if (!isKnownAddress(knownAddresses, request.peer.address, now)) return undefined;
  }
  const policies = env.store.table(authPolicyKind);
  const policy = policies.find(identity.record.authPolicyId)?.record;
  return policy && countsFor(policy, identity.record) ? { identity, policy } : undefined;
}

/** Who has logged in, and by which credential. */
export interface Proof {
  readonly identity: Row<IdentityRecord>;
  /** The id that API sessions hold (behaviour/login#authenticator-id). */
  readonly authenticatorId: string;
  /** The third-party CA that vouched for a certificate. */
  readonly caId?: string | undefined;
  /** The client sent no intermediate (behaviour/login#chains). */
  readonly isImproperChain?: boolean;
  /** The authenticator of a certificate, if there is one. */
  readonly certificate?: AuthenticatorRecord | undefined;
}

/**
 * What every login with the right credential leaves, whether an API session begins with it or only
 * later. @throws ApiError for a login that there is no room for, or for too many of them
 */
export function admitLogin(context: Context, { identity }: Proof, login: Login): void {
  const { env, tx } = context;
  // An administrator has to log in before they can delete anything.
  if (!isAdministrator(identity.record)) env.memory.admitRecord();
  env.rates.countLogin(identity);
  tx.actAs(identity.record.id);
  noteInfo(context, identity.record, login);
  noteAddress(context, identity.record);
}

/** An API session that begins. */
export interface NewSession {
  readonly id: string;
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly caId: string | undefined;
  readonly isImproperChain: boolean;
  readonly configTypes: readonly string[];
  /** The opaque token as records hold it; undefined for a session with JWTs. */
  readonly token: Pick<ApiSessionRecord, 'token' | 'tokenHash'> | undefined;
  readonly jwt: JwtSession | undefined;
  /** The client as it names itself, as of `clientFacts`. */
  readonly client: Pick<ApiSessionRecord, 'sdk' | 'client'> | undefined;
  /** Wall-clock ms at which the login accepted a TOTP or recovery code; undefined if it did not. */
  readonly mfaPassedAt: number | undefined;
}

/** Creates an API session, in place of the idlest one of an identity that has too many. */
export function createSession(
  context: Context,
  session: NewSession,
): { readonly record: ApiSessionRecord; readonly factors: Factors } {
  const { env, tx, now } = context;
  const { id, identityId, mfaPassedAt, token, client, jwt } = session;
  endIdlestSession(context, identityId);
  const mfaEnrolled = isEnrolled(context, identityId);
  const factors = factorsOf(context, { identityId, isMfaRequired: mfaEnrolled, mfaPassedAt });
  const fields = {
    id,
    createdAt: now,
    updatedAt: now,
    tags: {},
    ...token,
    identityId,
    authenticatorId: session.authenticatorId,
    caId: session.caId,
    configTypes: session.configTypes,
    ipAddress: context.request.peer.address,
    improperClientCertChain: session.isImproperChain,
    ...client,
    ...(jwt === undefined ? {} : { jwt }),
  };
  env.send(tx, 'apiSession', id, {
    type: apiSessionKind.machine?.creates ?? 'authenticate',
    now,
    fields,
    secondFactorRequired: factors.queries.length > 0,
    secondFactorUntil: factors.secondFactorUntil,
    mfaEnrolled,
    mfaPassedAt,
  });
  attachCertificate(context, id);
  const record = env.store.table(apiSessionKind).find(id)?.record;
  if (record === undefined) throw new Error('the API session was not made');
  context.request.peer.sessionUsed?.();
  return { record, factors };
}

/**
 * Creates the API session of a successful login, and answers with it and its token
 * (behaviour/login#effects).
 */
export function startSession(context: LoginContext, proof: Proof): Reply {
  const { env, now, body: login } = context;
  const { identity, authenticatorId, caId, isImproperChain = false } = proof;
  admitLogin(context, proof, login);
  const id = env.ids.sortable();
  const { token, sealed } = env.sealing.newToken({ kind: 'apiSession', id, field: 'token' });
  const { record, factors } = createSession(context, {
    id,
    identityId: identity.record.id,
    authenticatorId,
    caId,
    isImproperChain,
    configTypes: configTypeIds(context, login.configTypes ?? []),
    token: { token: sealed, tokenHash: tokenHash(token) },
    jwt: undefined,
    client: clientFacts(context, login.sdkInfo, context.request.header('user-agent')),
    mfaPassedAt: undefined,
  });
  const headers: Header[] = [
    ['zt-session', token],
    ['net-session', token],
    ...loginChallenge(context, factors),
    ...extensionHeaders(proof),
  ];
  const expiresAt = expiryOf(env.config, record, now);
  return detail([currentSessionText(context, record, token)], withExpiry(headers, expiresAt, now));
}

/**
 * Tells the client that its certificate is to be extended. Clients know a request for another key
 * by the same header a second time (behaviour/certificates#requests).
 */
function extensionHeaders({ certificate }: Proof): readonly Header[] {
  if (!certificate?.isExtendRequested) return [];
  const header = ['ziti-authenticator-extend-requested', 'true'] as const;
  return certificate.isKeyRollRequested ? [header, header] : [header];
}

/**
 * The client as it names itself, so that operators can tell two sessions of one identity apart. The
 * identity has the `sdkInfo` of its last login alone.
 */
export function clientFacts(
  { env }: Pick<Context, 'env'>,
  sdkInfo: Login['sdkInfo'],
  userAgent: string,
): NewSession['client'] {
  if (!keepsClientFacts(env.store.table(apiSessionKind))) return undefined;
  const { type, version, appId, appVersion } = sdkInfo ?? {};
  return { sdk: words(type, version), client: words(appId, appVersion) ?? words(userAgent) };
}

/** Undefined if there are none. */
function words(...parts: readonly (string | undefined)[]): string | undefined {
  const text = parts.filter((part) => part !== undefined && part !== '').join(' ');
  // Half a surrogate pair would be read back from the log as another character.
  const cut = text.slice(0, clientTextMax).replace(/[\uD800-\uDBFF]$/, '');
  return cut === '' ? undefined : cut;
}

/** Characters that are kept of what a client says of itself, at each login. @bound */
const clientTextMax = 200;

/** An administrator's address is stored in the login's own frame, once per day. */
function noteAddress({ env, tx, now, request }: Context, identity: IdentityRecord): void {
  if (!isAdministrator(identity)) return;
  const { address } = request.peer;
  const knownAddresses = withKnownAddress(identity.knownAddresses, address, now);
  if (knownAddresses === identity.knownAddresses) return;
  tx.put(env.store.table(identityKind), { ...identity, knownAddresses });
}

/**
 * Given objects replace the stored ones completely, absent ones leave them unchanged
 * (behaviour/login).
 */
function noteInfo(context: Context, identity: IdentityRecord, { envInfo, sdkInfo }: Login): void {
  if (envInfo === undefined && sdkInfo === undefined) return;
  const next = {
    ...identity,
    envInfo: envInfo ?? identity.envInfo,
    sdkInfo: sdkInfo ?? identity.sdkInfo,
  };
  if (
    JSON.stringify([next.envInfo, next.sdkInfo]) ===
    JSON.stringify([identity.envInfo, identity.sdkInfo])
  )
    return;
  const table = context.env.store.table(identityKind);
  context.tx.put(table, { ...next, updatedAt: context.now });
}
