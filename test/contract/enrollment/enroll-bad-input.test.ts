// What clients may send by mistake or on purpose when they enroll: a clear 400, nothing echoed, and
// the enrollment stays usable.

import { readFileSync } from 'node:fs';
import t from 'tap';
import { csrBytesMax } from '../../../src/pki/x509/csr.ts';
import { defaultLimits } from '../../../src/settings/limits.ts';
import { type Answer, bootNetwork } from '../../simulated/network.ts';
import { authorityExtensions, Openssl } from '../../simulated/openssl.ts';
import { enrollWith, newEdgeRouter, newIdentity } from './enrolling.ts';

const openssl = new Openssl(t.testdir());
const good = openssl.request({ subject: '/CN=good' });
const goodDer = derOf(good.pem);

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
}

function pemOf(der: Buffer): string {
  const label = 'CERTIFICATE REQUEST';
  return `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
}

/** The same request with one bit of its signature turned. */
function badlySigned(): string {
  const der = Buffer.from(goodDer);
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  return pemOf(der);
}

const privateKey = readFileSync(good.keyPath, 'utf8');

const requests: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  'white space': ' \r\n\t ',
  garbage: 'x'.repeat(5000),
  'bytes of no text': Buffer.from([0, 255, 254, 1, 2, 3, 128]),
  'a PEM block that is cut off': good.pem.slice(0, 200),
  'half of the DER': pemOf(goodDer.subarray(0, goodDer.length / 2)),
  'DER with trailing bytes': pemOf(Buffer.concat([goodDer, Buffer.from([0])])),
  'bare DER with trailing bytes': Buffer.concat([goodDer, Buffer.from([5, 0])]),
  'a length of 4 GiB': Buffer.from('3084ffffffff', 'hex'),
  'PEM that is huge': pemOf(Buffer.alloc(csrBytesMax)),
  'as long as a body may be': Buffer.alloc(defaultLimits.bodyBytesMax, 'A'),
  'two requests': good.pem + good.pem,
  'a private key': privateKey,
  'a certificate': openssl.certificate({ subject: '/CN=own' }).pem,
  'a bad self-signature': badlySigned(),
  'RSA of 1024 bits': openssl.request({ subject: '/CN=weak', key: 'rsa-1024' }).pem,
  'a curve that nobody uses': openssl.request({ subject: '/CN=odd', key: 'secp256k1' }).pem,
  'Ed25519, which TLS clients here lack': openssl.request({ subject: '/CN=ed', key: 'ed25519' })
    .pem,
  'signed with MD5': openssl.request({ subject: '/CN=md5', key: 'rsa-2048', digest: 'md5' }).pem,
};

/** As a value of JSON. */
function textOf(sent: string | Buffer): string {
  return typeof sent === 'string' ? sent : sent.toString('latin1');
}

/** A refusal says where and why, and repeats neither token nor anything of what was sent. */
function isClear({ status, code, cause, body }: Answer, token: string): boolean {
  const text = body.toString();
  const echoes = text.includes(token) || text.includes(privateKey.slice(40, 80));
  return status === 400 && code !== undefined && cause !== undefined && !echoes;
}

t.test('requests for a certificate', async (t) => {
  const network = await bootNetwork();
  const { token } = await newIdentity(network, 'desk');
  for (const [name, sent] of Object.entries(requests)) {
    for (const type of ['application/x-pem-file', 'application/pkcs10']) {
      const headers = { 'content-type': type };
      const answer = await enrollWith(network, token, sent, { headers });
      t.ok(isClear(answer, token), `${name}: ${answer.body}`);
      t.equal(answer.code, 'COULD_NOT_PROCESS_CSR', name);
    }
    const path = `C:/enroll/ott?token=${token}`;
    const body = { clientCsr: textOf(sent) };
    const answer = await network.call('POST', path, { token: null, body });
    t.ok(isClear(answer, token), `${name} in JSON: ${answer.body}`);
  }
  t.equal((await enrollWith(network, token, good.pem)).status, 200, 'the token is still good');
  t.same(network.logged, []);
  await network.stop();
});

t.test('requests of routers', async (t) => {
  const network = await bootNetwork();
  const { id, token } = await newEdgeRouter(network, 'edge');
  const own = openssl.request({ subject: `/CN=${id}` }).pem;
  const path = `C:/enroll?method=erott&token=${token}`;
  const enroll = (body: object) => network.call('POST', path, { token: null, body });
  for (const [name, sent] of Object.entries(requests)) {
    const bad = textOf(sent);
    const bodies = [
      { certCsr: bad, serverCertCsr: own },
      { certCsr: own, serverCertCsr: bad },
    ];
    for (const body of bodies) {
      const answer = await enroll(body);
      t.ok(isClear(answer, token), `${name}: ${answer.body}`);
    }
  }
  const foreign = openssl.request({ subject: '/CN=edge-2' }).pem;
  t.match(await enroll({ certCsr: foreign, serverCertCsr: own }), {
    status: 400,
    code: 'COULD_NOT_PROCESS_CSR',
    cause: { code: 'EDGE_ROUTER_ENROLL_COMMON_NAME_INVALID' },
  });
  t.equal((await enroll({ certCsr: own, serverCertCsr: own })).status, 200);
  t.same(network.logged, []);
  await network.stop();
});

const forEverything = {
  name: 'ca',
  identityRoles: [],
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: true,
  isOttCaEnrollmentEnabled: true,
};

t.test('certificates that a connection shows', async (t) => {
  const network = await bootNetwork();
  const dates = ['20250101000000Z', '20350101000000Z'] as const;
  const root = openssl.certificate({
    subject: '/CN=root',
    extensions: authorityExtensions,
    dates,
  });
  const ca = await network.create('cas', { ...forEverything, certPem: root.pem });
  const { verificationToken } = await network.must<{ verificationToken: string }>(
    ...(['GET', `M:/cas/${ca}`] as const),
  );
  const proof = openssl.certificate({ subject: `/CN=${verificationToken}`, issuer: root, dates });
  const verified = await network.call('POST', `M:/cas/${ca}/verify`, {
    body: proof.pem,
    headers: { 'content-type': 'text/plain' },
  });
  t.equal(verified.status, 200, verified.body.toString());
  const usage = (name: string) => [`extendedKeyUsage=${name}`];
  const leafOf = (name: string, extensions: string[], more: object = {}) =>
    openssl.certificate({ subject: `/CN=${name}`, issuer: root, extensions, dates, ...more });
  const leaf = leafOf('leaf', usage('clientAuth'));
  const server = leafOf('server', usage('serverAuth'));
  const past = leafOf('past', usage('clientAuth'), { dates: undefined, isExpired: true });
  const future = leafOf('future', usage('clientAuth'), {
    dates: ['20300101000000Z', '20310101000000Z'],
  });
  const stranger = openssl.certificate({ subject: '/CN=leaf', extensions: usage('clientAuth') });
  const middles = chainBelow(root, dates);
  const deep = openssl.certificate({
    subject: '/CN=deep',
    issuer: middles[1] ?? root,
    extensions: usage('clientAuth'),
    dates,
  });
  const shown: Readonly<Record<string, Buffer[]>> = {
    'no certificate': [],
    'one that is none': [Buffer.from('nonsense')],
    'one with trailing bytes': [Buffer.concat([leaf.der, Buffer.from([0])])],
    'a chain of 100': Array.from({ length: 100 }, () => leaf.der),
    'one for servers': [server.der],
    'one that has ended': [past.der],
    'one that is not valid yet': [future.der],
    'one that signed itself': [stranger.der],
    'one whose intermediates are missing': [deep.der],
    'one of two intermediates': [deep.der, middles[0]?.der ?? root.der],
  };
  const { token } = await newIdentity(network, 'desk', { ottca: ca });
  for (const [name, certificates] of Object.entries(shown)) {
    const calls = [
      ['C:/enroll/ca', 'CERT_FAILED_VALIDATION'],
      [`C:/enroll?method=ottca&token=${token}`, 'CERTIFICATE_FAILED_VALIDATION'],
    ] as const;
    for (const [path, code] of calls) {
      const answer = await network.call('POST', path, { token: null, certificates });
      t.ok(isClear(answer, token), `${name}: ${answer.body}`);
      t.equal(answer.code, code, name);
    }
  }
  const [first, second] = middles.map(({ der }) => der);
  if (first === undefined || second === undefined) return t.fail('no intermediates');
  const enroll = (path: string, certificates: Buffer[]) =>
    network.call('POST', path, { token: null, certificates });
  // The leaf first, the others in any order (behaviour/login#chains).
  t.equal((await enroll(`C:/enroll/ottca?token=${token}`, [deep.der, first, second])).status, 200);
  t.equal((await enroll('C:/enroll/ca', [leaf.der, second])).status, 200);
  t.match(await enroll('C:/enroll/ca', [deep.der, second, first]), { code: 'CERT_IN_USE' });
  t.same(network.logged, []);
  await network.stop();
});

/** Two intermediates below a root, the upper one first. */
function chainBelow(
  root: ReturnType<Openssl['certificate']>,
  dates: readonly [string, string],
): ReturnType<Openssl['certificate']>[] {
  const make = (subject: string, issuer: typeof root) =>
    openssl.certificate({ subject, issuer, extensions: authorityExtensions, dates, key: 'p-384' });
  const upper = make('/CN=upper', root);
  return [upper, make('/CN=lower', upper)];
}
