// Which published keys are accepted, and for which algorithms.

import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import t from 'tap';
import { certificateKeySet, parseJwks } from '../../src/auth/external-jwt/key-set.ts';
import { PkiProblem } from '../../src/pki/problem.ts';
import { issue } from '../http/certificates.ts';
import { newKey } from './identity-provider.ts';

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const allAlgorithms = [
  ...rsaAlgorithms,
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'none',
  'None',
  'NONE',
  '',
  'HS256',
  'HS384',
  'HS512',
  'ES256K',
  'RSA-OAEP',
  'RS1',
  'constructor',
  '__proto__',
  'rs256',
];
const leaf = await issue('idp');
const fingerprint = await sha1(leaf.der);
const rsa = await newKey('RS256', 'rsa');
const weak = await newWeakRsa();

async function sha1(der: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-1', new Uint8Array(der))).toString('hex');
}

async function newWeakRsa(): Promise<Record<string, unknown>> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 1024,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const { publicKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { ...(await webcrypto.subtle.exportKey('jwk', publicKey)), alg: undefined };
}

function setOf(...keys: readonly unknown[]) {
  return parseJwks(Buffer.from(JSON.stringify({ keys })), 1000);
}

t.test('a key takes the algorithms of its kind and no other', async (t) => {
  const kinds: [string, string[]][] = [
    ['RS256', rsaAlgorithms],
    ['ES256', ['ES256']],
    ['ES384', ['ES384']],
    ['ES512', ['ES512']],
    ['Ed25519', ['EdDSA', 'Ed25519']],
  ];
  for (const [made, taken] of kinds) {
    const { jwk } = await newKey(made, 'k');
    const keys = setOf(jwk);
    const fitting = allAlgorithms.filter((algorithm) => keys.find('k', algorithm) !== undefined);
    t.same(fitting, taken, made);
  }
});

t.test('a key that names its algorithm takes that one', async (t) => {
  const keys = setOf({ ...rsa.jwk, alg: 'PS256' });
  t.same(
    allAlgorithms.filter((algorithm) => keys.find('rsa', algorithm) !== undefined),
    ['PS256'],
  );
});

t.test('keys that are skipped', async (t) => {
  const { kid: _, ...nameless } = rsa.jwk;
  const passed: Readonly<Record<string, unknown>> = {
    'without id': nameless,
    'id empty': { ...rsa.jwk, kid: '' },
    'id no string': { ...rsa.jwk, kid: 7 },
    'for encryption': { ...rsa.jwk, use: 'enc' },
    'not to verify': { ...rsa.jwk, key_ops: ['encrypt'] },
    symmetric: { kid: 'rsa', kty: 'oct', k: 'c2VjcmV0' },
    'no object': 'rsa',
    null: null,
  };
  for (const [what, jwk] of Object.entries(passed)) t.notOk(setOf(jwk).has('rsa'), what);
  t.ok(setOf(...Object.values(passed), rsa.jwk).find('rsa', 'RS256'), 'the good one among them');
  t.ok(setOf({ ...rsa.jwk, use: undefined, key_ops: ['verify'] }).find('rsa', 'RS256'));
});

t.test('keys that are known and never fit', async (t) => {
  const ec = (await newKey('ES256', 'k')).jwk;
  const unfit: Readonly<Record<string, Record<string, unknown>>> = {
    'RSA of 1024 bits': weak,
    'exponent 1': { ...rsa.jwk, e: 'AQ' },
    'off the curve': { ...ec, y: ec.x },
    'curve of another kind': { ...ec, crv: 'secp256k1' },
    'half a key': { kty: 'RSA', n: rsa.jwk.n },
    'certificate no DER': { ...rsa.jwk, x5c: ['AAAA'] },
  };
  for (const [what, jwk] of Object.entries(unfit)) {
    const keys = setOf({ ...jwk, kid: 'k' });
    t.ok(keys.has('k'), what);
    t.same(
      allAlgorithms.filter((algorithm) => keys.find('k', algorithm) !== undefined),
      [],
      what,
    );
  }
});

t.test('the certificate in x5c outweighs the numbers', async (t) => {
  const other = await newKey('ES256', 'k');
  const keys = setOf({ ...other.jwk, x5c: [leaf.der.toString('base64'), 'junk'] });
  const exported = keys.find('k', 'ES256')?.export({ format: 'jwk' });
  const { x, y } = await webcrypto.subtle.exportKey('jwk', leaf.keys.publicKey);
  t.match(exported, { x, y });
});

t.test('a key that is a certificate alone', async (t) => {
  const x5c = [leaf.der.toString('base64')];
  const keys = setOf({ kid: 'k', x5c }, { kid: 'junk', x5c: ['junk'] }, { kid: 'none', x5c: [] });
  const exported = keys.find('k', 'ES256')?.export({ format: 'jwk' });
  const { x, y } = await webcrypto.subtle.exportKey('jwk', leaf.keys.publicKey);
  t.match(exported, { x, y });
  t.notOk(keys.find('k', 'RS256'), 'its key is of another kind');
  t.ok(keys.has('junk'));
  t.notOk(keys.find('junk', 'ES256'));
  t.notOk(keys.has('none'), 'neither a certificate nor a key');
  const strange = setOf({ kid: 'k', kty: 'oct', x5c }, { kid: 'n', kty: 7, x5c });
  t.notOk(strange.has('k') || strange.has('n'), 'a kind that is named counts');
});

t.test('two keys of one id: the one that fits', async (t) => {
  const ec = await newKey('ES256', 'rsa');
  for (const keys of [setOf(rsa.jwk, ec.jwk), setOf(ec.jwk, rsa.jwk)]) {
    t.equal(keys.find('rsa', 'ES256')?.asymmetricKeyType, 'ec');
    t.equal(keys.find('rsa', 'RS256')?.asymmetricKeyType, 'rsa');
  }
});

t.test('private halves of a careless provider are left out', async (t) => {
  const pair = await webcrypto.subtle.exportKey('jwk', leaf.keys.privateKey);
  const key = setOf({ ...pair, key_ops: undefined, kid: 'k' }).find('k', 'ES256');
  t.equal(key?.type, 'public');
});

t.test('the number of keys is bounded', async (t) => {
  const keys = Array.from({ length: 12 }, (_, index) => ({ ...rsa.jwk, kid: `k${index}` }));
  const set = parseJwks(Buffer.from(JSON.stringify({ keys: ['junk', ...keys] })), 10);
  t.same(
    keys.filter(({ kid }) => !set.has(kid)).map(({ kid }) => kid),
    ['k10', 'k11'],
  );
});

t.test('the key of a certificate', async (t) => {
  const named = certificateKeySet(leaf.certificate, 'own');
  t.ok(named.find('own', 'ES256'));
  t.notOk(named.has(fingerprint));
  const unnamed = certificateKeySet(leaf.certificate, undefined);
  t.ok(unnamed.find(fingerprint, 'ES256'), 'under its fingerprint');
  t.ok(unnamed.has(fingerprint));
  t.notOk(unnamed.find(fingerprint, 'RS256'));
  t.notOk(unnamed.find('own', 'ES256'));
  t.throws(() => certificateKeySet('no certificate', undefined), PkiProblem);
});

t.test('the first of several certificates counts', async (t) => {
  const other = await issue('other');
  const keys = certificateKeySet(leaf.certificate + other.certificate, undefined);
  t.ok(keys.has(fingerprint));
});

t.test('the key of an RSA certificate', async (t) => {
  for (const [modulusLength, isTaken] of [
    [2048, true],
    [1024, false],
  ] as const) {
    const algorithm = {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength,
      publicExponent: new Uint8Array([1, 0, 1]),
    };
    const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=idp',
      keys: pair,
      signingAlgorithm: algorithm,
    });
    const keys = certificateKeySet(certificate.toString('pem'), 'k');
    t.equal(keys.find('k', 'PS384') !== undefined, isTaken, `${modulusLength} bits`);
  }
});
