// Enrollment with keys and requests that openssl made: every kind of key, many uses of one token at
// once, ends that pass.

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { fingerprint } from '../../../src/pki/x509/pem.ts';
import { authenticatorKind } from '../../../src/records/authenticator.ts';
import { enrollmentKind } from '../../../src/records/enrollment.ts';
import { tokenHash } from '../../../src/records/token-hash.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import { Openssl } from '../../simulated/openssl.ts';
import { certificatesIn, enrollWith, newEdgeRouter, newIdentity } from './enrolling.ts';

const directory = t.testdir();
const openssl = new Openssl(directory);

interface Certs {
  readonly ca: string;
  readonly cert: string;
  readonly serverCert: string;
}

/** Whether openssl trusts the first certificate of a chain for a purpose, by the CAs answered. */
function trusted(network: Network, certs: Certs, chain: string, purpose: string): string {
  const [leafPath, chainPath, caPath] = ['leaf', 'chain', 'ca'].map((one) => join(directory, one));
  if (leafPath === undefined || chainPath === undefined || caPath === undefined) return '';
  writeFileSync(leafPath, certificatesIn(chain)[0]?.toString() ?? '');
  writeFileSync(chainPath, chain);
  writeFileSync(caPath, certs.ca);
  const time = String(Math.trunc(network.clock.now() / 1000));
  const words = ['-x509_strict', '-attime', time, '-purpose', purpose, '-CAfile', caPath];
  return openssl.run('verify', ...words, '-untrusted', chainPath, leafPath).toString();
}

t.test('identities with keys of every kind enroll and log in', async (t) => {
  const network = await bootNetwork();
  const domain = network.core.authority.trustDomain;
  for (const key of ['rsa-2048', 'rsa-4096', 'p-256', 'p-384'] as const) {
    const { id, token } = await newIdentity(network, key);
    const { pem, keyPath } = openssl.request({ subject: `/O=x/CN=${key}`, key });
    const answer = await enrollWith(network, token, pem);
    t.equal(answer.status, 200, key);
    const certs = answer.data as Certs;
    const [leaf, middle, ...others] = certificatesIn(certs.cert);
    if (leaf === undefined || middle === undefined) return t.fail('no chain');
    t.same(others, [], 'the root is left out');
    t.ok(leaf.publicKey.equals(createPublicKey(createPrivateKey(readFileSync(keyPath)))));
    t.equal(leaf.subject, `O=x\nCN=${key}`);
    t.equal(leaf.subjectAltName, `URI:spiffe://${domain}/identity/${id}`);
    t.match(trusted(network, certs, certs.cert, 'sslclient'), /: OK\n$/, key);
    const { authenticators } = await network.must<{ authenticators: unknown }>(
      'GET',
      `M:/identities/${id}`,
    );
    t.match(authenticators, { cert: { fingerprint: fingerprint(leaf) } });
    const login = await network.call('POST', 'C:/authenticate?method=cert', {
      token: null,
      body: {},
      certificates: [leaf.raw, middle.raw],
    });
    t.match(login, { status: 200, data: { identityId: id } }, key);
  }
  t.same(network.logged, []);
  await network.stop();
});

t.test('routers with keys of every kind enroll and extend', async (t) => {
  const network = await bootNetwork();
  for (const key of ['rsa-2048', 'rsa-4096', 'p-256', 'p-384'] as const) {
    const { id, token } = await newEdgeRouter(network, key);
    const client = openssl.request({ subject: `/CN=${id}`, key });
    const extensions = ['subjectAltName=DNS:edge.example,IP:10.0.0.1'];
    const server = openssl.request({ subject: '/CN=edge', key, extensions });
    const body = { certCsr: client.pem, serverCertCsr: server.pem };
    const path = `C:/enroll?method=erott&token=${token}`;
    const first = await network.call('POST', path, { token: null, body });
    t.equal(first.status, 200, key);
    const certs = first.data as Certs;
    t.match(trusted(network, certs, certs.cert, 'sslclient'), /: OK\n$/, key);
    t.match(trusted(network, certs, certs.serverCert, 'sslserver'), /: OK\n$/, key);
    const [shown] = certificatesIn(certs.cert);
    const names = certificatesIn(certs.serverCert)[0]?.subjectAltName;
    t.equal(names, 'DNS:edge.example, IP Address:10.0.0.1');
    const certificates = shown === undefined ? [] : [shown.raw];
    const extend = () =>
      network.call('POST', 'C:/enroll/extend/router', { token: null, body, certificates });
    t.equal((await extend()).status, 200, key);
    t.match(await extend(), { status: 401, code: 'UNAUTHORIZED' }, 'the old one is dead at once');
  }
  t.same(network.logged, []);
  await network.stop();
});

t.test('a router certificate that has ended extends nothing', async (t) => {
  const network = await bootNetwork();
  const { id, token } = await newEdgeRouter(network, 'edge');
  const { pem } = openssl.request({ subject: `/CN=${id}` });
  const body = { certCsr: pem, serverCertCsr: pem };
  const path = `C:/enroll?method=erott&token=${token}`;
  const { cert } = (await network.call('POST', path, { token: null, body })).data as Certs;
  const certificates = certificatesIn(cert).map(({ raw }) => raw);
  const extend = () =>
    network.call('POST', 'C:/enroll/extend/router', { token: null, body, certificates });
  network.clock.sleep(365 * 86_400_000 + 1);
  t.match(await extend(), { status: 401, code: 'UNAUTHORIZED' });
  await network.stop();
});

t.test('of 100 uses of one token at once one succeeds', async (t) => {
  const network = await bootNetwork();
  const { pem } = openssl.request({ subject: '/CN=desk' });
  const desk = await newIdentity(network, 'desk');
  const password = await newIdentity(network, 'user', { updb: 'user-name' });
  const router = await newEdgeRouter(network, 'edge');
  const own = openssl.request({ subject: `/CN=${router.id}` }).pem;
  const uses = [
    () => enrollWith(network, desk.token, pem),
    () =>
      network.call('POST', `C:/enroll/updb?token=${password.token}`, {
        token: null,
        body: { password: 'long-enough' },
      }),
    () =>
      network.call('POST', `C:/enroll?token=${router.token}`, {
        token: null,
        body: { certCsr: own, serverCertCsr: own },
      }),
  ];
  for (const use of uses) {
    const answers = await Promise.all(Array.from({ length: 100 }, use));
    const counts: Record<string, number> = {};
    for (const { status, code } of answers) {
      const key = `${status} ${code}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    t.same(counts, { '200 undefined': 1, '404 INVALID_ENROLLMENT_TOKEN': 99 });
  }
  const certificates = network.env.store.table(authenticatorKind);
  t.equal([...certificates.members('identityId', desk.id)].length, 1);
  t.equal([...certificates.members('identityId', password.id)].length, 1);
  t.same(network.logged, []);
  await network.stop();
});

t.test('an enrollment expires by itself, stays, and can be refreshed', async (t) => {
  const network = await bootNetwork();
  const { id, token } = await newIdentity(network, 'desk');
  const table = network.env.store.table(enrollmentKind);
  const stateOf = () =>
    (table.findBy('tokenHash', tokenHash(token))?.record as { state?: string })?.state;
  await network.advance(180 * 60_000 - 1);
  t.equal(stateOf(), 'outstanding');
  await network.advance(1);
  t.equal(stateOf(), 'expired', 'no request was needed');
  await network.logInAdmin();
  const { pem } = openssl.request({ subject: '/CN=desk' });
  t.match(await enrollWith(network, token, pem), { status: 400, code: 'ENROLLMENT_EXPIRED' });
  const listed = await network.call('GET', `M:/identities/${id}/enrollments`);
  t.match(listed.data, [{ token }], 'it is still shown');
  const [{ id: enrollmentId }] = listed.data as [{ id: string }];
  const expiresAt = new Date(network.clock.now() + 60_000).toISOString();
  await network.must('POST', `M:/enrollments/${enrollmentId}/refresh`, { expiresAt });
  const anew = await network.must<{ token: string }>('GET', `M:/enrollments/${enrollmentId}`);
  t.equal((await enrollWith(network, anew.token, pem)).status, 200);
  await network.stop();
});

t.test('what a password rests on may change while it is hashed', async (t) => {
  const network = await bootNetwork();
  const { id, token } = await newIdentity(network, 'desk', { updb: 'desk-user' });
  const enroll = (path: string) =>
    network.call('POST', path, { token: null, body: { password: 'long-enough' } });
  network.hasher.hold();
  const waiting = enroll(`C:/enroll?method=updb&token=${token}`);
  await network.clock.settle();
  t.equal(network.hasher.heldCount, 1);
  await network.must('DELETE', `M:/identities/${id}`);
  network.hasher.release();
  t.match(await waiting, { status: 404, code: 'INVALID_ENROLLMENT_TOKEN' });

  const other = await newIdentity(network, 'late', { updb: 'late-user' });
  network.hasher.hold();
  const late = enroll(`C:/enroll/updb?token=${other.token}`);
  await network.clock.settle();
  await network.advance(9_000);
  const table = network.env.store.table(enrollmentKind);
  const row = table.findBy('tokenHash', tokenHash(other.token));
  if (row === undefined) return t.fail('no enrollment');
  await network.must('POST', `M:/enrollments/${row.record.id}/refresh`, {
    expiresAt: new Date(network.clock.now() + 60_000).toISOString(),
  });
  network.hasher.release();
  t.match(await late, { status: 404, code: 'INVALID_ENROLLMENT_TOKEN' }, 'its token was replaced');
  await network.stop();
});

t.test('a full queue of hashes is 429, and the token stays good', async (t) => {
  const network = await bootNetwork({ limits: { authenticationsWaitingMax: 0 } });
  const { token } = await newIdentity(network, 'desk', { updb: 'desk-user' });
  network.hasher.hold();
  const running: Promise<unknown>[] = [];
  for (let refused = false; !refused; ) {
    const held = network.hasher.heldCount;
    running.push(network.login('admin', 'admin-password').catch(() => undefined));
    await network.clock.settle();
    refused = network.hasher.heldCount === held;
  }
  const paths = [`C:/enroll/updb?token=${token}`, `C:/enroll?method=updb&token=${token}`];
  const enroll = (path = '') =>
    network.call('POST', path, { token: null, body: { password: 'long-enough' } });
  for (const path of paths) {
    t.match(await enroll(path), { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  }
  network.hasher.release();
  await Promise.all(running);
  t.equal((await enroll(paths[0])).status, 200);
  await network.stop();
});
