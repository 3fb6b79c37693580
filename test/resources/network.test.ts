// What clients learn of a network before they belong to it.

import { execFileSync } from 'node:child_process';
import { jwtVerify } from 'jose';
import t from 'tap';
import { keyToPem, parseCertificates } from '../../src/pki/x509/pem.ts';
import { makeCertificate } from '../simulated/certificates.ts';
import { bootNetwork } from '../simulated/network.ts';

t.test('the JWT of the network is signed by the key that serves', async (t) => {
  const network = await bootNetwork();
  const [{ token }] = await network.must<[{ token: string }]>('GET', 'C:/network-jwts');
  const { payload } = await jwtVerify(token, network.env.serverCertificate.publicKey);
  const url = 'https://localhost:1280/';
  t.same(payload, { iss: url, sub: url, em: 'network' });
  const again = await network.must<[{ token: string }]>('GET', 'M:/network-jwts');
  t.equal(again[0].token, token, 'nobody makes us sign at will');
  await network.stop();
});

t.test('the bundle of CAs holds the roots that clients trust', async (t) => {
  const network = await bootNetwork();
  const answers = [];
  for (const base of ['', 'C:', 'M:']) {
    answers.push(await network.call('GET', `${base}/.well-known/est/cacerts`, { token: null }));
  }
  const [root = '', client, management] = answers.map(({ body }) => body.toString());
  t.equal(client, root);
  t.equal(management, root);
  t.ok(root.split('\n').every(({ length }) => length <= 64));
  const { anchors } = network.env.trust;
  t.ok(anchors.length > 0);
  t.same(bundled(root), anchors.map(String).sort());
  await network.stop();
});

t.test('the bundle of CAs holds pki.ca as it is, with what stands below a root', async (t) => {
  const network = await bootNetwork();
  const wanted = { as: 'authority', keyType: 'ec-p256', nowMs: network.clock.now() } as const;
  const root = await makeCertificate({ ...wanted, name: 'root' });
  const former = await makeCertificate({ ...wanted, name: 'former', issuer: root });
  const present = await makeCertificate({ ...wanted, name: 'present', issuer: root });
  const files = {
    issuerCert: present.pem + root.pem,
    issuerKey: keyToPem(present.key),
    ca: [root, former, present, root].map(({ pem }) => pem).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    network.disk.place(`/${name}.pem`, Buffer.from(text));
  }
  const paths = { issuerCert: '/issuerCert.pem', issuerKey: '/issuerKey.pem', ca: '/ca.pem' };
  network.config = { ...network.config, pki: { ...network.config.pki, ...paths } };
  await network.restart();
  const { body } = await network.call('GET', '/.well-known/est/cacerts', { token: null });
  const own = network.disk.bytesOf('/home/pki/root.pem').toString();
  const each = [own, root.pem, former.pem, present.pem];
  t.equal(network.disk.bytesOf('/home/pki/ca.pem').toString(), each.join(''));
  t.same(bundled(body.toString()), each.sort(), 'each once');
  await network.stop();
});

/** The certificates that OpenSSL finds in an answer, in PEM. */
function bundled(base64: string): string[] {
  const words = ['pkcs7', '-inform', 'DER', '-print_certs'];
  const input = Buffer.from(base64, 'base64');
  const pem = execFileSync('openssl', words, { input, stdio: 'pipe' }).toString();
  return parseCertificates(pem, 'the bundle').map(String).sort();
}

t.test('the list of controllers names this one by what does not change', async (t) => {
  const network = await bootNetwork();
  type Controller = { readonly id: string; readonly lastJoinedAt: string };
  const [before] = await network.must<[Controller]>('GET', 'M:/controllers');
  await network.advance(1000);
  await network.restart();
  await network.logInAdmin();
  const [after] = await network.must<[Controller]>('GET', 'C:/controllers');
  t.equal(after.id, before.id);
  t.not(after.lastJoinedAt, before.lastJoinedAt);
  await network.stop();
});
