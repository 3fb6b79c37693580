// Enrollment by tokens of external JWT signers whose keys are fetched, and by many at once
// (behaviour/external-jwt#enrollment-by-token).

import t, { type Test } from 'tap';
import { authenticatorKind } from '../../../src/records/authenticator.ts';
import { identityKind } from '../../../src/records/identity.ts';
import { claims, jwks, newKey, sign } from '../../auth/identity-provider.ts';
import { ScriptedFetch } from '../../auth/scripted-fetch.ts';
import { makeRequest } from '../../simulated/certificates.ts';
import {
  type Answer,
  bootNetwork,
  type Network,
  type NetworkOptions,
} from '../../simulated/network.ts';
import { certificatesIn } from './enrolling.ts';

const key = await newKey('ES256', 'one');
const later = await newKey('ES256', 'two');
const csr = await makeRequest('any');

/** A network whose identity provider publishes one key, and lets both kinds enroll. */
async function setUp(options: NetworkOptions = {}) {
  const provider = new ScriptedFetch();
  provider.body = jwks(key);
  const network = await bootNetwork({ fetch: provider.fetch, ...options });
  const signerId = await network.create('external-jwt-signers', {
    name: 'idp',
    issuer: 'https://idp.example.com',
    audience: 'edge',
    enabled: true,
    useExternalId: true,
    jwksEndpoint: 'https://idp.example.com/keys',
    enrollToCertEnabled: true,
    enrollToTokenEnabled: true,
  });
  return { network, provider, signerId };
}

function enroll(network: Network, token: string, body: object = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  return network.call('POST', 'C:/enroll/token', { token: null, headers, body });
}

function identitiesOf(network: Network): number {
  return network.env.store.table(identityKind).size;
}

t.test('many uses of one token at once make one identity', async (t) => {
  const { network } = await setUp();
  for (const [sub, body] of [
    ['ann', {}],
    ['bob', { clientCsr: csr }],
  ] as const) {
    const before = identitiesOf(network);
    const token = await sign(key, claims({ sub }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => enroll(network, token, body)),
    );
    const made = answers.filter(({ status }) => status === 200);
    const others = answers.filter(({ code }) => code === 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
    t.same([made.length, others.length], [1, 49], sub);
    t.equal(identitiesOf(network), before + 1);
  }
  t.equal([...network.env.store.table(authenticatorKind).rows()].length, 2, 'the admin and bob');
  t.same(network.logged, []);
  await network.stop();
});

t.test('the certificate is for the new identity, whatever the request names', async (t) => {
  const { network } = await setUp();
  const answer = await enroll(network, await sign(key), { clientCsr: csr });
  t.equal(answer.status, 200);
  const { cert } = answer.data as { cert: string };
  const [leaf, ...issuers] = certificatesIn(cert);
  const identity = network.env.store.table(identityKind).findBy('externalId', 'alice')?.record;
  const domain = network.core.authority.trustDomain;
  t.equal(leaf?.subject, 'CN=any');
  t.equal(leaf?.subjectAltName, `URI:spiffe://${domain}/identity/${identity?.id}`);
  t.equal(issuers.length, 1);
  await network.stop();
});

t.test('a key that is not known yet is waited for', async (t) => {
  const { network, provider } = await setUp();
  network.clock.advance(1000);
  provider.body = jwks(key, later);
  t.match(await enroll(network, await sign(later)), { status: 200 });
  t.equal(provider.asked.length, 2);
  await network.stop();
});

t.test('those that wait for keys are bounded, and what they rest on may change', async (t) => {
  const { network, provider, signerId } = await setUp({ limits: { authenticationsWaitingMax: 1 } });
  network.clock.advance(1000);
  provider.body = jwks(key, later);
  provider.hold();
  const token = await sign(later);
  const waiting = enroll(network, token);
  t.match(await enroll(network, token), { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  const headers = { authorization: `Bearer ${token}` };
  const general = await network.call('POST', 'C:/enroll?method=token', { token: null, headers });
  t.match(general, { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  t.match(await enroll(network, await sign(key)), { status: 200 }, 'a known key does not wait');
  await network.must('PATCH', `M:/external-jwt-signers/${signerId}`, { enabled: false });
  provider.release();
  refused(t, await waiting);
  await network.stop();
});

t.test('nothing of a token is in an answer or a log line', async (t) => {
  const { network } = await setUp();
  const token = await sign(key, claims({ aud: 'others' }));
  const answer = await enroll(network, token);
  refused(t, answer);
  const [, payload = '', signature = ''] = token.split('.');
  for (const part of [payload, signature]) t.notOk(answer.body.includes(part));
  t.same(network.logged, []);
  await network.stop();
});

function refused(t: Test, answer: Answer): void {
  t.match(answer, { status: 400, code: 'INVALID_ENROLLMENT_TOKEN' });
}
