// The last look at a signature: no algorithm with a key of another kind.

import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import t from 'tap';
import { isSignedBy, keyTypeOf } from '../../src/auth/external-jwt-algorithms.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signed = Buffer.from('header.claims');

t.test('a right signature under the name of another algorithm', async (t) => {
  const byRsa = sign('sha256', signed, rsa.privateKey);
  t.ok(isSignedBy(rsa.publicKey, 'RS256', signed, byRsa));
  for (const algorithm of ['ES256', 'PS256', 'RS384', 'HS256', 'none', '', 'EdDSA']) {
    t.notOk(isSignedBy(rsa.publicKey, algorithm, signed, byRsa), algorithm);
  }
  const byEc = sign('sha256', signed, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
  t.ok(isSignedBy(ec.publicKey, 'ES256', signed, byEc));
  t.notOk(isSignedBy(ec.publicKey, 'RS256', signed, byEc));
  t.notOk(isSignedBy(ec.publicKey, 'ES384', signed, byEc));
  const inDer = sign('sha256', signed, ec.privateKey);
  t.notOk(isSignedBy(ec.publicKey, 'ES256', signed, inDer), 'only r and s side by side');
  t.notOk(isSignedBy(ec.publicKey, 'ES256', signed, Buffer.alloc(64)), 'zeros');
  t.notOk(isSignedBy(rsa.publicKey, 'RS256', signed, Buffer.alloc(0)));
});

t.test('keys that count for nothing', async (t) => {
  t.equal(keyTypeOf(rsa.privateKey), undefined, 'private');
  t.equal(keyTypeOf(createPublicKey(rsa.privateKey)), 'RSA');
  for (const { publicKey } of [
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
    generateKeyPairSync('x25519'),
    generateKeyPairSync('ed448'),
  ]) {
    t.equal(keyTypeOf(publicKey), undefined, `${publicKey.asymmetricKeyType}`);
  }
});
