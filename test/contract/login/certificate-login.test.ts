// Logins with certificates that openssl made: kinds of keys, chains in any order, claims of a CA.

import { X509Certificate } from 'node:crypto';
import t, { type Test } from 'tap';
import { readCertificateRequest } from '../../../src/pki/x509/csr.ts';
import { fingerprint } from '../../../src/pki/x509/pem.ts';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { sessionCertificateKind } from '../../../src/records/session-certificate.ts';
import { type Answer, bootNetwork, type Network } from '../../simulated/network.ts';
import {
  authorityExtensions,
  Openssl,
  type OpensslCertificate,
  type OpensslKey,
} from '../../simulated/openssl.ts';

/** A network an hour ahead, as openssl dates certificates by the present and keys take a while. */
async function bootNow(): Promise<Network> {
  const network = await bootNetwork();
  network.clock.jump(Date.now() + 3_600_000 - network.clock.now());
  await network.logInAdmin();
  return network;
}

interface Pki {
  readonly root: OpensslCertificate;
  readonly upper: OpensslCertificate;
  readonly lower: OpensslCertificate;
}

/** A root and two intermediates below it. */
function authorities(openssl: Openssl, key: OpensslKey, name: string): Pki {
  const make = (subject: string, issuer?: OpensslCertificate) =>
    openssl.certificate({
      subject: `/O=Example/CN=${name}-${subject}`,
      key,
      extensions: authorityExtensions,
      ...(issuer && { issuer }),
    });
  const root = make('root');
  const upper = make('upper', root);
  return { root, upper, lower: make('lower', upper) };
}

/** Registers a CA and proves it; answers its id. */
async function verifiedCa(
  network: Network,
  openssl: Openssl,
  root: OpensslCertificate,
  more: object = {},
): Promise<string> {
  const id = await network.create('cas', {
    name: `ca ${root.path}`,
    certPem: root.pem,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    ...more,
  });
  const { verificationToken } = await network.must<{ verificationToken: string }>(
    'GET',
    `M:/cas/${id}`,
  );
  const proof = openssl.certificate({ subject: `/CN=${verificationToken}`, issuer: root });
  await network.call('POST', `M:/cas/${id}/verify`, {
    headers: { 'content-type': 'text/plain' },
    body: proof.pem,
  });
  return id;
}

function logIn(network: Network, chain: readonly OpensslCertificate[]): Promise<Answer> {
  const certificates = chain.map(({ der }) => der);
  return network.call('POST', 'C:/authenticate?method=cert', { token: null, certificates });
}

async function identityOf(network: Network, chain: readonly OpensslCertificate[]) {
  return ((await logIn(network, chain)).data as { identityId?: string } | undefined)?.identityId;
}

async function refused(
  t: Test,
  network: Network,
  chain: readonly OpensslCertificate[],
  why: string,
): Promise<void> {
  const answer = await logIn(network, chain);
  t.match(answer, { status: 401, code: 'INVALID_AUTH', cause: undefined }, why);
  t.notOk(answer.headers['zt-session'], why);
}

for (const key of ['rsa-2048', 'rsa-4096', 'p-256', 'p-384'] as const) {
  t.test(`${key}: root, two intermediates, leaf, in any order`, async (t) => {
    const network = await bootNow();
    const openssl = new Openssl(t.testdir());
    const { root, upper, lower } = authorities(openssl, key, 'partner');
    const leaf = openssl.certificate({ subject: '/CN=desk', key, issuer: lower });
    await verifiedCa(network, openssl, root, { certPem: root.pem + upper.pem + lower.pem });
    const identityId = await network.create('identities', {
      name: 'desk',
      type: 'Default',
      isAdmin: false,
    });
    await refused(t, network, [leaf, lower, upper], 'before there is an authenticator');
    await network.create('authenticators', { method: 'cert', identityId, certPem: leaf.pem });
    for (const chain of [
      [leaf, lower, upper],
      [leaf, upper, lower],
      [leaf, root, upper, lower],
      [leaf, lower, lower, upper],
      // What is missing stands with the CA.
      [leaf],
    ]) {
      t.equal(await identityOf(network, chain), identityId);
    }
    await refused(t, network, [lower, leaf, upper], 'an intermediate in place of the leaf');
    await network.stop();
  });
}

const certificatesOnly = {
  extJwt: { allowed: false, allowedSigners: [] },
  updb: {
    allowed: false,
    minPasswordLength: 5,
    requireMixedCase: false,
    maxAttempts: 0,
    requireNumberChar: false,
    requireSpecialChar: false,
    lockoutDurationMinutes: 0,
  },
};

t.test('ended, for servers, foreign, forged, too many', async (t) => {
  const network = await bootNow();
  const openssl = new Openssl(t.testdir());
  const { root, upper, lower } = authorities(openssl, 'p-256', 'partner');
  const foreign = authorities(openssl, 'p-256', 'partner');
  await verifiedCa(network, openssl, root, { externalIdClaim: wholeName });
  const cert = { allowed: true, allowExpiredCerts: false };
  const authPolicyId = await network.create('auth-policies', {
    name: 'strict',
    primary: { ...certificatesOnly, cert },
    secondary: { requireTotp: false },
  });
  const desk = { name: 'desk', type: 'Default', isAdmin: false, externalId: 'desk' };
  await network.create('identities', { ...desk, authPolicyId });
  const leaf = (issuer: OpensslCertificate, more: object = {}) =>
    openssl.certificate({ subject: '/CN=desk', issuer, ...more });
  const above = [lower, upper];
  const old = leaf(lower, { isExpired: true });
  t.ok(await identityOf(network, [leaf(lower), ...above]));
  for (const [why, extension] of [
    ['for servers only', 'extendedKeyUsage=serverAuth'],
    ['its key does not sign handshakes', 'keyUsage=critical,keyEncipherment'],
  ] as const) {
    await refused(t, network, [leaf(lower, { extensions: [extension] }), ...above], why);
  }
  for (const extension of ['extendedKeyUsage=serverAuth,clientAuth', 'keyUsage=digitalSignature']) {
    t.ok(await identityOf(network, [leaf(lower, { extensions: [extension] }), ...above]));
  }
  const identityId = await network.create('identities', {
    name: 'held',
    type: 'Default',
    isAdmin: false,
  });
  const ofServer = openssl.certificate({
    subject: '/CN=held',
    issuer: root,
    extensions: ['extendedKeyUsage=serverAuth'],
  });
  t.match(
    await network.call('POST', 'M:/authenticators', {
      body: { method: 'cert', identityId, certPem: ofServer.pem },
    }),
    { status: 400, code: 'CERTIFICATE_FAILED_VALIDATION', cause: { field: 'certPem' } },
  );
  const serversOnly = openssl.certificate({
    subject: '/O=Example/CN=servers',
    issuer: lower,
    extensions: [...authorityExtensions, 'extendedKeyUsage=serverAuth'],
  });
  await refused(t, network, [leaf(serversOnly), serversOnly, ...above], 'under a CA for servers');
  await refused(t, network, [old, ...above], 'ended');
  await refused(t, network, [leaf(foreign.lower), foreign.lower, foreign.upper], 'foreign');
  await refused(t, network, [leaf(foreign.lower), ...above], 'of the same names');
  await refused(t, network, [leaf(leaf(lower)), ...above], 'signed by a leaf');
  const critical = leaf(lower, { extensions: ['1.2.3.4=critical,ASN1:NULL'] });
  await refused(t, network, [critical, ...above], 'what nobody here understands is critical');
  const many = Array.from({ length: 8 }, () => lower);
  await refused(t, network, [leaf(lower), ...many], 'a chain over the bounds');
  const whole = leaf(lower);
  const cut = { ...whole, der: whole.der.subarray(0, -1) };
  const longer = { ...whole, der: Buffer.concat([whole.der, Buffer.from([0])]) };
  await refused(t, network, [cut, ...above], 'cut off');
  await refused(t, network, [longer, ...above], 'bytes behind the end');
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, {
    primary: { ...certificatesOnly, cert: { allowed: true, allowExpiredCerts: true } },
  });
  t.ok(await identityOf(network, [old, ...above]), 'allowExpiredCerts');
  await network.stop();
});

const wholeName = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

t.test('decided in the turn it came in; its traces end with the session', async (t) => {
  const network = await bootNow();
  const openssl = new Openssl(t.testdir());
  const root = openssl.certificate({ subject: '/CN=root', extensions: authorityExtensions });
  const leaf = openssl.certificate({ subject: '/CN=desk', issuer: root });
  await verifiedCa(network, openssl, root, { externalIdClaim: wholeName });
  const identity = { name: 'desk', type: 'Default', isAdmin: false, externalId: 'desk' };
  const id = await network.create('identities', identity);
  const count = () => {
    const { store } = network.env;
    const sessions = store.table(apiSessionKind).group('identityId').count(id);
    return [sessions, store.table(sessionCertificateKind).size];
  };
  const answers = [logIn(network, [leaf]), logIn(network, [leaf])];
  t.same(count(), [2, 2], 'before anybody could wait');
  const [first, second] = await Promise.all(answers);
  t.match([first, second], [{ status: 200 }, { status: 200 }]);
  const token = first?.headers['zt-session'] ?? '';
  await network.restart();
  const path = 'C:/current-api-session/certificates';
  t.match(await network.must('GET', path, undefined, token), [{ certificate: leaf.pem }]);
  await network.must('DELETE', 'C:/current-api-session', undefined, token);
  t.same(count(), [1, 1]);
  await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 0 });
  t.same(count(), [0, 0]);
  await network.stop();
});

t.test('claims of each location', async (t) => {
  const network = await bootNow();
  const openssl = new Openssl(t.testdir());
  const names = 'subjectAltName=URI:spiffe://example/desk,URI:urn:x,email:a@b,email:desk@example';
  const claims = [
    [wholeName, 'Desk One'],
    [
      { ...wholeName, location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' },
      'spiffe://example/desk',
    ],
    [
      { ...wholeName, location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@example' },
      'desk',
    ],
    [{ ...wholeName, parser: 'SPLIT', parserCriteria: ' ', index: 1 }, 'One'],
  ] as const;
  for (const [externalIdClaim, externalId] of claims) {
    const root = openssl.certificate({ subject: '/CN=root', extensions: authorityExtensions });
    const leaf = openssl.certificate({
      subject: '/O=Example/CN=Desk One',
      issuer: root,
      extensions: [names],
    });
    await verifiedCa(network, openssl, root, { externalIdClaim });
    const more = { type: 'Default', isAdmin: false, externalId };
    const id = await network.create('identities', { name: externalId, ...more });
    t.equal(await identityOf(network, [leaf]), id);
  }
  await network.stop();
});

t.test('a certificate of ours; only the fingerprint of it is known', async (t) => {
  const network = await bootNow();
  const { env } = network;
  const { pem } = new Openssl(t.testdir()).request({ subject: '/O=Example/CN=desk' });
  const identityId = await network.create('identities', {
    name: 'desk',
    type: 'Default',
    isAdmin: false,
  });
  const request = readCertificateRequest(pem, 'csr');
  const issued = env.issuing.identityClient(request, identityId);
  const certPem = issued.certificate.toString();
  const id = await network.create('authenticators', { method: 'cert', identityId, certPem });
  forget(network, id);
  const seen = () => network.must<Seen>('GET', `M:/authenticators/${id}`);
  t.equal((await seen()).certPem, undefined);
  const proper = chainOf(issued.chainPem);
  const answer = await network.call('POST', 'C:/authenticate?method=cert', {
    token: null,
    certificates: proper,
  });
  t.match(answer.data, {
    identityId,
    authenticatorId: id,
    improperClientCertChain: false,
    isCertExtendable: true,
  });
  t.equal((await seen()).certPem, certPem, 'filled in (behaviour/login#missing-pem)');
  t.equal((await seen()).fingerprint, fingerprint(issued.certificate));
  const alone = await network.call('POST', 'C:/authenticate?method=cert', {
    token: null,
    certificates: proper.slice(0, 1),
  });
  t.match(alone.data, { identityId, improperClientCertChain: true, isCertExtendable: true });
  const { token } = alone.data as { token: string };
  t.match(
    await network.must('GET', 'C:/current-api-session/certificates', undefined, token),
    [{ subject: 'CN=desk,O=Example', certificate: certPem }],
    'the session knows it by the authenticator',
  );
  await network.restart();
  t.match(await network.must('GET', 'C:/current-api-session', undefined, token), {
    improperClientCertChain: true,
    isCertExtendable: true,
  });
  await network.stop();
});

interface Seen {
  readonly certPem?: string;
  readonly fingerprint: string;
}

function chainOf(pem: string): Buffer[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block).raw);
}

/** As an earlier controller may have stored it. */
function forget({ env: { store } }: Network, authenticatorId: string): void {
  const table = store.tableNamed(kindOfAuthenticators);
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const record = table.find(authenticatorId)?.record;
    if (record === undefined) throw new Error('no authenticator');
    tx.put(table, Object.freeze({ ...record, certPem: undefined, publicKeyPrint: undefined }));
  });
}

const kindOfAuthenticators = 'authenticator';
