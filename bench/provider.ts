// An external provider of JWTs that the controller trusts, and logins with its tokens. This is the
// cheapest way to create many API sessions.

import { createSigner } from '../src/pki/tokens/signer.ts';
import { ApiClient } from './api-client.ts';
import { clientKey } from './client-key.ts';
import { type Enrolling, enrolledChains } from './enrolled.ts';
import type { RequestTemplate } from './load/job.ts';
import type { Network } from './network.ts';
import { loggedIn, post } from './requests.ts';
import type { Stage } from './scenario.ts';

/** Signs a token for the identity with this id, valid for a day. */
export type Provider = (identityId: string) => string;

/** The provider of a network, which is registered by its certificate on first use. */
export function providerOf(stage: Stage): Promise<Provider> {
  const { network } = stage;
  let provider = providers.get(network);
  if (provider === undefined) providers.set(network, (provider = register(stage)));
  return provider;
}

const providers = new WeakMap<Network, Promise<Provider>>();

async function register(stage: Stage): Promise<Provider> {
  const { key } = await clientKey();
  const { marks } = stage.network;
  const issuer = `https://${marks.prefix}provider.example`;
  const kid = marks.name('bench-key');
  const [certPem = ''] = await enrolledChains(enrolling(stage), 1);
  const admin = new ApiClient(stage.target);
  admin.token = stage.network.adminToken;
  const leaf = /-----BEGIN[^-]*-----[^-]*-----END[^-]*-----\n?/.exec(certPem)?.[0];
  await admin.create('external-jwt-signers', {
    name: marks.name('bench provider'),
    enabled: true,
    certPem: leaf,
    kid,
    issuer,
    audience: 'bench',
  });
  const signer = createSigner(key, kid);
  const iat = Math.floor(Date.now() / 1000) - 60;
  return (sub) =>
    signer.signNow(JSON.stringify({ iss: issuer, aud: 'bench', sub, iat, exp: iat + 86_400 }));
}

/** Logins with these tokens, one after the other. */
export function jwtLogin(jwts: readonly string[], repeats: boolean): RequestTemplate {
  const request = post('/edge/client/v1/authenticate?method=ext-jwt', '', '{}', {
    jwt: { kind: 'list', values: jwts, every: 1, repeats },
  });
  return { ...request, headers: { ...request.headers, authorization: 'Bearer {{jwt}}' } };
}

/** Logs identities in. @returns the token of each one's API session */
export async function logInByJwt(
  stage: Stage,
  identityIds: readonly string[],
): Promise<readonly string[]> {
  const provider = await providerOf(stage);
  const jwts = identityIds.map(provider);
  return await stage.network.bulk(jwts.length, jwtLogin(jwts, false), loggedIn);
}

/** The enrollment options of a stage. */
export function enrolling({ target, network, runName }: Stage): Enrolling {
  const { adminToken, bulk, marks } = network;
  return { target, marks, adminToken, bulk, runName };
}
