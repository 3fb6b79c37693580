// Enrollment, and logins by certificate and by external JWT.

import { clientKey } from '../client-key.ts';
import { enrolledAnswer, enrolledChains, enrollmentTokens, enrollRequest } from '../enrolled.ts';
import type { ClientCertificates } from '../load/job.ts';
import type { Network } from '../network.ts';
import { enrolling, jwtLogin, providerOf } from '../provider.ts';
import { certificateLogin, loggedIn } from '../requests.ts';
import { type Scenario, supplyOf } from '../scenario.ts';

/** Enrollments prepared for a run: more than it can use in its window. */
const enrollments = 20_000;

/** Identities with a certificate, and with a token of an external provider. */
const holders = 250;

const enroll: Scenario = {
  name: 'enroll-ott',
  title: 'enroll by one-time token',
  listener: 'front',
  writes: true,
  smoke: true,
  spends: true,
  async load(stage) {
    const tokens = await enrollmentTokens(enrolling(stage), supplyOf(stage, enrollments));
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
      const chains = await enrolledChains(
        enrolling(stage),
        Math.min(holders, stage.network.size.identities),
      );
      client = { key: (await clientKey()).keyPem, chains };
      certificates.set(network, client);
    }
    return { ...certificateLogin, client, isFresh };
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
    if (tokens === undefined) {
      tokens = network.identityIds.slice(0, holders).map(await providerOf(stage));
      jwts.set(network, tokens);
    }
    return { request: jwtLogin(tokens, true), expect: loggedIn };
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
