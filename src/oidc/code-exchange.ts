// Exchanges the code of a complete login for tokens: the API session begins
// (behaviour/oidc#codes).

import { createHash } from 'node:crypto';
import { isAdministrator } from '../auth/privileged-identities.ts';
import type { Reply } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import type { LoginClaims } from '../pki/tokens/oidc-tokens.ts';
import { apiSessionKind, keepsJwts } from '../records/api-session.ts';
import {
  type AuthRequestLogin,
  type AuthRequestRecord,
  authRequestKind,
} from '../records/auth-request.ts';
import { identityKind } from '../records/identity.ts';
import { tokenHash } from '../records/token-hash.ts';
import {
  admitted,
  clientFacts,
  createSession,
} from '../resources/authentication/authentication-session.ts';
import { offlineAccess } from './authorize.ts';
import { issueBound, readRequest } from './bound-certificates.ts';
import type { Context } from './context.ts';
import { invalidGrant } from './grants.ts';
import { isSecret } from './page.ts';
import { invalidRequest, type Parameters } from './parameters.ts';
import { json } from './replies.ts';
import { issue, lifetimesOf, tokensReply } from './tokens.ts';

/** @throws ApiError INVALID_REQUEST, INVALID_GRANT. */
export function exchangeCode(context: Context, parameters: Parameters, client: string): Reply {
  const { env, tx, now } = context;
  const code = required(parameters, 'code');
  const verifier = required(parameters, 'code_verifier');
  const redirectUri = required(parameters, 'redirect_uri');
  const codeHash = tokenHash(code);
  const requests = env.store.table(authRequestKind);
  const [row] = requests.members('codeHash', codeHash);
  if (row === undefined) throw invalidGrant();
  const { record } = row;
  const isOfRequest =
    client === record.clientId &&
    redirectUri === record.redirectUri &&
    isVerifierOf(record.codeChallenge, verifier);
  const { id } = row;
  const problem = csrProblem(record.login?.csr);
  const sent = env.send(tx, authRequestKind.kind, id, {
    type: 'exchange',
    now,
    codeHash,
    isOfRequest: isOfRequest && problem === undefined,
  });
  const identity = admitted(context, env.store.table(identityKind).find(record.identityId));
  const { login } = record;
  // What was written stays: one failed exchange voids the code.
  if (sent.to !== 'exchanged' || identity === undefined || login === undefined) {
    return { form: 'refused', error: problem ?? invalidGrant() };
  }
  if (!isAdministrator(identity.identity.record)) env.memory.admitRecord();
  tx.actAs(identity.identity.id);
  return beginSession(context, record, login, code);
}

function beginSession(
  context: Context,
  request: AuthRequestRecord,
  login: AuthRequestLogin,
  code: string,
): Reply {
  const { env, now } = context;
  const { identityId, clientId, factors, scopes, authenticatedAt = now } = request;
  const apiSessionId = env.ids.uuid();
  if (!keepsJwts(env.store.table(apiSessionKind))) throw new ApiError('UPGRADE_NOT_FINAL');
  const { configTypes, fingerprint } = login;
  const { accessMs, refreshMs } = lifetimesOf(context);
  const isRenewable = scopes.includes(offlineAccess);
  createSession(context, {
    id: apiSessionId,
    identityId,
    authenticatorId: login.authenticatorId,
    caId: login.caId,
    isImproperChain: login.isImproperChain,
    configTypes,
    token: undefined,
    jwt: {
      clientId,
      began: env.ids.sortable(),
      factors,
      authenticatedAt,
      until: now + (isRenewable ? refreshMs : accessMs),
      generation: 0,
      // There is none before it.
      usedAt: now,
    },
    client: clientFacts(context, login.sdk, login.userAgent),
    mfaPassedAt: factors.includes('totp') ? authenticatedAt : undefined,
  });
  const claims: LoginClaims = {
    sub: identityId,
    aud: [clientId],
    auth_time: Math.trunc(authenticatedAt / 1000),
    amr: factors,
    scopes,
    z_asid: apiSessionId,
    z_aid: clientId,
    z_authid: login.authenticatorId,
    ...(configTypes.length === 0 ? {} : { z_ct: configTypes }),
    z_cfs: fingerprint === undefined ? null : [fingerprint],
    ...(fingerprint === undefined ? {} : { z_acf: fingerprint }),
    z_cae: login.allowsExpired,
    z_env: login.env,
    z_sdk: login.sdk,
    z_ra: request.address,
    z_ice: login.isExtendable,
    z_cer: login.isExtendRequested,
    z_ckrr: login.isKeyRollRequested,
    z_iccc: login.isImproperChain,
  };
  const bound = issueBound(context, claims, login.csr);
  const issued = issue(context, {
    claims: bound.claims,
    clientId,
    generation: 0,
    isRenewable,
    code,
    nonce: request.nonce,
    certificate: bound.certificate,
  });
  return json(tokensReply(context, issued));
}

/** A bad request voids the code as every other failure of its exchange does. */
function csrProblem(csr: string | undefined): ApiError | undefined {
  try {
    if (csr !== undefined) readRequest(csr);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.one(name);
  if (value === '') throw invalidRequest(name, 'is required');
  return value;
}

/** RFC 7636 §4.6, for S256. */
function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return isSecret(challenge, createHash('sha256').update(verifier).digest('base64url'));
}
