// The JWTs that clients enroll by, as they come out of the API: what they say and who signed them.

import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import t from 'tap';
import { fingerprint } from '../../../src/pki/x509/pem.ts';
import { enrollmentKind } from '../../../src/records/enrollment.ts';
import { tokenHash } from '../../../src/records/token-hash.ts';
import { makeCertificate } from '../../simulated/certificates.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

interface Enrollment {
  readonly token: string;
  readonly jwt: string;
}

/** Clients know the key from the TLS connection that they open to `iss` (behaviour/enrollment). */
async function verified(network: Network, jwt: string) {
  const { certificate } = network.core.authority.server;
  const { payload } = await jwtVerify(jwt, certificate.publicKey, {
    currentDate: new Date(network.clock.now()),
  });
  return { payload, header: decodeProtectedHeader(jwt), kid: fingerprint(certificate) };
}

t.test('the JWT of an enrollment, and of the same one refreshed', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'alice-password');
  const body = { identityId: alice, method: 'ott', expiresAt: '2026-01-01T01:00:00.900Z' };
  const id = await network.create('enrollments', body);
  const read = () => network.must<Enrollment>('GET', `M:/enrollments/${id}`);
  const before = await read();
  const { payload, header, kid } = await verified(network, before.jwt);
  t.same(header, { alg: 'ES256', typ: 'JWT', kid });
  t.same(payload, {
    iss: 'https://localhost:1280',
    sub: alice,
    aud: [''],
    jti: before.token,
    em: 'ott',
    exp: Date.parse('2026-01-01T01:00:00Z') / 1000,
    ctrls: [],
  });
  await network.must('POST', `M:/enrollments/${id}/refresh`, { expiresAt: '2026-02-01T00:00:00Z' });
  const after = await read();
  t.not(after.token, before.token);
  t.same((await verified(network, after.jwt)).payload, {
    ...payload,
    jti: after.token,
    exp: Date.parse('2026-02-01T00:00:00Z') / 1000,
  });
  const { token } = before;
  const table = network.env.store.table(enrollmentKind);
  t.equal(table.findBy('tokenHash', tokenHash(token)), undefined, 'the old token leads nowhere');
  await network.stop();
});

t.test('the secrets of an enrollment are opened once for many lists', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'alice-password');
  const id = await network.create('enrollments', {
    identityId: alice,
    method: 'ott',
    expiresAt: '2026-01-01T01:00:00Z',
  });
  const { sealing } = network.env;
  const open = sealing.open.bind(sealing);
  let opens = 0;
  t.intercept(sealing, 'open', {
    value: (...args: Parameters<typeof open>) => {
      opens += 1;
      return open(...args);
    },
  });
  const list = () => network.must<Enrollment[]>('GET', 'M:/enrollments');
  const first = await list();
  t.ok(opens > 0);
  opens = 0;
  t.same(await list(), first);
  t.equal(opens, 0);
  await network.must('POST', `M:/enrollments/${id}/refresh`, { expiresAt: '2026-02-01T00:00:00Z' });
  const [refreshed] = await list();
  t.ok(opens > 0, 'a refreshed one has others');
  t.not(refreshed?.jwt, first[0]?.jwt);
  await network.stop();
});

t.test('the JWT of a router says where the control channel is', async (t) => {
  const network = await bootNetwork();
  for (const [plural, method] of [
    ['edge-routers', 'erott'],
    ['transit-routers', 'trott'],
  ] as const) {
    const id = await network.create(plural, { name: plural });
    const read = await network.must<{ enrollmentJwt: string }>('GET', `M:/${plural}/${id}`);
    const { payload } = await verified(network, read.enrollmentJwt);
    t.match(payload, { sub: id, em: method, ctrls: ['tls:localhost:6262'] });
  }
  await network.stop();
});

t.test('what goes while a JWT is signed gets no enrollment', async (t) => {
  const network = await bootNetwork();
  const expiresAt = '2026-01-01T01:00:00Z';
  const alice = await network.createUser('alice', 'alice-password');
  const bob = await network.createUser('robert', 'bob-password');
  const [ofBob] = await network.must<{ id: string }[]>(
    'GET',
    `M:/identities/${bob}/authenticators`,
  );
  const asked = [
    network.call('POST', 'M:/enrollments', {
      body: { identityId: alice, method: 'ott', expiresAt },
    }),
    network.call('POST', `M:/authenticators/${ofBob?.id}/re-enroll`, { body: { expiresAt } }),
  ];
  const deleted = [`M:/identities/${alice}`, `M:/authenticators/${ofBob?.id}`];
  await Promise.all(deleted.map((path) => network.must('DELETE', path)));
  t.match(await Promise.all(asked), [
    { status: 400, cause: { field: 'identityId' } },
    { status: 404, code: 'NOT_FOUND' },
  ]);
  t.same(await network.must('GET', 'M:/enrollments'), []);
  await network.stop();
});

t.test('the JWT of a CA never ends and stays the same in what it says', async (t) => {
  const network = await bootNetwork();
  const { pem } = await makeCertificate({
    name: 'root',
    as: 'authority',
    keyType: 'ec-p256',
    nowMs: network.clock.now(),
  });
  const id = await network.create('cas', {
    name: 'ca',
    certPem: pem,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
  });
  const jwt = async () => (await network.call('GET', `M:/cas/${id}/jwt`)).body.toString();
  const first = await jwt();
  t.same((await verified(network, first)).payload, {
    iss: 'https://localhost:1280/',
    sub: id,
    jti: id,
    em: 'ca',
    aud: ['openziti-enroller'],
  });
  await network.advance(20 * 60_000);
  t.same(decodeJwt(await jwt()), decodeJwt(first));
  await network.stop();
});
