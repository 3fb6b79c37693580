// The token endpoint: it gives tokens for a code or another token (behaviour/oidc#tokens).

import type { Reply } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import { jwtCharactersMax } from '../pki/tokens/signer.ts';
import { rebound } from './bound-certificates.ts';
import { clientOf } from './clients.ts';
import { exchangeCode } from './code-exchange.ts';
import { type Context, type Operation, operation } from './context.ts';
import { type Granted, grantOf } from './grants.ts';
import { formType, invalidRequest, type Parameters, parametersOf } from './parameters.ts';
import { json, originOf } from './replies.ts';
import { idTokenOf, issue, issueAccess, renewed, tokensReply } from './tokens.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

const typePrefix = 'urn:ietf:params:oauth:token-type:';

/** The grant types, for discovery. */
export const grantTypes = ['authorization_code', 'refresh_token', exchangeGrant] as const;

/** The operation. */
export const tokenEndpoint: Operation = operation({
  id: 'oidcToken',
  oidc: 'protocol',
  method: 'POST',
  path: '/oauth/token',
  access: 'public',
  summary: 'Exchange a code or a token for tokens',
  rawTypes: [formType],
  errors: [400, 409, 429],
  creates: 'sometimes',
  decide(context) {
    originOf(context);
    const parameters = parametersOf(context);
    const grantType = parameters.one('grant_type');
    switch (grantType) {
      case '':
        throw invalidRequest('grant_type', 'is required');
      case 'authorization_code':
        return exchangeCode(context, parameters, clientOf(context, parameters));
      case 'refresh_token':
        return refresh(context, parameters, clientOf(context, parameters));
      case exchangeGrant:
        return exchangeToken(context, parameters, clientOf(context, parameters));
      default:
        throw new ApiError('UNSUPPORTED_GRANT_TYPE');
    }
  },
});

function refresh(context: Context, parameters: Parameters, client: string): Reply {
  const token = tokenIn(parameters, 'refresh_token');
  const granted = grantOf(context, token, 'r', client);
  if ('form' in granted) return granted;
  refuseWiderScope(parameters, granted);
  const next = rebound(context, granted, parameters);
  return json(tokensReply(context, issue(context, renewed(context, next))));
}

/** RFC 8693. The Go SDK and the CLI refresh by it. */
function exchangeToken(context: Context, parameters: Parameters, client: string): Reply {
  const token = tokenIn(parameters, 'subject_token');
  const subject = typeIn(parameters, 'subject_token_type');
  const requested = typeIn(parameters, 'requested_token_type') || 'refresh_token';
  if (subject !== 'refresh_token' && subject !== 'access_token') {
    throw invalidRequest('subject_token_type', 'is not one that is accepted here');
  }
  const granted = grantOf(context, token, subject === 'refresh_token' ? 'r' : 'a', client);
  if ('form' in granted) return granted;
  refuseWiderScope(parameters, granted);
  const issued = exchanged(context, parameters, requested, granted);
  return json({ ...issued, issued_token_type: typePrefix + requested });
}

function exchanged(
  context: Context,
  parameters: Parameters,
  requested: string,
  granted: Granted,
): object {
  switch (requested) {
    case 'refresh_token': {
      // Or a token of half an hour could be made one of days.
      if (granted.claims.z_t !== 'r') {
        throw invalidRequest('requested_token_type', 'is not given for an access token');
      }
      const next = rebound(context, granted, parameters);
      return tokensReply(context, issue(context, renewed(context, next)));
    }
    case 'access_token':
      return issueAccess(context, rebound(context, granted, parameters));
    case 'id_token': {
      const { text, expiresIn } = idTokenOf(context, granted, {});
      return { access_token: text, token_type: 'N_A', expires_in: expiresIn };
    }
    default:
      throw invalidRequest('requested_token_type', 'is not one that is issued here');
  }
}

/** @throws ApiError INVALID_REQUEST for one that is missing. */
function tokenIn(parameters: Parameters, name: string): string {
  const token = parameters.one(name, jwtCharactersMax);
  if (token === '') throw invalidRequest(name, 'is required');
  return token;
}

/** `access_token` of `urn:ietf:params:oauth:token-type:access_token`; empty for none. */
function typeIn(parameters: Parameters, name: string): string {
  const type = parameters.one(name);
  return type.startsWith(typePrefix) ? type.slice(typePrefix.length) : type && 'unknown';
}

/** @throws ApiError INVALID_SCOPE. */
function refuseWiderScope(parameters: Parameters, { claims }: Granted): void {
  const asked = parameters.one('scope').split(' ');
  if (asked.some((scope) => scope !== '' && !claims.scopes.includes(scope))) {
    throw new ApiError('INVALID_SCOPE');
  }
}
