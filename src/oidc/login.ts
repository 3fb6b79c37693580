// First factors of a login by OIDC: password, certificate, external JWT (behaviour/oidc#logins).

import { factorsOf, isEnrolled, loginChallenge, pendingQueries } from '../auth/factors.ts';
import type { Refused, Reply } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import { authPolicyKind } from '../records/auth-policy.ts';
import {
  type AuthRequestLogin,
  type AuthRequestRecord,
  authRequestKind,
} from '../records/auth-request.ts';
import { proveByCertificate } from '../resources/authentication/authentication-certificate.ts';
import {
  awaitKeysAndCheck,
  fetchKeysAndCheck,
  proveByJwt,
} from '../resources/authentication/authentication-jwt.ts';
import {
  type CheckedPassword,
  checkCredentials,
  proveByPassword,
} from '../resources/authentication/authentication-password.ts';
import {
  admitLogin,
  type Login,
  type Proof,
} from '../resources/authentication/authentication-session.ts';
import { configTypeIds } from '../resources/configs/service-config.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import { requestOf } from './authorize.ts';
import { type Context, type Operation, operation } from './context.ts';
import { type LoginInput, loginInput, loginInputOf, loginOf, requestIdIn } from './login-input.ts';
import { askForPassword, isOfPage } from './page.ts';
import { formType } from './parameters.ts';
import { answerTo, signerFactor, totpFactor } from './queries.ts';
import { originOf, text, wantsPage } from './replies.ts';

const kind = authRequestKind.kind;

/** Wrong logins and codes after which a request ends. @bound per request */
const failuresMax = 5;

/** How a client logs in, as claim `amr` names it. */
type Method = 'password' | 'cert' | 'ext-jwt';

const paths: Readonly<Record<string, Method>> = {
  '/login/password': 'password',
  '/login/username': 'password',
  '/login/cert': 'cert',
  '/login/ext-jwt': 'ext-jwt',
};

/** The operations. */
export const logins: readonly Operation[] = Object.entries(paths).flatMap(([path, method]) => {
  const name = path.replace(/^.*\/(.)/, (_all, first: string) => first.toUpperCase());
  return [
    operation({
      id: `oidcLoginPage${name}`,
      oidc: 'login',
      path,
      answered: 'leader',
      access: 'public',
      summary: `The page of a login by ${method}`,
      errors: [404],
      decide: (context) => showPage(context, method),
    }),
    operation<typeof loginInput, CheckedPassword | undefined>({
      id: `oidcLogin${name}`,
      oidc: 'login',
      method: 'POST',
      path,
      access: 'public',
      summary: `Log in by ${method}`,
      body: loginInput,
      bodyOptional: true,
      rawTypes: [formType],
      errors: [400, 401, 415, 429],
      authenticates: () => method,
      prepare: (context) => prepare(context, method),
      decide: (context, facts) => logIn(context, method, facts),
    }),
  ];
});

/**
 * A page for browsers; programs want its header and status alone. Nothing is said of whether there
 * is such a request.
 */
function showPage(context: Context, method: Method): Reply {
  originOf(context);
  const id = context.query.get('authRequestID') ?? '';
  const headers = /^[\w-]{1,40}$/.test(id) ? [['auth-request-id', id] as const] : [];
  if (method === 'password')
    return askForPassword(context, requestOf(context, id)?.record, headers);
  return text('Log in here by a POST request.\n', 'text/plain; charset=utf-8', { headers });
}

/** Does what must wait: the hash of a password, the keys and signatures of tokens. */
function prepare(
  context: Context<LoginInput>,
  method: Method,
): Promise<CheckedPassword | undefined> | undefined {
  originOf(context);
  const input = loginInputOf(context);
  requestRow(context, input);
  switch (method) {
    case 'password':
      return checkPasswordAndTokens(context, loginOf(input));
    case 'ext-jwt':
      return fetchKeysAndCheck(context);
    case 'cert':
      return awaitKeysAndCheck(context);
  }
}

async function checkPasswordAndTokens(context: Context, login: Login): Promise<CheckedPassword> {
  const checked = await checkCredentials(context, login);
  if (checked.isRight) await awaitKeysAndCheck(context);
  return checked;
}

/** The request of a login. @throws ApiError UNAUTHORIZED when there is none. */
function requestRow(
  context: Context,
  input: { readonly id?: string; readonly formToken?: string },
): Row<AuthRequestRecord> {
  const row = requestOf(context, requestIdIn(context, input));
  if (row === undefined || !isOfPage(context, row.record, input.formToken)) {
    throw new ApiError('UNAUTHORIZED');
  }
  return row;
}

function logIn(
  context: Context<LoginInput>,
  method: Method,
  facts: CheckedPassword | undefined,
): Reply {
  const input = loginInputOf(context);
  const row = requestRow(context, input);
  if (method === 'ext-jwt' && row.record.identityId !== '') {
    const [signer] = row.record.owed.filter((factor) => factor.startsWith(signerFactor));
    if (signer !== undefined) return giveSecondToken(context, row, signer);
  }
  const login = loginOf(input);
  const proof = proofOf(context, method, login, facts);
  if ('form' in proof) {
    const { address } = context.request.peer;
    const username = method === 'password' ? login.username : undefined;
    context.env.refusedLogins.refused({ method, address, username });
    return failed(context, row, proof.error);
  }
  admitLogin(context, proof, login);
  const { shown, owed } = demandsOn(context, proof);
  endOldest(context, row, proof.identity.record.id);
  const sent = context.env.send(context.tx, kind, row.id, {
    type: 'logIn',
    now: context.now,
    identityId: proof.identity.record.id,
    factors: [method, ...shown],
    demanded: owed,
    fields: { login: loginFacts(context, row.record, input, proof) },
  });
  // Another identity had logged in before: that ends the request.
  if (sent.record === undefined) return { form: 'refused', error: new ApiError('UNAUTHORIZED') };
  return answerTo(context, row.record);
}

/** No identity takes the room of others: beyond a number of logins, its oldest one ends. */
function endOldest(
  { env, tx, now }: Context,
  { id }: Row<AuthRequestRecord>,
  identityId: string,
): void {
  const { authRequestsPerIdentityMax } = boundsOf(loginBounds, env.bounds);
  const all = [...env.store.table(authRequestKind).members('identityId', identityId)];
  const others = all.filter((one) => one.id !== id).map(({ record }) => record);
  if (others.length < authRequestsPerIdentityMax) return;
  const oldest = others.reduce((one, other) => (other.createdAt < one.createdAt ? other : one));
  env.send(tx, kind, oldest.id, { type: 'revoke', now });
}

const loginBounds = {
  /** Logins by OIDC in which the identity is known already. @bound per identity */
  authRequestsPerIdentityMax: 100,
};

/** A refusal that is returned leaves what it has written. */
function proofOf(
  context: Context,
  method: Method,
  login: Login,
  facts: CheckedPassword | undefined,
): Proof | Refused {
  try {
    switch (method) {
      case 'password':
        if (facts === undefined) throw new Error('no password was looked at');
        return proveByPassword(context, login, facts);
      case 'cert':
        return proveByCertificate(context);
      case 'ext-jwt':
        return proveByJwt(context);
    }
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 401)
      return { form: 'refused', error: thrown };
    throw thrown;
  }
}

/** Counts a wrong factor, and refuses it. */
export function failed(context: Context, row: Row<AuthRequestRecord>, error: ApiError): Reply {
  const { env, tx, now } = context;
  const { record } = env.send(tx, kind, row.id, { type: 'failFactor', now, failuresMax });
  if (record !== undefined && wantsPage(context) && row.record.identityId === '') {
    return askForPassword(context, row.record, [], 'The user name or the password is not right.');
  }
  return { form: 'refused', error };
}

/** Factors that a login owes besides its first one, and those that its request shows. */
function demandsOn(context: Context, { identity: { record } }: Proof) {
  const { env } = context;
  const isMfaRequired = isEnrolled({ env }, record.id);
  const state = { identityId: record.id, isMfaRequired, mfaPassedAt: undefined };
  const { queries, secondFactorUntil } = factorsOf(context, state);
  const owed = queries.map(({ typeId, id }) =>
    typeId === 'EXT-JWT' ? signerFactor + (id ?? '') : totpFactor,
  );
  const policy = env.store.table(authPolicyKind).find(record.authPolicyId)?.record;
  const signer = policy?.secondary.requireExtJwtSigner;
  const isShown = secondFactorUntil !== undefined && signer !== undefined;
  return { owed, shown: isShown ? [signerFactor + signer] : [] };
}

/** A token of an external JWT signer as the second factor. */
function giveSecondToken(context: Context, row: Row<AuthRequestRecord>, factor: string): Reply {
  const { env, tx, now } = context;
  const { identityId } = row.record;
  // The TOTP factor is asked for elsewhere.
  const state = { identityId, isMfaRequired: false, mfaPassedAt: now };
  if (factorsOf(context, state).secondFactorUntil === undefined) {
    const queries = pendingQueries(context, state);
    const headers = loginChallenge(context, { queries });
    return failed(context, row, new ApiError('UNAUTHORIZED', { headers }));
  }
  env.send(tx, kind, row.id, { type: 'passFactor', now, factor });
  return answerTo(context, row.record);
}

function loginFacts(
  context: Context,
  { configTypes }: AuthRequestRecord,
  { configTypes: named = [], csrPem, envInfo = {}, sdkInfo = {} }: LoginInput,
  { authenticatorId, caId, isImproperChain = false, certificate, identity }: Proof,
): AuthRequestLogin {
  const { env, request } = context;
  const policy = env.store.table(authPolicyKind).find(identity.record.authPolicyId)?.record;
  const { leaf } = env.clientChains.evaluate(request.peer.certificates) ?? {};
  const isByCertificate = certificate !== undefined || caId !== undefined;
  return {
    authenticatorId,
    ...(caId === undefined ? {} : { caId }),
    isImproperChain,
    configTypes: configTypeIds(context, [...configTypes, ...named]),
    env: envInfo,
    sdk: sdkInfo,
    userAgent: request.header('user-agent'),
    ...(csrPem === undefined ? {} : { csr: csrPem }),
    ...(isByCertificate && leaf !== undefined ? { fingerprint: leaf.fingerprint } : {}),
    allowsExpired: policy?.primary.cert.allowExpiredCerts ?? false,
    isExtendable: certificate?.isIssuedByNetwork ?? false,
    isExtendRequested: certificate?.isExtendRequested ?? false,
    isKeyRollRequested: certificate?.isKeyRollRequested ?? false,
  };
}
