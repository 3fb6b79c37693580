// What the provider says of itself: discovery, keys, and the user of an access token
// (behaviour/oidc#discovery).

import { createHash } from 'node:crypto';
import type { Reply } from '../declare/operations/operation.ts';
import { type Context, type Operation, operation } from './context.ts';
import { json, originOf } from './replies.ts';
import { grantTypes } from './token.ts';

/** The operations. */
export const discovery: readonly Operation[] = [
  operation({
    id: 'oidcDiscovery',
    oidc: 'protocol',
    path: '/.well-known/openid-configuration',
    answered: 'leader',
    access: 'public',
    summary: 'The endpoints and abilities of the provider',
    errors: [404],
    decide: (context) => tagged(context, documentOf(originOf(context))),
  }),
  operation({
    id: 'oidcKeys',
    oidc: 'protocol',
    path: '/keys',
    answered: 'leader',
    access: 'public',
    summary: 'The keys by which tokens are verified',
    errors: [404],
    decide(context) {
      originOf(context);
      return tagged(context, { keys: context.env.tokenKeys.jwks });
    },
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    operation({
      id: method === 'GET' ? 'oidcUserinfo' : 'oidcUserinfoByPost',
      oidc: 'protocol',
      method,
      path: '/userinfo',
      answered: 'leader',
      access: 'full',
      summary: 'The identity of an access token',
      errors: [401],
      writes: false,
      decide(context) {
        originOf(context);
        const { identity, isAdmin } = context.caller;
        return json({ sub: identity.id, name: identity.name, z_ia: isAdmin });
      },
    }),
  ),
];

/** A document that clients may keep, and ask whether it is still so. */
function tagged({ request }: Context, document: object): Reply {
  const body = JSON.stringify(document);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const headers = [['etag', etag] as const, ['cache-control', 'no-cache'] as const];
  const contentType = 'application/json';
  return request.header('if-none-match') === etag
    ? { form: 'bare', status: 304, contentType, body: '', headers }
    : { form: 'bare', status: 200, contentType, body, headers };
}

const claims =
  'iss sub aud exp iat auth_time amr azp nonce name at_hash c_hash client_id z_asid z_ia z_eid'.split(
    ' ',
  );

function documentOf(origin: string): object {
  const issuer = `${origin}/oidc`;
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/end_session`,
    scopes_supported: ['openid', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    claims_supported: claims,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    ui_locales_supported: ['en'],
    openziti_endpoints: {
      password: `${issuer}/login/password`,
      cert: `${issuer}/login/cert`,
      ext_jwt: `${issuer}/login/ext-jwt`,
      totp: `${issuer}/login/totp`,
      totp_enroll: `${issuer}/login/totp/enroll`,
      totp_enroll_verify: `${issuer}/login/totp/enroll/verify`,
      auth_queries: `${issuer}/login/auth-queries`,
    },
  };
}
