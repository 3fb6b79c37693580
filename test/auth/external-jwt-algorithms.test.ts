// The final check of a signature: no algorithm is used with a key of another type.

import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import t from 'tap';
import { isSignedBy, keyTypeOf } from '../../src/auth/external-jwt/algorithms.ts';
import { base64url } from './identity-provider.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** What a token that names this algorithm is signed over. */
function signedPart(algorithm: string): string {
  return `${base64url({ alg: algorithm })}.${base64url({ sub: 'alice' })}`;
}

function token(algorithm: string, signature: Buffer): string {
  return `${signedPart(algorithm)}.${signature.toString('base64url')}`;
}

t.test('a correct signature under the name of another algorithm', async (t) => {
  const byRsa = (algorithm: string) =>
    sign('sha256', Buffer.from(signedPart(algorithm)), rsa.privateKey);
  const byEc = (algorithm: string) =>
    sign('sha256', Buffer.from(signedPart(algorithm)), {
      key: ec.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
  t.ok(await isSignedBy(rsa.publicKey, 'RS256', token('RS256', byRsa('RS256'))));
  for (const algorithm of ['ES256', 'PS256', 'RS384', 'HS256', 'none', '', 'EdDSA']) {
    const named = token(algorithm, byRsa(algorithm));
    t.notOk(await isSignedBy(rsa.publicKey, algorithm, named), algorithm);
    t.notOk(await isSignedBy(rsa.publicKey, 'RS256', named), `${algorithm} in the header`);
    const other = token('RS256', byRsa('RS256'));
    t.notOk(await isSignedBy(rsa.publicKey, algorithm, other), `${algorithm} by the caller`);
  }
  t.ok(await isSignedBy(ec.publicKey, 'ES256', token('ES256', byEc('ES256'))));
  t.notOk(await isSignedBy(ec.publicKey, 'RS256', token('RS256', byEc('RS256'))));
  t.notOk(await isSignedBy(ec.publicKey, 'ES384', token('ES384', byEc('ES384'))));
  const inDer = sign('sha256', Buffer.from(signedPart('ES256')), ec.privateKey);
  const isTaken = (signature: Buffer) =>
    isSignedBy(ec.publicKey, 'ES256', token('ES256', signature));
  t.notOk(await isTaken(inDer), 'only r and s side by side');
  t.notOk(await isTaken(Buffer.alloc(64)), 'zeros');
  t.notOk(await isSignedBy(rsa.publicKey, 'RS256', token('RS256', Buffer.alloc(0))));
});

t.test('keys that are never accepted', async (t) => {
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
