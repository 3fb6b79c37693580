// JWTs: what is in them, and that other software accepts them.

import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import t from 'tap';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import { PkiProblem } from '../../src/pki/problem.ts';
import {
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
} from '../../src/pki/tokens/enrollment-tokens.ts';
import { createSessionTokens, type SessionClaims } from '../../src/pki/tokens/session-tokens.ts';
import {
  createSigner,
  createVerifier,
  jwksEntry,
  jwtCharactersMax,
} from '../../src/pki/tokens/signer.ts';
import { TokenKeySet } from '../../src/pki/tokens/token-keys.ts';
import { fingerprint } from '../../src/pki/x509/pem.ts';
import { pkiContext, startMs } from './context.ts';

const issuerUrl = 'https://edge.example.com:1280';
const yearSeconds = 365 * 24 * 3600;

const p256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
const keys = new TokenKeySet(p256);

const verifierOf = (key: KeyObject, kid: string) => createVerifier([[kid, createPublicKey(key)]]);

const claims: SessionClaims = {
  sessionId: 'cmwpbkdwg00005ix7o3qg3poj',
  serviceId: 'OfSJS-O50W',
  apiSessionId: 'cmwpbm6xl0000qyq388tgxhje',
  identityId: 'vn.RpFJ6U-',
  type: 'Dial',
};

t.test('every kind of key signs by its algorithm', async (t) => {
  const ec = (namedCurve: string): KeyObject =>
    generateKeyPairSync('ec', { namedCurve }).privateKey;
  const signing = [
    ['ES256', p256],
    ['ES384', ec('secp384r1')],
    ['ES512', ec('secp521r1')],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ] as const;
  for (const [algorithm, key] of signing) {
    const signer = createSigner(key, 'the-key');
    const entry = jwksEntry(key, 'the-key');
    t.notOk(JSON.stringify(entry).includes('"d":'), 'nothing private');
    for (const jwt of [signer.signNow('{"sub":"ü"}'), await signer.sign({ sub: 'ü' })]) {
      t.same(decodeProtectedHeader(jwt), { alg: algorithm, kid: 'the-key', typ: 'JWT' });
      const { payload } = await jwtVerify(jwt, await importJWK({ ...entry, x5c: [] }));
      t.same(payload, { sub: 'ü' });
      t.same(verifierOf(key, 'the-key')(jwt), { sub: 'ü' });
    }
  }
  const ed25519 = generateKeyPairSync('ed25519').privateKey;
  t.throws(() => createSigner(ed25519, 'k'), PkiProblem);
});

t.test('texts of any length are signed', async (t) => {
  const signer = createSigner(p256, 'k');
  const verify = verifierOf(p256, 'k');
  for (const sub of ['ü', '€'.repeat(1200), 'x', '€'.repeat(1900), '']) {
    t.same(verify(signer.signNow(JSON.stringify({ sub }))), { sub });
  }
  const long = '€'.repeat(5000);
  const { payload } = await jwtVerify(
    signer.signNow(JSON.stringify({ sub: long })),
    createPublicKey(p256),
  );
  t.same(payload, { sub: long });
});

t.test('an enrollment JWT is checked against the TLS leaf', async (t) => {
  const { server } = await openAuthority(pkiContext(t.testdir()));
  const kid = fingerprint(server.certificate);
  const signer = createSigner(server.key, kid);
  const jwt = await signEnrollmentToken(signer, {
    issuerUrl,
    subject: 'OfSJS-O50W',
    method: 'ott',
    token: '7439ed3b-a8fa-42a6-b322-101cbf671c4d',
    expiresAtMs: startMs + 10_800_999,
    controllers: ['tls:edge.example.com:6262'],
  });
  const { payload, protectedHeader } = await jwtVerify(jwt, server.certificate.publicKey);
  t.same(protectedHeader, { alg: 'ES256', kid, typ: 'JWT' });
  t.match(kid, /^[0-9a-f]{40}$/);
  t.strictSame(payload, {
    iss: issuerUrl,
    sub: 'OfSJS-O50W',
    aud: [''],
    exp: Math.trunc((startMs + 10_800_999) / 1000),
    jti: '7439ed3b-a8fa-42a6-b322-101cbf671c4d',
    em: 'ott',
    ctrls: ['tls:edge.example.com:6262'],
  });

  const keys = createLocalJWKSet({
    keys: [{ ...jwksEntry(server.key, kid, server.chain) }] as never,
  });
  await t.resolves(jwtVerify(jwt, keys), 'by the JWKS as well');
  const [leaf] = jwksEntry(server.key, kid, server.chain).x5c ?? [];
  t.equal(leaf, server.certificate.raw.toString('base64'));
});

t.test('CA and network JWTs', async (t) => {
  const signer = createSigner(p256, 'k');
  const ca = await jwtVerify(await signCaToken(signer, issuerUrl, 'ca-id'), p256).catch(
    () => undefined,
  );
  t.equal(ca, undefined, 'a private key verifies nothing in jose');
  const read = (jwt: string): unknown => verifierOf(p256, 'k')(jwt);
  t.strictSame(read(await signCaToken(signer, issuerUrl, 'ca-id')), {
    iss: `${issuerUrl}/`,
    sub: 'ca-id',
    aud: ['openziti-enroller'],
    jti: 'ca-id',
    em: 'ca',
  });
  const url = `${issuerUrl}/`;
  t.strictSame(read(await signNetworkToken(signer, url)), { iss: url, sub: url, em: 'network' });
});

t.test('a session token', async (t) => {
  const tokens = createSessionTokens(keys, issuerUrl);
  const jwt = tokens.sign(claims, startMs);
  const { payload, protectedHeader } = await jwtVerify(
    jwt,
    await importJWK({ ...keys.jwks[0], x5c: [] }),
  );
  t.same(protectedHeader, { alg: 'ES256', kid: keys.signer.kid, typ: 'JWT' });
  const iat = Math.trunc(startMs / 1000);
  t.strictSame(payload, {
    iss: issuerUrl,
    sub: claims.serviceId,
    aud: ['openziti'],
    jti: claims.sessionId,
    iat,
    exp: iat + yearSeconds,
    z_asid: claims.apiSessionId,
    z_iid: claims.identityId,
    z_st: 'Dial',
    z_t: 's',
    z_leg: true,
  });
  const expiresAtMs = (iat + yearSeconds) * 1000;
  t.strictSame(tokens.verify(jwt, startMs), { ...claims, expiresAtMs });
  const bind = tokens.sign({ ...claims, type: 'Bind' }, startMs);
  t.equal(tokens.verify(bind, startMs)?.type, 'Bind');
});

t.test('session tokens that are refused', async (t) => {
  const tokens = createSessionTokens(keys, issuerUrl);
  const jwt = tokens.sign(claims, startMs);
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
  const encode = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.trunc(startMs / 1000);
  const signedAs = (head: unknown, body: unknown): string => {
    const signed = `${encode(head)}.${encode(body)}`;
    const made = sign('sha256', Buffer.from(signed), { key: p256, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${made.toString('base64url')}`;
  };
  const good = { alg: 'ES256', kid: keys.signer.kid, typ: 'JWT' };
  const body = {
    sub: 's',
    jti: 'j',
    exp: iat + 10,
    z_t: 's',
    z_asid: 'a',
    z_iid: 'i',
    z_st: 'Dial',
  };
  t.ok(tokens.verify(signedAs(good, body), startMs), 'the control');
  const bad: Record<string, string> = {
    empty: '',
    'no JWT': 'opaque-token',
    'four parts': `${jwt}.x`,
    'no signature': `${header}.${payload}.`,
    'another signature': `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    'other claims': `${header}.${encode({ ...body, sub: 'x' })}.${signature}`,
    'another key': createSessionTokens(new TokenKeySet(other), issuerUrl).sign(claims, startMs),
    'alg none': `${encode({ ...good, alg: 'none' })}.${payload}.${signature}`,
    'alg HS256': signedAs({ ...good, alg: 'HS256' }, body),
    'another kid': signedAs({ ...good, kid: 'x' }, body),
    'a header that is no object': signedAs(null, body),
    'claims that are no object': signedAs(good, 'text'),
    'no session token': signedAs(good, { ...body, z_t: 'a' }),
    'no end': signedAs(good, { ...body, exp: undefined }),
    ended: signedAs(good, { ...body, exp: iat }),
    'another type': signedAs(good, { ...body, z_st: 'Invalid' }),
    'an id that is no text': signedAs(good, { ...body, z_iid: 7 }),
    'no service': signedAs(good, { ...body, sub: undefined }),
  };
  for (const [name, token] of Object.entries(bad))
    t.equal(tokens.verify(token, startMs), undefined, name);
  t.equal(tokens.verify(jwt, startMs + yearSeconds * 1000), undefined, 'after a year');
  const padded = (length: number) => {
    const pad = 'x'.repeat(Math.trunc(((length - jwt.length) * 3) / 4));
    return signedAs(good, { ...body, pad });
  };
  t.equal(tokens.verify(padded(2 * jwtCharactersMax), startMs), undefined, 'too long');
  t.ok(tokens.verify(padded(jwtCharactersMax / 2), startMs), 'not too long');
});

t.test('nothing but ids gets into a session token', async (t) => {
  const tokens = createSessionTokens(keys, issuerUrl);
  for (const field of ['sessionId', 'serviceId', 'apiSessionId', 'identityId'] as const) {
    for (const id of ['', 'a"b', 'a\\', 'a/b', 'ü', 'a\n']) {
      t.throws(() => tokens.sign({ ...claims, [field]: id }, startMs));
    }
  }
});
