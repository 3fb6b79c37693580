// The caller's own certificates with keys and requests that openssl made: extension and login
// (behaviour/certificates), and certificates of API sessions (behaviour/api-sessions#certificates).

import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { fingerprint } from '../../../src/pki/x509/pem.ts';
import { sessionCertificateKind } from '../../../src/records/session-certificate.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import { authorityExtensions, Openssl, type OpensslKey } from '../../simulated/openssl.ts';
import { certificatesIn, enrollWith, newIdentity } from './enrolling.ts';

const openssl = new Openssl(t.testdir());
const keys = ['rsa-2048', 'rsa-4096', 'p-256', 'p-384'] as const;
const dayMs = 86_400_000;

/** An identity that enrolled, with its certificate and a session it logged in to by it. */
interface Client {
  readonly id: string;
  readonly chain: string;
  readonly shown: readonly Buffer[];
  readonly authenticatorId: string;
  readonly token: string;
}

async function client(network: Network, name: string, key: OpensslKey = 'p-256'): Promise<Client> {
  const { id, token: enrollment } = await newIdentity(network, name);
  const request = openssl.request({ subject: `/CN=${name}`, key }).pem;
  const answer = await enrollWith(network, enrollment, request);
  const { cert: chain } = answer.data as { cert: string };
  const shown = ders(chain);
  const login = await logIn(network, shown);
  const { authenticatorId, token } = login.data as { authenticatorId: string; token: string };
  return { id, chain, shown, authenticatorId, token };
}

const ders = (chain: string) => certificatesIn(chain).map(({ raw }) => raw);

const logIn = (network: Network, certificates: readonly Buffer[]) =>
  network.call('POST', 'C:/authenticate?method=cert', { token: null, body: {}, certificates });

const pathOf = ({ authenticatorId }: Client, more = '') =>
  `C:/current-identity/authenticators/${authenticatorId}${more}`;

function extend(network: Network, from: Client, csr: string, certificates = from.shown) {
  const { token } = from;
  const body = { clientCertCsr: csr };
  return network.call('POST', pathOf(from, '/extend'), { token, body, certificates });
}

function verify(network: Network, from: Client, clientCert: string) {
  const { token } = from;
  return network.call('POST', pathOf(from, '/extend-verify'), { token, body: { clientCert } });
}

t.test('active, extend: a new certificate is pending and the old one stays valid', async (t) => {
  const network = await bootNetwork();
  for (const key of keys) {
    const desk = await client(network, `desk-${key}`, key);
    const { pem, keyPath } = openssl.request({ subject: `/O=next/CN=${key}`, key });
    const answer = await extend(network, desk, pem);
    const { clientCert, ca } = answer.data as { clientCert: string; ca: string };
    const [leaf, middle, ...others] = certificatesIn(clientCert);
    const [root] = certificatesIn(ca);
    const [old] = certificatesIn(desk.chain);
    if (!leaf || !middle || !root || !old) return t.fail(`${key}: ${answer.body.toString()}`);
    t.same(others, [], 'the root is left out');
    t.ok(leaf.publicKey.equals(createPublicKey(createPrivateKey(readFileSync(keyPath)))), key);
    t.equal(leaf.subject, `O=next\nCN=${key}`, 'as the request says');
    t.equal(leaf.subjectAltName, old.subjectAltName, 'the names of the one in use');
    t.ok(leaf.checkIssued(middle) && leaf.verify(middle.publicKey));
    t.ok(middle.checkIssued(root) && middle.verify(root.publicKey));
    t.equal((await logIn(network, desk.shown)).status, 200, 'the old one');
    t.equal((await logIn(network, ders(clientCert))).status, 401, 'the new one, not yet verified');
  }
  t.same(network.logged, []);
  await network.stop();
});

t.test('new pending, extend-verify: later connections use the new certificate', async (t) => {
  const network = await bootNetwork();
  for (const key of keys) {
    const desk = await client(network, `desk-${key}`);
    const { pem } = openssl.request({ subject: `/CN=${key}`, key });
    const { clientCert } = (await extend(network, desk, pem)).data as { clientCert: string };
    t.match(await verify(network, desk, clientCert), { status: 200, data: {} });
    t.equal((await logIn(network, desk.shown)).status, 401, 'the old one');
    const login = await logIn(network, ders(clientCert));
    t.match(login, { status: 200, data: { authenticatorId: desk.authenticatorId } });
    t.match(await network.must('GET', `M:/identities/${desk.id}`), {
      authenticators: {
        cert: { fingerprint: fingerprint(certificatesIn(clientCert)[0] as never) },
      },
    });
    const { token } = desk;
    t.equal((await network.call('GET', 'C:/current-identity', { token })).status, 200);
  }
  await network.stop();
});

t.test('extend refuses requests that are no good, and the certificate stays', async (t) => {
  const network = await bootNetwork();
  const desk = await client(network, 'desk');
  const good = openssl.request({ subject: '/CN=next' }).pem;
  const broken = Buffer.from(good.replace(/-----[^-]+-----/g, ''), 'base64');
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
  const requests: Readonly<Record<string, string>> = {
    'a weak key': openssl.request({ subject: '/CN=next', key: 'rsa-1024' }).pem,
    'a curve of another kind': openssl.request({ subject: '/CN=next', key: 'secp256k1' }).pem,
    'a bad signature of its own': broken.toString('base64'),
    'a certificate': desk.chain,
    'half of one': good.slice(0, 200),
    'no PEM': 'garbage',
    'a huge one': good + 'x'.repeat(20_000),
  };
  for (const [what, csr] of Object.entries(requests)) {
    const answer = await extend(network, desk, csr);
    t.match(answer, { status: 400, code: 'COULD_NOT_PROCESS_CSR' }, what);
    t.match(answer.cause, { field: 'clientCertCsr', reason: /./, value: '' }, what);
    const session = await network.call('POST', 'C:/current-api-session/certificates', {
      token: desk.token,
      body: { csr },
    });
    t.match(session, { status: 400, code: 'COULD_NOT_PROCESS_CSR', cause: { field: 'csr' } }, what);
  }
  t.equal((await extend(network, desk, good)).status, 200);
  t.same(network.logged, []);
  await network.stop();
});

t.test('extend is for the very certificate: no chain of another, not one alone', async (t) => {
  const network = await bootNetwork();
  const desk = await client(network, 'desk');
  const other = await client(network, 'other');
  const csr = openssl.request({ subject: '/CN=next' }).pem;
  const ca = openssl.certificate({ subject: '/CN=ca', extensions: authorityExtensions });
  const foreign = openssl.certificate({ subject: '/CN=desk', issuer: ca });
  const [leaf = Buffer.alloc(0), middle = Buffer.alloc(0)] = desk.shown;
  const chains: readonly (readonly [string, readonly Buffer[], number])[] = [
    ['none', [], 401],
    ['that of another identity', other.shown, 401],
    ['of another CA', [foreign.der, ca.der], 401],
    ['the CA itself', [middle], 401],
    ['garbage', [Buffer.from('garbage')], 401],
    ['ours behind a foreign one', [foreign.der, leaf, middle], 401],
    ['a hundred', [leaf, ...Array.from({ length: 99 }, () => middle)], 401],
    // What stands above is known to the controller (behaviour/login#chains).
    ['without its intermediate', [leaf], 200],
    ['in another order, with others between', [leaf, ca.der, middle], 200],
  ];
  for (const [what, certificates, status] of chains) {
    t.equal((await extend(network, desk, csr, certificates)).status, status, what);
  }
  t.same(network.logged, []);
  await network.stop();
});

t.test('a certificate that has ended can still be followed (behaviour/certificates)', async (t) => {
  const network = await bootNetwork();
  const desk = await client(network, 'desk');
  await network.sleep(330 * dayMs);
  // By days, so that the certificate of the API is renewed when it is due.
  for (let day = 0; day < 70; day += 1) {
    await network.sleep(dayMs);
    await network.core.serving.check();
  }
  const login = await logIn(network, desk.shown);
  t.equal(login.status, 200, 'the default policy lets it in');
  const late = { ...desk, token: (login.data as { token: string }).token };
  const { pem } = openssl.request({ subject: '/CN=next' });
  const { clientCert } = (await extend(network, late, pem)).data as { clientCert: string };
  t.equal((await verify(network, late, clientCert)).status, 200);
  const [leaf] = certificatesIn(clientCert);
  t.ok((leaf?.validToDate.getTime() ?? 0) > network.clock.now() + 364 * dayMs);
  t.same(network.logged, []);
  await network.stop();
});

/** One that the network issued, alone in its text. */
const alone = ({ chain }: Client) => certificatesIn(chain)[0]?.toString() ?? '';

t.test('an administrator moves a certificate of ours to another identity', async (t) => {
  const network = await bootNetwork();
  const desk = await client(network, 'desk');
  const identityId = await network.create('identities', {
    name: 'tablet',
    type: 'Default',
    isAdmin: false,
  });
  const body = { method: 'cert', identityId, certPem: alone(desk) };
  const create = (certPem: string) =>
    network.call('POST', 'M:/authenticators', { body: { ...body, certPem } });
  const inUse = { code: 'COULD_NOT_VALIDATE', cause: { field: 'fingerprint' } };
  t.match(await create(body.certPem), inUse);
  t.match(await create(desk.chain), inUse, 'a chain counts as its first certificate');
  const twice = { status: 400, code: 'COULD_NOT_PARSE_PEM_BLOCK' };
  t.match(await create(body.certPem + body.certPem), twice);
  await network.must('DELETE', `M:/authenticators/${desk.authenticatorId}`);
  const { id } = (await create(body.certPem)).data as { id: string };
  t.match(await network.must('GET', `M:/authenticators/${id}`), {
    isIssuedByNetwork: true,
    lastAuthResolvedToRoot: false,
    certPem: body.certPem,
  });
  const login = await logIn(network, desk.shown);
  t.match(login, { status: 200, data: { identityId, isCertExtendable: true } });
  t.match(await network.must('GET', `M:/authenticators/${id}`), { lastAuthResolvedToRoot: true });
  await logIn(network, desk.shown.slice(0, 1));
  t.match(await network.must('GET', `M:/authenticators/${id}`), { lastAuthResolvedToRoot: false });
  await revertsToOneTimeToken(t, network, id, identityId);
  await network.stop();
});

async function revertsToOneTimeToken(t: Test, network: Network, id: string, identityId: string) {
  const body = { expiresAt: '2026-01-02T00:00:00Z' };
  const answer = await network.call('POST', `M:/authenticators/${id}/re-enroll`, { body });
  t.equal(answer.status, 201);
  const enrollment = `M:/enrollments/${(answer.data as { id: string }).id}`;
  const made = await network.must<Record<string, unknown>>('GET', enrollment);
  t.match(made, { method: 'ott', identityId });
  t.notOk('caId' in made || 'username' in made);
  t.equal((await network.call('GET', `M:/authenticators/${id}`)).status, 404);
}

t.test('filters by the key, and by who looked up to a root', async (t) => {
  const network = await bootNetwork();
  const desk = await client(network, 'desk');
  const [leaf] = certificatesIn(desk.chain);
  const spki = leaf?.publicKey.export({ type: 'spki', format: 'der' }) ?? Buffer.alloc(0);
  const print = createHash('sha256').update(spki).digest('hex');
  const found = async (filter: string) =>
    (await network.call('GET', `M:/authenticators?filter=${encodeURIComponent(filter)}`)).pagination
      ?.totalCount;
  t.equal(await found(`publicKeyPrint = "${print}"`), 1);
  t.equal(await found('publicKeyPrint = null'), 1, 'the password of the administrator');
  t.equal(await found('lastAuthResolvedToRoot = true'), 1);
  t.equal(await found('isExtendRequested = true or isKeyRollRequested = true'), 0);
  t.equal(await found('extendRequestedAt = null'), 2);
  await network.stop();
});

t.test('session certificates: what they say, how many there may be, how they end', async (t) => {
  const network = await bootNetwork({ bounds: { sessionCertificatesMax: 3 } });
  const id = await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const path = 'C:/current-api-session/certificates';
  const issue = (key: OpensslKey) => {
    const extensions = ['subjectAltName=DNS:evil.example,URI:spiffe://other/identity/admin'];
    const csr = openssl.request({ subject: '/O=x/CN=admin', key, extensions }).pem;
    return network.call('POST', path, { token, body: { csr } });
  };
  const session = await network.must<{ id: string }>(
    'GET',
    'C:/current-api-session',
    undefined,
    token,
  );
  const domain = network.core.authority.trustDomain;
  for (const key of ['rsa-2048', 'p-256', 'p-384'] as const) {
    const answer = await issue(key);
    const { id: own, certificate } = answer.data as { id: string; certificate: string };
    const [leaf] = certificatesIn(certificate);
    t.equal(leaf?.subject, `CN=${id}`, 'whatever the request asks for');
    const names = `identity/${id}/apiSession/${session.id}/apiSessionCertificate/${own}`;
    t.equal(leaf?.subjectAltName, `URI:spiffe://${domain}/${names}`);
    t.same(leaf?.keyUsage, ['1.3.6.1.5.5.7.3.2'], 'for clients');
    t.equal(leaf?.validToDate.getTime(), network.clock.now() + 12 * 3_600_000);
  }
  t.match(await issue('p-256'), { status: 429, code: 'RATE_LIMITED' });
  for (let half = 0; half < 26; half += 1) {
    await network.advance(1_740_000);
    await network.must('GET', 'C:/current-api-session', undefined, token);
  }
  t.equal((await issue('p-256')).status, 201, 'those that have ended make room');
  const listed = await network.call('GET', path, { token });
  t.equal(listed.pagination?.totalCount, 1);
  await network.advance(31 * 60_000);
  t.equal(
    network.env.store.table(sessionCertificateKind).size,
    0,
    'and all end with their session',
  );
  await network.stop();
});

t.test('a second change of a password that comes in between is not written over', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const [own] = await network.must<{ id: string }[]>(
    'GET',
    'C:/current-identity/authenticators',
    undefined,
    token,
  );
  const path = `C:/current-identity/authenticators/${own?.id}`;
  const change = (password: string) =>
    network.call('PATCH', path, { token, body: { password, currentPassword: 'alice-password' } });
  const answers = await Promise.all(['first-password', 'second-password'].map(change));
  t.same(
    answers.map(({ status }) => status).sort(),
    [200, 401],
    'whoever is late knows the old one',
  );
  await network.stop();
});
