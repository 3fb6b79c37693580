// The keys that the controller publishes are those it signs with: enrollment JWTs, session tokens,
// challenges.

import { verify, X509Certificate } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import t from 'tap';
import { adminPassword, bootNetwork } from '../../simulated/network.ts';
import { certificatesIn, newEdgeRouter, newIdentity } from './enrolling.ts';

t.test('JWTs verify by the JWKS, whose certificates are those of the API', async (t) => {
  const network = await bootNetwork();
  const answer = await network.call('GET', 'C:/enroll/jwks', { token: null });
  const jwks = answer.json() as JSONWebKeySet;
  const keys = createLocalJWKSet(jwks);
  const check = (jwt: string) =>
    jwtVerify(jwt, keys, { currentDate: new Date(network.clock.now()) });
  const desk = await newIdentity(network, 'desk');
  t.match((await check(desk.jwt)).payload, { sub: desk.id, em: 'ott', jti: desk.token });
  const edge = await newEdgeRouter(network, 'edge');
  t.match((await check(edge.jwt)).payload, { sub: edge.id, em: 'erott' });

  const { server } = network.core.authority;
  const [own, ofTokens] = jwks.keys;
  const chain = (own?.x5c ?? []).map((text) => new X509Certificate(Buffer.from(text, 'base64')));
  t.equal(chain[0]?.fingerprint256, server.certificate.fingerprint256, 'the leaf of TLS is first');
  t.same(ofTokens?.x5c, undefined, 'no certificate holds the token key');
  for (const key of jwks.keys) t.equal(key.d, undefined, 'nothing private');

  await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  await network.create('edge-router-policies', {
    name: 'all',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  await network.create('service-edge-router-policies', {
    name: 'all',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  const serviceId = await network.create('services', { name: 'web', encryptionRequired: true });
  const token = await network.login('admin', adminPassword);
  const body = { serviceId, type: 'Dial' };
  const session = await network.must<{ token: string }>('POST', 'C:/sessions', body, token);
  t.match((await check(session.token)).payload, { sub: serviceId });
  await network.stop();
});

t.test('a challenge is signed with the key of the API', async (t) => {
  const network = await bootNetwork();
  const { keys } = (await network.call('GET', 'C:/enroll/jwks')).json() as {
    keys: { kid: string }[];
  };
  const nonce = '7b9e4a52-3f0f-4a30-9d3e-6f9a55d0c1aa';
  const answer = await network.call('POST', 'C:/enroll/challenge', {
    token: null,
    body: { keyId: keys[0]?.kid, nonce },
  });
  const { signature, caPool, algorithm } = answer.json() as Record<string, string>;
  t.equal(algorithm, 'ES256');
  const key = network.core.authority.server.certificate.publicKey;
  const bytes = Buffer.from(signature ?? '', 'base64');
  const isSigned = (text: string) =>
    verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes);
  t.ok(isSigned(nonce));
  t.notOk(isSigned(nonce.replace('7', '8')));
  const anchors = network.core.authority.anchors.map(({ fingerprint256 }) => fingerprint256);
  t.same(
    certificatesIn(caPool ?? '').map((one) => one.fingerprint256),
    anchors,
  );
  await network.stop();
});
