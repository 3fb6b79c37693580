// Primary authentication: POST /authenticate in both APIs (behaviour/login).

import Type from 'typebox';
import type { Refused } from '../../declare/operations/operation.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { currentSessionSchema } from '../api-sessions/api-session.ts';
import { operation } from '../context.ts';
import { proveByCertificate } from './authentication-certificate.ts';
import { awaitKeysAndCheck, fetchKeysAndCheck, proveByJwt } from './authentication-jwt.ts';
import {
  type CheckedPassword,
  checkCredentials,
  proveByPassword,
} from './authentication-password.ts';
import {
  type LoginContext,
  loginBody,
  type Proof,
  startSession,
} from './authentication-session.ts';

const methods = ['password', 'cert', 'ext-jwt'] as const;

type Method = (typeof methods)[number];

/** The queries that clients send, so that parsing, which takes 1 µs, is left for all others. */
const usualQueries = new Map(methods.map((method) => [`method=${method}`, method]));

/** The operation. Only a password and new external JWTs need to wait. */
export const authenticate = operation({
  id: 'authenticate',
  apis: ['client', 'management'],
  method: 'POST',
  path: '/authenticate',
  access: 'public',
  summary: 'Log in with primary credentials',
  body: loginBody,
  bodyOptional: true,
  answer: currentSessionSchema,
  query: { method: Type.Enum([...methods]) },
  queryRequired: ['method'],
  errors: [400, 401, 429],
  creates: 'sometimes',
  authenticates({ query }) {
    return usualQueries.get(query) ?? methodNamed(new URLSearchParams(query)) ?? 'unknown';
  },
  prepare(context) {
    switch (methodOf(context)) {
      case 'password':
        return checkPasswordAndTokens(context);
      case 'ext-jwt':
        return fetchKeysAndCheck(context);
      case 'cert':
        return awaitKeysAndCheck(context);
    }
  },
  decide(context, facts) {
    try {
      const proof = prove(context, facts);
      if (!('form' in proof)) return startSession(context, proof);
      logRefusal(context);
      return proof;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) logRefusal(context);
      throw thrown;
    }
  },
});

function prove(context: LoginContext, facts: CheckedPassword | undefined): Proof | Refused {
  switch (methodOf(context)) {
    case 'password':
      if (facts === undefined) throw new Error('no password was looked at');
      return proveByPassword(context, context.body, facts);
    case 'ext-jwt':
      return proveByJwt(context);
    case 'cert':
      return proveByCertificate(context);
  }
}

function logRefusal(context: LoginContext): void {
  const { body, env, request } = context;
  const method = methodOf(context);
  const username = method === 'password' ? body.username : undefined;
  env.refusedLogins.refused({ method, address: request.peer.address, username });
}

/** The tokens may be required as the second factor. */
async function checkPasswordAndTokens(context: LoginContext): Promise<CheckedPassword> {
  const checked = await checkCredentials(context, context.body);
  if (checked.isRight) await awaitKeysAndCheck(context);
  return checked;
}

/** @throws ApiError 400 for an unknown one. */
function methodOf(context: LoginContext): Method {
  const usual = usualQueries.get(context.request.query);
  if (usual !== undefined) return usual;
  const { query } = context;
  if (!query.get('method')) throw fieldError('method', 'is required', '');
  const method = methodNamed(query);
  if (method === undefined) throw new ApiError('INVALID_AUTH_METHOD');
  return method;
}

function methodNamed(query: URLSearchParams): Method | undefined {
  const asked = query.get('method');
  return methods.find((known) => known === asked);
}
