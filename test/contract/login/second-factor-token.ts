// A network whose administrator alice has to show a token of an identity provider as a second
// factor.

import { jwks, newKey } from '../../auth/identity-provider.ts';
import { ScriptedFetch } from '../../auth/scripted-fetch.ts';
import { bootNetwork, type NetworkOptions } from '../../simulated/network.ts';
import { anyPrimary } from '../privileges/callers.ts';

/** The key that the provider publishes. */
export const key = await newKey('ES256', 'ec');
/** A key that it does not publish yet. */
export const later = await newKey('ES256', 'later');
export const issuer = 'https://idp.example.com';

/** An administrator whose policy asks for a token of the signer beside the password. */
export async function setUp(options: NetworkOptions = {}, isAdmin = true) {
  const provider = new ScriptedFetch();
  provider.body = jwks(key);
  const network = await bootNetwork({ fetch: provider.fetch, ...options });
  const signerId = await network.create('external-jwt-signers', {
    name: 'idp',
    issuer,
    audience: 'edge',
    enabled: true,
    useExternalId: true,
    jwksEndpoint: `${issuer}/keys`,
    externalAuthUrl: `${issuer}/login`,
    clientId: 'edge',
    scopes: ['openid'],
  });
  const authPolicyId = await network.create('auth-policies', {
    name: 'two factors',
    primary: anyPrimary,
    secondary: { requireTotp: false, requireExtJwtSigner: signerId },
  });
  const more = { isAdmin, externalId: 'alice', authPolicyId };
  const alice = await network.createUser('alice', 'alice-password', more);
  const call = (path: string, session: string, token?: string, method = 'GET', body?: object) =>
    network.call(method, path, {
      token: session,
      body,
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
  return { network, provider, signerId, authPolicyId, alice, call };
}

/** The result of `setUp`. */
export type SecondFactor = Awaited<ReturnType<typeof setUp>>;
