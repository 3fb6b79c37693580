// What clients learn of a network before they belong to it.

import { execFileSync } from 'node:child_process';
import { jwtVerify } from 'jose';
import t from 'tap';
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
  const [root, client, management] = answers.map(({ body }) => body.toString());
  t.equal(client, root);
  t.equal(management, root);
  const lines = (root ?? '').split('\n');
  t.ok(lines.every(({ length }) => length <= 64));
  const der = Buffer.from(lines.join(''), 'base64');
  const words = ['pkcs7', '-inform', 'DER', '-print_certs'];
  const pem = execFileSync('openssl', words, { input: der, stdio: 'pipe' }).toString();
  const { anchors } = network.env.trust;
  t.ok(anchors.length > 0);
  for (const anchor of anchors) t.ok(pem.includes(anchor.toString().trim()), anchor.subject);
  t.equal(pem.match(/BEGIN CERTIFICATE/g)?.length, anchors.length);
  await network.stop();
});

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
