// The common part of all logins: whether an identity may log in, and the API session that is
// created.

import Type, { type Static } from 'typebox';
import { isDisabled } from '../../auth/callers.ts';
import { factorsOf, isEnrolled, loginChallenge } from '../../auth/factors.ts';
import { isKnownAddress, withKnownAddress } from '../../auth/known-addresses.ts';
import { countsFor, isAdministrator } from '../../auth/privileged-identities.ts';
import { endIdlestSession } from '../../auth/sessions/limit.ts';
import { expiryOf, withExpiry } from '../../auth/sessions/session-expiry.ts';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import type { Header } from '../../platform/http-exchange.ts';
import { apiSessionKind, keepsClientFacts } from '../../records/api-session.ts';
import { type AuthPolicyRecord, authPolicyKind } from '../../records/auth-policy.ts';
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

type Login = Static<typeof loginBody>;

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

/** The credential of a login. */
export interface Credential {
  /** The id that API sessions hold (behaviour/login#authenticator-id). */
  readonly authenticatorId: string;
  /** The third-party CA that vouched for a certificate. */
  readonly caId?: string | undefined;
  /** The client sent no intermediate (behaviour/login#chains). */
  readonly isImproperChain?: boolean;
}

/**
 * Creates the API session of a successful login, and answers with it and its token
 * (behaviour/login#effects).
 */
export function startSession(
  context: LoginContext,
  identity: Row<IdentityRecord>,
  { authenticatorId, caId, isImproperChain = false }: Credential,
): Reply {
  const { env, tx, now, body: login } = context;
  // An administrator has to log in before they can delete anything.
  if (!isAdministrator(identity.record)) env.memory.admitRecord();
  env.rates.countLogin(identity);
  tx.actAs(identity.record.id);
  endIdlestSession(context, identity.record.id);
  noteInfo(context, identity.record, login);
  noteAddress(context, identity.record);
  const id = env.ids.sortable();
  const { token, sealed } = env.sealing.newToken({ kind: 'apiSession', id, field: 'token' });
  const mfaEnrolled = isEnrolled(context, identity.record.id);
  const factors = factorsOf(context, {
    identityId: identity.record.id,
    isMfaRequired: mfaEnrolled,
    mfaPassedAt: undefined,
  });
  const fields = {
    id,
    createdAt: now,
    updatedAt: now,
    tags: {},
    token: sealed,
    tokenHash: tokenHash(token),
    identityId: identity.record.id,
    authenticatorId,
    caId,
    configTypes: configTypeIds(context, login.configTypes ?? []),
    ipAddress: context.request.peer.address,
    improperClientCertChain: isImproperChain,
    ...clientOf(context),
  };
  env.send(tx, 'apiSession', id, {
    type: apiSessionKind.machine?.creates ?? 'authenticate',
    now,
    fields,
    secondFactorRequired: factors.queries.length > 0,
    secondFactorUntil: factors.secondFactorUntil,
    mfaEnrolled,
  });
  attachCertificate(context, id);
  const record = env.store.table(apiSessionKind).find(id)?.record;
  if (record === undefined) throw new Error('the API session was not made');
  context.request.peer.sessionUsed?.();
  const headers: Header[] = [
    ['zt-session', token],
    ['net-session', token],
    ...loginChallenge(context, factors),
  ];
  const expiresAt = expiryOf(env.config, record.createdAt, now);
  return detail([currentSessionText(context, record, token)], withExpiry(headers, expiresAt, now));
}

/**
 * The client as it names itself, so that operators can tell two sessions of one identity apart. The
 * identity has the `sdkInfo` of its last login alone.
 */
function clientOf({ env, body, request }: LoginContext) {
  if (!keepsClientFacts(env.store.table(apiSessionKind))) return {};
  const { type, version, appId, appVersion } = body.sdkInfo ?? {};
  const sdk = words(type, version);
  const client = words(appId, appVersion) ?? words(request.header('user-agent'));
  return { sdk, client };
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
