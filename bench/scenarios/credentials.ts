// Enrollment, and logins by certificate and by external JWT.

import { createSigner } from '../../src/pki/signer.ts';
import { ApiClient } from '../api-client.ts';
import { clientKey } from '../client-key.ts';
import { enrolledAnswer, enrolledChains, enrollmentTokens, enrollRequest } from '../enrolled.ts';
import type { ClientCertificates } from '../load/job.ts';
import type { Network } from '../network.ts';
import { loggedIn, post } from '../requests.ts';
import type { Load, Scenario, Stage } from '../scenario.ts';

/** Enrollments that a run is given: more than it can use in its window. */
const enrollments = 20_000;

/** Identities with a certificate, and with a token of an external provider. */
const holders = 250;

const enroll: Scenario = {
  name: 'enroll-ott',
  title: 'enroll by one-time token',
  listener: 'front',
  writes: true,
  smoke: true,
  async load(stage) {
    const tokens = await enrollmentTokens(enrolling(stage), few(stage, enrollments));
    return { request: await enrollRequest(tokens), expect: enrolledAnswer };
  },
};

const byCertificate = (isFresh: boolean): Scenario => ({
  name: `authenticate-cert-${isFresh ? 'fresh' : 'kept'}`,
  title: `authenticate by certificate, ${isFresh ? 'a connection each' : 'kept alive'}`,
  listener: 'front',
  writes: true,
  smoke: true,
  async load(stage) {
    const { network } = stage;
    let client = certificates.get(network);
    if (client === undefined) {
      const chains = await enrolledChains(enrolling(stage), few(stage, holders));
      client = { key: (await clientKey()).keyPem, chains };
      certificates.set(network, client);
    }
    return { ...login('cert', {}), client, isFresh };
  },
});

const certificates = new WeakMap<Network, ClientCertificates>();

const byJwt: Scenario = {
  name: 'authenticate-ext-jwt',
  title: 'authenticate by external JWT',
  listener: 'front',
  writes: true,
  smoke: true,
  async load(stage) {
    const { network } = stage;
    let tokens = jwts.get(network);
    if (tokens === undefined) jwts.set(network, (tokens = await providerTokens(stage)));
    const slots = { jwt: { kind: 'list', values: tokens, every: 1, repeats: true } } as const;
    return login('ext-jwt', { headers: { authorization: 'Bearer {{jwt}}' }, slots });
  },
};

const jwts = new WeakMap<Network, readonly string[]>();

/** The scenarios. */
export const credentialScenarios: readonly Scenario[] = [
  byCertificate(false),
  byCertificate(true),
  byJwt,
  enroll,
];

/** A login without a body, as SDKs send it when they show a certificate or a token. */
function login(
  method: 'cert' | 'ext-jwt',
  { headers = {}, slots = {} }: Partial<Load['request']>,
): Load {
  const request = post(`/edge/client/v1/authenticate?method=${method}`, '', '{}', slots);
  return {
    request: { ...request, headers: { ...request.headers, ...headers } },
    expect: loggedIn,
  };
}

/** Registers a provider by its certificate. @returns a token for each of some identities */
async function providerTokens(stage: Stage): Promise<readonly string[]> {
  const { network, controller } = stage;
  const { key } = await clientKey();
  const [certPem = ''] = await enrolledChains(enrolling(stage), 1);
  const admin = new ApiClient(controller);
  admin.token = network.adminToken;
  const issuer = 'https://provider.example';
  const kid = 'bench-key';
  const leaf = /-----BEGIN[^-]*-----[^-]*-----END[^-]*-----\n?/.exec(certPem)?.[0];
  await admin.create('external-jwt-signers', {
    ...{ name: 'bench provider', enabled: true, certPem: leaf, kid },
    ...{ issuer, audience: 'bench' },
  });
  const signer = createSigner(key, kid);
  const iat = Math.floor(Date.now() / 1000) - 60;
  return network.identityIds
    .slice(0, holders)
    .map((sub) =>
      signer.sign(JSON.stringify({ iss: issuer, aud: 'bench', sub, iat, exp: iat + 86_400 })),
    );
}

function enrolling({ controller, network, runName }: Stage) {
  const { adminToken, bulk } = network;
  return { controller, adminToken, bulk, runName };
}

/** Fewer in the small home of a smoke run. */
function few({ network }: Stage, count: number): number {
  return Math.min(count, network.size.identities * 10);
}
