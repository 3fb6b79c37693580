// Clients see a renewed server certificate without a restart.

import { createPublicKey, X509Certificate } from 'node:crypto';
import t from 'tap';
import { createVerifier } from '../../src/pki/tokens/signer.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const dayMs = 86_400_000;

interface Seen {
  readonly certPem: string;
  readonly kids: readonly string[];
  readonly networkKid: string;
  readonly caKid: string;
  readonly cas: string;
}

t.test('renewed after eleven months: controllers, JWKS, JWTs and the CA bundle', async (t) => {
  const network = await bootNetwork();
  const before = await see(network);
  const old = await network.create('identities', ott('old'));
  await network.sleep(336 * dayMs);
  await network.core.serving.check();
  await network.logInAdmin();
  const after = await see(network);
  t.not(after.certPem, before.certPem);
  const { fingerprint, publicKey, validFromDate } = new X509Certificate(after.certPem);
  const kid = fingerprint.replaceAll(':', '').toLowerCase();
  t.ok(Math.abs(validFromDate.getTime() - network.clock.now()) <= 2 * dayMs);
  t.ok(publicKey.equals(new X509Certificate(before.certPem).publicKey), 'the key stays');
  t.equal(before.kids.length, after.kids.length);
  for (const seen of [after.kids[0], after.networkKid, after.caKid]) t.equal(seen, kid);
  t.notOk(before.kids.includes(kid));
  t.equal(after.cas, before.cas);

  const fresh = await network.create('identities', ott('fresh'));
  const verifier = (name: string) =>
    createVerifier([[name, createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))]]);
  t.match(verifier(kid)(await jwtOf(network, fresh)), { sub: fresh });
  const oldKid = before.kids[0] ?? '';
  t.match(verifier(oldKid)(await jwtOf(network, old)), { sub: old }, 'the old JWT holds');

  await network.restart();
  t.equal((await see(network)).certPem, after.certPem, 'a start takes the same one');
  await network.stop();
});

t.test('a failed renewal is reported, and the network continues to serve', async (t) => {
  const network = await bootNetwork();
  const { certPem } = await see(network);
  network.disk.place('/home/pki/server.pem', Buffer.from('garbage'));
  await network.advance(dayMs);
  await network.core.serving.check();
  t.match(network.logged, [/the server certificate could not be renewed/]);
  await network.logInAdmin();
  t.equal((await see(network)).certPem, certPem);
  await network.stop();
});

const ott = (name: string) => ({
  name,
  type: 'Default',
  isAdmin: false,
  enrollment: { ott: true },
});

async function jwtOf(network: Network, id: string): Promise<string> {
  const identity = await network.must<{ enrollment: { ott: { jwt: string } } }>(
    'GET',
    `M:/identities/${id}`,
  );
  return identity.enrollment.ott.jwt;
}

async function see(network: Network): Promise<Seen> {
  const [controller] = await network.must<[{ certPem: string }]>('GET', 'M:/controllers');
  const jwks = await network.call('GET', 'C:/enroll/jwks');
  const [networkJwt] = await network.must<[{ token: string }]>('GET', 'C:/network-jwts');
  const cas = await network.call('GET', '/.well-known/est/cacerts');
  return {
    certPem: controller.certPem,
    kids: (jwks.json() as { keys: { kid: string }[] }).keys.map(({ kid }) => kid),
    networkKid: kidOf(networkJwt.token),
    caKid: kidOf(await network.env.signCaEnrollment('ca')),
    cas: cas.body.toString(),
  };
}

function kidOf(jwt: string): string {
  const [header = ''] = jwt.split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
}
