// The verdict on external JWTs: signed by jose, with scripted key sets and a simulated clock.

import { createHmac, createPublicKey } from 'node:crypto';
import { importPKCS8, UnsecuredJWT } from 'jose';
import t from 'tap';
import { candidateSigners, onlySigner } from '../../src/auth/external-jwt/candidates.ts';
import { createExternalJwts, type Evidence } from '../../src/auth/external-jwt/external-jwt.ts';
import type { JwtSigner } from '../../src/auth/external-jwt/jwks-endpoints.ts';
import type { ApiError } from '../../src/errors/errors.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import { issue } from '../http/certificates.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import {
  base64url,
  bearers,
  claims,
  jwks,
  newKey,
  type ProviderKey,
  provider,
  sign,
  startSeconds,
} from './identity-provider.ts';
import { KeptLog, ScriptedFetch } from './scripted-fetch.ts';

const rsa = await newKey('RS256', 'rsa');
const ec = await newKey('ES256', 'ec');
const foreign = await newKey('ES256', 'ec');

/** A verifier that knows both keys, and a table of signers that a test may change. */
function setUp(signer = provider(), bounds: BoundValues = {}) {
  const clock = new SimulatedClock();
  const script = new ScriptedFetch();
  script.body = jwks(rsa, ec);
  const { fetch } = script;
  const log = new KeptLog();
  const jwts = createExternalJwts({
    fetch,
    clock,
    log,
    bounds,
    limits: { ...defaultLimits, ...bounds },
  });
  const records = new Map([[signer.id, signer]]);
  const found = (isIt: (signer: JwtSigner) => boolean) => {
    const record = [...records.values()].find(isIt);
    return record && { record };
  };
  const signers = candidateSigners({
    find: (id) => found((one) => one.id === id),
    findBy: (index, key) => found((one) => one[index] === key),
    rows: () => [...records.values()].map((record) => ({ record })),
  });
  const examine = (...tokens: string[]): Evidence => jwts.examine(bearers(...tokens), signers);
  const prove = async (...texts: string[]): Promise<Evidence> => {
    const tokens = bearers(...texts);
    await jwts.fetchKeys(tokens, signers);
    await jwts.check(tokens, signers);
    return jwts.examine(tokens, signers);
  };
  const put = (record: JwtSigner): void => void records.set(record.id, record);
  return { clock, script, jwts, records, signers, signer, examine, prove, put };
}

/** What came out, in one line a token. */
function told({ verified, refused }: Evidence): string[] {
  return [...verified.map(({ claim }) => claim), ...refused.map(({ reason }) => `no: ${reason}`)];
}

function challenge(error: ApiError): string | undefined {
  return error.headers[0]?.[1];
}

t.test('every algorithm, by a key of its own', async (t) => {
  const names = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
  for (const algorithm of [...names, 'EdDSA', 'Ed25519']) {
    const key = await newKey(algorithm, 'k');
    const { script, prove } = setUp();
    script.body = jwks(key);
    t.same(told(await prove(await sign(key))), ['alice'], algorithm);
    const [head, body, signature = ''] = (await sign(key)).split('.');
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    t.same(told(await prove(`${head}.${body}.${flipped}`)), ['no: signature'], algorithm);
    t.same(told(await prove(`${head}.${body}.AAAA`)), ['no: signature'], algorithm);
  }
});

t.test('what a verified token says', async (t) => {
  const { prove, signer } = setUp();
  const { verified, refused, waiting } = await prove(await sign(ec));
  const untilMs = (startSeconds + 60) * 1000;
  t.match(verified, [{ claim: 'alice', lifetime: { fromMs: startSeconds * 1000, untilMs } }]);
  t.equal(verified[0]?.signer, signer);
  t.same([refused, waiting], [[], []]);
});

t.test('algorithm confusion', async (t) => {
  const { prove, script } = setUp();
  const pem = createPublicKey({ key: rsa.jwk, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  const forge = (header: object, secret: string | Buffer = pem): string => {
    const signed = `${base64url(header)}.${base64url(claims())}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const unsecured = new UnsecuredJWT(claims()).encode();
  t.same(told(await prove(unsecured)), [], 'without a signature it is no token');
  for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
    t.same(told(await prove(forge({ alg, kid: 'rsa' }))), ['no: algorithm'], alg);
  }
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    t.same(told(await prove(forge({ alg, kid: 'rsa' }))), ['no: algorithm'], alg);
  }
  t.same(script.asked, [], 'none of them is worth a fetch');
  t.same(told(await prove(forge({ alg: 'RS256', kid: 'rsa' }))), ['no: signature']);
  const crossed = await sign(rsa, claims(), { kid: 'ec' });
  t.same(told(await prove(crossed)), ['no: algorithm'], 'an RSA token for an EC key');
  for (const alg of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
    t.same(told(await prove(forge({ alg, kid: 'ec' }))), ['no: algorithm'], `${alg}, EC key`);
  }
  t.same(told(await prove(forge({ alg: 'ES256', kid: 'rsa' }))), ['no: algorithm']);
  t.same(told(await prove(forge({ kid: 'rsa' }))), ['no: algorithm'], 'absent');
  t.same(told(await prove(forge({ alg: 256, kid: 'rsa' }))), ['no: algorithm'], 'no string');
});

t.test('keys within the token are ignored', async (t) => {
  const { prove } = setUp();
  const { jwk } = foreign;
  const embedded = await sign(foreign, claims(), { jwk });
  const pointed = await sign(foreign, claims(), { jku: 'https://evil.example.com/keys' });
  t.same(told(await prove(embedded)), ['no: signature']);
  t.same(told(await prove(pointed)), ['no: signature']);
});

t.test('header rules', async (t) => {
  const { prove, examine, script } = setUp();
  t.same(told(await prove(await sign(ec, claims(), { kid: undefined }))), ['no: no key id']);
  t.same(told(await prove(await sign(ec, claims(), { kid: '' }))), ['no: no key id']);
  const head = base64url({ alg: 'ES256', kid: 'ec', crit: ['b64'], b64: true });
  t.same(told(examine(`${head}.${base64url(claims())}.AQID`)), ['no: critical header']);
  t.same(script.asked, []);
  t.same(told(await prove(await sign(ec, claims(), { typ: 'at+jwt' }))), ['alice']);
});

t.test('claims that do not pass, before any key is fetched', async (t) => {
  const now = startSeconds;
  const cases: [Record<string, unknown>, string[]][] = [
    [{ aud: 'other' }, ['no: audience']],
    [{ aud: ['other', 'Edge'] }, ['no: audience']],
    [{ aud: undefined }, ['no: audience']],
    [{ exp: undefined }, ['no: dates']],
    [{ exp: now }, ['no: expired']],
    [{ exp: now - 1 }, ['no: expired']],
    [{ exp: -1 }, ['no: expired']],
    [{ nbf: now + 1 }, ['no: not yet valid']],
    [{ iat: now + 0.001 }, ['no: not yet valid']],
    [{ sub: undefined }, ['no: claim']],
    [{ sub: 7 }, ['no: claim']],
    [{ sub: '' }, ['no: claim']],
    [{ sub: ['alice'] }, ['no: claim']],
    [{ iss: 'https://other.example.com' }, []],
    [{ iss: undefined }, []],
    [{ iss: ['https://idp.example.com'] }, []],
  ];
  const { prove, script } = setUp();
  for (const [changes, outcome] of cases) {
    t.same(told(await prove(await sign(ec, claims(changes)))), outcome, JSON.stringify(changes));
  }
  t.same(script.asked, []);
  const good = { aud: ['x', 'edge'], exp: now + 0.001, nbf: undefined, iat: undefined };
  t.same(told(await prove(await sign(ec, claims(good)))), ['alice']);
});

t.test('claims by JSON pointer, which the signer configures', async (t) => {
  const { prove } = setUp(provider({ claimsProperty: '/realm/user~1id', useExternalId: false }));
  const { verified } = await prove(await sign(ec, claims({ realm: { 'user/id': 'bob' } })));
  t.match(verified, [{ claim: 'bob', signer: { useExternalId: false } }]);
  t.same(told(await prove(await sign(ec))), ['no: claim']);
});

t.test('an unknown key id: one fetch, then a refusal', async (t) => {
  const { prove, examine, script, clock, signer } = setUp();
  const stranger = await newKey('ES256', 'stranger');
  const token = await sign(stranger);
  t.same(examine(token).waiting, [signer]);
  t.same(told(await prove(token)), ['no: unknown key']);
  t.same(examine(token).waiting, [], 'not so soon again');
  t.same(told(await prove(token, await sign(ec))), ['alice', 'no: unknown key']);
  t.equal(script.asked.length, 1);
  clock.advance(1000);
  script.body = jwks(rsa, stranger);
  t.same(told(await prove(token)), ['alice'], 'the provider rotated');
  t.equal(script.asked.length, 2);
  t.same(told(await prove(await sign(ec))), ['no: unknown key'], 'the old key is gone');
});

t.test('a hundred callers wait for one fetch', async (t) => {
  const { prove, script } = setUp();
  const token = await sign(ec);
  script.hold();
  const all = Array.from({ length: 100 }, () => prove(token));
  script.release();
  for (const evidence of await Promise.all(all)) t.same(told(evidence), ['alice']);
  t.equal(script.asked.length, 1);
});

t.test('an endpoint that is down: no wait after the first try', async (t) => {
  const { prove, examine, script, clock } = setUp();
  script.isDown = true;
  const token = await sign(ec);
  t.same(told(await prove(token)), ['no: unknown key']);
  t.same(examine(token).waiting, []);
  script.isDown = false;
  clock.advance(1000);
  t.same(told(await prove(token)), ['alice']);
});

t.test('a foreign key with the same id', async (t) => {
  const { prove } = setUp();
  t.same(told(await prove(await sign(foreign))), ['no: signature']);
});

t.test('a signer with a certificate', async (t) => {
  const leaf = await issue('idp');
  const privateKey = await importPKCS8(leaf.key, 'ES256');
  const signed = (kid: string, payload = claims()): Promise<string> =>
    sign({ ...ec, privateKey, kid } as ProviderKey, payload);
  const certPem = leaf.certificate;
  const plain = { jwksEndpoint: undefined, certPem, fingerprint: 'f1' };
  const { prove, script, examine } = setUp(provider({ ...plain, kid: 'own' }));
  const own = await signed('own');
  t.match(examine(own), { waiting: [], refused: [{ reason: 'signature unchecked' }] });
  t.same(told(await prove(own)), ['alice']);
  t.same(told(examine(own)), ['alice'], 'from now on there is nothing to wait for');
  t.same(told(await prove(await signed('other'))), ['no: unknown key']);
  t.same(told(await prove(await signed('own', claims({ iss: undefined })))), ['no: issuer']);
  t.same(told(await prove(await signed('f1', claims({ iss: 'other' })))), ['no: issuer']);
  t.same(told(await prove(await signed('f2', claims({ iss: 'other' })))), []);
  t.same(told(await prove(await sign(rsa, claims(), { kid: 'own' }))), ['no: algorithm']);
  t.same(script.asked, []);
});

t.test('a verified token is remembered until it ends', async (t) => {
  const { prove, examine, clock, put, signer } = setUp();
  const token = await sign(ec);
  const [before] = (await prove(token)).verified;
  t.equal(examine(token).verified[0], before, 'the very same finding');
  clock.advance(59_999);
  t.equal(examine(token).verified[0], before);
  clock.advance(1);
  t.same(told(examine(token)), ['no: expired']);
  clock.jump(-60_000);
  t.equal(examine(token).verified[0], before);
  clock.jump(-1);
  t.same(told(examine(token)), ['no: not yet valid']);
  clock.jump(1);
  put({ ...signer });
  const again = examine(token).verified[0];
  t.match(again, { claim: 'alice' });
  t.not(again, before, 'a replaced record is asked again');
});

t.test('what is remembered follows the signer and its keys', async (t) => {
  const { prove, examine, records, put, signer, script, clock, jwts } = setUp();
  const token = await sign(ec);
  t.same(told(await prove(token)), ['alice']);
  put({ ...signer, enabled: false });
  t.same(told(examine(token)), []);
  put({ ...signer, audience: 'other' });
  t.same(told(examine(token)), ['no: audience']);
  put({ ...signer, claimsProperty: 'iss' });
  t.same(told(examine(token)), ['https://idp.example.com']);
  put(signer);
  t.same(told(examine(token)), ['alice']);
  records.clear();
  t.same(told(examine(token)), []);
  put(signer);
  script.body = jwks(rsa);
  clock.advance(1000);
  await jwts.keys.load(signer);
  t.same(told(examine(token)), ['no: unknown key'], 'the key was taken back');
});

t.test('a token waits only for its first check, whatever the result', async (t) => {
  const { examine, jwts, signers, signer, put, script, clock } = setUp();
  const good = bearers(await sign(ec));
  const bad = bearers(await sign(foreign));
  await jwts.fetchKeys(good, signers);
  for (const tokens of [good, bad]) {
    const { refused, unchecked } = jwts.examine(tokens, signers);
    t.match(refused, [{ reason: 'signature unchecked', signer }]);
    t.match(unchecked, [{ token: tokens[0] }]);
    await jwts.check(tokens, signers);
    t.same(jwts.examine(tokens, signers).unchecked, []);
  }
  t.same(told(jwts.examine(bad, signers)), ['no: signature']);
  const again = examine(bad[0]?.text ?? '');
  t.same(told(again), ['no: signature unchecked'], 'another request with it is checked again');
  put({ ...signer, audience: 'other' });
  put({ ...signer });
  script.body = jwks(ec);
  clock.advance(1000);
  await jwts.keys.load(signer);
  t.same(told(examine(good[0]?.text ?? '')), ['alice'], 'the same key in another set');
  script.body = jwks(foreign);
  clock.advance(1000);
  await jwts.keys.load(signer);
  t.same(told(jwts.examine(good, signers)), ['no: signature unchecked'], 'another key of its id');
  await jwts.check(good, signers);
  t.same(told(jwts.examine(good, signers)), ['no: signature']);
});

t.test('the number of remembered tokens is bounded', async (t) => {
  const { prove, examine } = setUp(provider(), { externalJwtsKnownMax: 2 });
  const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => sign(ec, claims({ sub }))));
  const { verified } = await prove(...tokens);
  t.same(
    verified.map(({ claim }) => claim),
    ['a', 'b', 'c'],
  );
  t.equal(examine(tokens[2] ?? '').verified[0], verified[2], 'the last is remembered');
  t.same(told(examine(tokens[0] ?? '')), ['no: signature unchecked'], 'the first is forgotten');
  t.same(told(await prove(...tokens)), ['a', 'b', 'c'], 'and checked again');
});

t.test('a token that is too long is not verified', async (t) => {
  const { prove, script } = setUp(provider(), { jwtCharactersMax: 1024 });
  t.same(told(await prove(await sign(ec, claims({ more: 'x'.repeat(1000) })))), []);
  t.same(script.asked, []);
  t.same(told(await prove(await sign(ec))), ['alice']);
});

t.test('several tokens: all that pass, in their order', async (t) => {
  const { prove, put } = setUp();
  put(provider({ id: 'signer-2', issuer: 'https://second.example.com' }));
  const iss = 'https://second.example.com';
  const evidence = await prove(
    'opaque',
    await sign(rsa, claims({ aud: 'other' })),
    await sign(ec, claims({ iss, sub: 'bob' })),
    await sign(rsa),
  );
  t.same(told(evidence), ['bob', 'alice', 'no: audience']);
  t.same(
    evidence.verified.map(({ signer }) => signer.id),
    ['signer-2', 'signer-1'],
  );
});

t.test('disabled signers do not count', async (t) => {
  const { prove, jwts, signers, script } = setUp(provider({ enabled: false, kid: 'ec' }));
  const evidence = await prove(await sign(ec));
  t.same(told(evidence), []);
  t.same(script.asked, []);
  const error = jwts.refusal('primary', evidence, signers);
  t.match(error, { code: 'UNAUTHORIZED', status: 401 });
  t.equal(challenge(error), undefined, 'no signer, no challenge');
});

t.test('the secondary factor: only the configured signer counts', async (t) => {
  const { prove, jwts, signer, put } = setUp();
  const second = provider({ id: 'signer-2', issuer: 'https://second.example.com' });
  put(second);
  const own = await sign(ec);
  const others = await sign(ec, claims({ iss: second.issuer }));
  await prove(own, others);
  const both = bearers(own, others);
  t.same(told(jwts.examine(both, onlySigner(signer))), ['alice']);
  t.match(jwts.examine(both, onlySigner(second)).verified, [{ signer: second }]);
  t.same(told(jwts.examine(bearers(own), onlySigner(second))), []);
  t.same(told(jwts.examine(bearers(own), onlySigner(undefined))), []);
  t.same(told(jwts.examine(bearers(own), onlySigner({ ...signer, enabled: false }))), []);
  const named = provider({ kid: 'ec' });
  const wrong = await sign(ec, claims({ iss: 'wrong' }));
  t.same(told(jwts.examine(bearers(wrong), onlySigner(named))), ['no: issuer']);
});

t.test('what a refusal says', async (t) => {
  const { prove, jwts, signers, put } = setUp();
  put(provider({ id: 'signer-2', issuer: 'https://second.example.com' }));
  put(provider({ id: 'signer-3', issuer: 'https://third.example.com', enabled: false }));
  const iss = 'https://second.example.com';
  const expired = await sign(ec, claims({ iss, exp: startSeconds }));
  const invalid = await sign(foreign);
  const says = async (...tokens: string[]): Promise<string | undefined> =>
    challenge(jwts.refusal('primary', await prove(...tokens), signers));
  const realm = 'Bearer realm="openziti-primary-ext-jwt"';
  const missing = 'the request carries no bearer token of an external JWT signer';
  const all = 'id="signer-1|signer-2" issuer="https://idp.example.com|https://second.example.com"';
  t.equal(await says(), `${realm} error="missing" error_description="${missing}" ${all}`);
  t.equal(await says('opaque'), await says());
  t.equal(
    await says(invalid),
    `${realm} error="invalid" error_description="the bearer token is not valid" id="signer-1" issuer="https://idp.example.com"`,
  );
  t.equal(
    await says(invalid, expired),
    `${realm} error="expired" error_description="the bearer token has expired" id="signer-2" issuer="https://second.example.com"`,
  );
  const error = jwts.refusal('secondary', await prove(), onlySigner(provider()));
  t.match(
    challenge(error),
    /^Bearer realm="openziti-secondary-ext-jwt" error="missing" .* id="signer-1" issuer="https:\/\/idp.example.com"$/,
  );
});

t.test('a refusal names as many signers as its bound permits', async (t) => {
  const { prove, jwts, signers, put } = setUp(provider(), { challengeCharactersMax: 256 });
  for (let index = 2; index <= 100; index++) {
    put(provider({ id: `signer-${index}`, issuer: `https://${index}.example.com` }));
  }
  const text = challenge(jwts.refusal('primary', await prove(), signers)) ?? '';
  const [, ids = '', issuers = ''] = /id="([^"]*)" issuer="([^"]*)"/.exec(text) ?? [];
  t.equal(ids.split('|').length, issuers.split('|').length);
  t.ok(ids.length + issuers.length <= 256);
  t.ok(ids.split('|').length > 5);
});
