// Login by tokens of external JWT signers (behaviour/external-jwt), and their keys in time.

import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import { createFetch } from '../../../src/platform/fetch.ts';
import {
  base64url,
  claims,
  jwks,
  newKey,
  type ProviderKey,
  sign,
  startSeconds,
} from '../../auth/identity-provider.ts';
import { ScriptedFetch } from '../../auth/scripted-fetch.ts';
import { issue } from '../../http/certificates.ts';
import { startLocalServer } from '../../local-server.ts';
import { makeCertificate } from '../../simulated/certificates.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { inject } from '../../simulated/inject.ts';
import {
  type Answer,
  bootNetwork,
  type Network,
  type NetworkOptions,
  urlOf,
} from '../../simulated/network.ts';
import { anyPrimary } from '../privileges/callers.ts';

const rsa = await newKey('RS256', 'rsa');
const ec = await newKey('ES256', 'ec');
const issuer = 'https://idp.example.com';
const signer = {
  name: 'idp',
  issuer,
  audience: 'edge',
  enabled: true,
  useExternalId: true,
  jwksEndpoint: `${issuer}/keys`,
};

/** A network whose identity provider publishes `keys`, with an identity for the claim `alice`. */
async function setUp(keys: readonly ProviderKey[] = [rsa], options: NetworkOptions = {}) {
  const provider = new ScriptedFetch();
  provider.body = jwks(...keys);
  const network = await bootNetwork({ fetch: provider.fetch, ...options });
  const signerId = await network.create('external-jwt-signers', signer);
  const alice = await network.create('identities', {
    name: 'alice',
    type: 'Default',
    isAdmin: false,
    externalId: 'alice',
  });
  return { network, provider, signerId, alice };
}

function present(network: Network, ...tokens: string[]): Promise<Answer> {
  const authorization = tokens.map((token) => `Bearer ${token}`);
  return network.call('POST', 'C:/authenticate?method=ext-jwt', {
    token: null,
    headers: { authorization },
  });
}

/** A refusal and its challenge; nothing of a token stands in the logs. */
function refused(t: Test, answer: Answer, error: string, parts: object = {}): void {
  t.match(answer, { status: 401, code: 'UNAUTHORIZED', cause: undefined });
  const challenge = answer.headers['www-authenticate'] ?? '';
  t.ok(challenge.startsWith('Bearer realm="openziti-primary-ext-jwt"'), challenge);
  const shown = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  t.match(shown, { error, error_description: String, ...parts }, challenge);
}

t.test('keys are fetched when a signer is made; its tokens log in from then on', async (t) => {
  const { network, provider, signerId, alice } = await setUp([rsa, ec]);
  t.same(provider.asked, [signer.jwksEndpoint]);
  t.match(provider.bounds, [{ timeoutMs: 5000, redirectsMax: 5 }]);
  for (const key of [rsa, ec]) {
    const answer = await present(network, await sign(key));
    t.match(answer, { status: 200 });
    t.match(answer.data, {
      identityId: alice,
      authenticatorId: `extJwtId:${signerId}`,
      authQueries: [],
      isCertExtendable: false,
      isMfaRequired: false,
    });
    const session = answer.headers['zt-session'] ?? '';
    t.match(await network.must('GET', 'C:/current-identity', undefined, session), { id: alice });
  }
  const bearer = `bearer ${await sign(rsa)}`;
  for (const [name, value] of [
    ['authentication', bearer],
    ['authorization', `Basic eA==, ${bearer}`],
  ] as const) {
    const options = { token: null, headers: { [name]: value } };
    t.match(await network.call('POST', 'M:/authenticate?method=ext-jwt', options), { status: 200 });
  }
  t.equal(provider.asked.length, 1);
  await network.stop();
});

t.test('by the id of the identity, by another claim, by a certificate', async (t) => {
  const { network, alice, signerId } = await setUp();
  const by = (changes: object) =>
    network.must('PATCH', `M:/external-jwt-signers/${signerId}`, changes);
  await by({ useExternalId: false });
  t.match(await present(network, await sign(rsa)), { status: 401 });
  t.match(await present(network, await sign(rsa, claims({ sub: alice }))), { status: 200 });
  await by({ claimsProperty: '/user/id' });
  const deep = claims({ sub: 'nobody', user: { id: alice } });
  t.match(await present(network, await sign(rsa, deep)), { status: 200 });
  const made = await makeCertificate({
    name: 'idp',
    as: 'end',
    keyType: 'ec-p256',
    nowMs: network.clock.now(),
  });
  await by({ certPem: made.pem, jwksEndpoint: '' });
  t.match(await present(network, await sign(rsa, deep)), { status: 401 }, 'the old keys are gone');
  const key = { ...ec, privateKey: made.key as never, kid: made.fingerprint };
  t.match(await present(network, await sign(key, deep)), { status: 200 });
  await by({ kid: 'named' });
  t.match(await present(network, await sign(key, deep)), { status: 401 });
  t.match(await present(network, await sign({ ...key, kid: 'named' }, deep)), { status: 200 });
  await network.stop();
});

t.test('tokens that do not pass, and what their bearers are told', async (t) => {
  const { network, provider, signerId } = await setUp([rsa, ec]);
  const parts = { id: signerId, issuer };
  const now = startSeconds;
  const hmacOf = (secret: string) => {
    const signed = `${base64url({ alg: 'HS256', kid: 'rsa' })}.${base64url(claims())}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const none = `${base64url({ alg: 'none', kid: 'rsa' })}.${base64url(claims())}.`;
  const stranger = await newKey('RS256', 'rsa');
  const good = await sign(rsa);
  const invalid: Readonly<Record<string, string>> = {
    'none, with a signature': `${none}AAAA`,
    'HMAC by the public key': hmacOf(JSON.stringify(rsa.jwk)),
    'an algorithm of another kind of key': await sign({ ...ec, kid: 'rsa' }),
    "another's key of the same id": await sign(stranger),
    'a foreign key id': await sign({ ...stranger, kid: 'foreign' }),
    'not yet valid': await sign(rsa, claims({ nbf: now + 1 })),
    'issued in the future': await sign(rsa, claims({ iat: now + 1 })),
    'without end': await sign(rsa, claims({ exp: undefined })),
    'for others': await sign(rsa, claims({ aud: 'others' })),
    'for nobody': await sign(rsa, claims({ aud: undefined })),
    'of nobody': await sign(rsa, claims({ sub: undefined })),
    'of an unknown identity': await sign(rsa, claims({ sub: 'bob' })),
    'changed on the way': `${good.slice(0, -8)}AAAAAAAA`,
  };
  for (const [why, token] of Object.entries(invalid)) {
    await t.test(why, async (t) => refused(t, await present(network, token), 'invalid', parts));
  }
  const missing: Readonly<Record<string, string[]>> = {
    'no token': [],
    'none, as it is written': [none],
    'no JWT': ['x'],
    'of a stranger': [await sign(rsa, claims({ iss: 'https://stranger' }), { kid: 'x' })],
    'too long': [await sign(rsa, claims({ padding: 'x'.repeat(8192) }))],
  };
  for (const [why, tokens] of Object.entries(missing)) {
    await t.test(why, async (t) => refused(t, await present(network, ...tokens), 'missing', parts));
  }
  const late = await sign(rsa, claims({ exp: now }));
  refused(t, await present(network, late), 'expired', parts);
  refused(t, await present(network, invalid['for others'] ?? '', late), 'expired', parts);
  t.match(await present(network, late, good), { status: 200 }, 'the first that passes decides');
  const four = ['x', 'y', 'z', good];
  refused(t, await present(network, ...four), 'missing', parts);
  network.clock.jump(60_000);
  refused(t, await present(network, good), 'expired', parts);
  t.equal(provider.asked.length, 1, 'no key was asked for within the second');
  t.same(network.logged, []);
  await network.stop();
});

t.test(
  'identities that are disabled, refused by the policy, or limited to other signers',
  async (t) => {
    const { network, alice, signerId } = await setUp();
    const token = await sign(rsa);
    const elsewhere = await network.create('external-jwt-signers', {
      ...signer,
      name: 'other',
      issuer: 'https://other',
      jwksEndpoint: 'https://other/keys',
    });
    const allow = (allowed: boolean, allowedSigners: string[]) =>
      network.must('PATCH', 'M:/auth-policies/default', {
        primary: { ...anyPrimary, extJwt: { allowed, allowedSigners } },
      });
    const parts = { id: signerId, issuer };
    t.match(await present(network, token), { status: 200 });
    await allow(false, []);
    refused(t, await present(network, token), 'invalid', parts);
    await allow(true, [elsewhere]);
    refused(t, await present(network, token), 'invalid', parts);
    await allow(true, [elsewhere, signerId]);
    const live = await present(network, token);
    t.match(live, { status: 200 });
    await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
    refused(t, await present(network, token), 'invalid', parts);
    await network.must('POST', `M:/identities/${alice}/enable`, {});
    t.match(await present(network, token), { status: 200 });
    await network.must('PATCH', `M:/identities/${alice}`, { externalId: '' });
    refused(t, await present(network, token), 'invalid', parts);
    await network.must('PATCH', `M:/external-jwt-signers/${signerId}`, { enabled: false });
    refused(t, await present(network, token), 'missing', {
      id: elsewhere,
      issuer: 'https://other',
    });
    refused(t, await present(network), 'missing', { id: elsewhere });
    await network.must('PATCH', `M:/external-jwt-signers/${elsewhere}`, { enabled: false });
    const plain = await present(network, token);
    t.match(plain, { status: 401, code: 'UNAUTHORIZED' });
    t.notOk(plain.headers['www-authenticate'], 'nobody would do (behaviour/external-jwt#refusals)');
    await network.stop();
  },
);

t.test('a login waits for an unknown key, once per second', async (t) => {
  const { network, provider } = await setUp();
  provider.body = jwks(ec);
  const token = await sign(ec);
  refused(t, await present(network, token), 'invalid');
  t.equal(provider.asked.length, 1, 'asked a moment ago');
  network.clock.advance(1000);
  provider.hold();
  const waiting = Promise.all([present(network, token), present(network, token)]);
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  t.equal(provider.asked.length, 2, 'both wait for the same fetch');
  t.match(await network.call('GET', 'C:/version'), { status: 200 }, 'and nobody else does');
  provider.release();
  t.match(await waiting, [{ status: 200 }, { status: 200 }]);
  refused(t, await present(network, await sign(rsa)), 'invalid', {});
  await network.stop();
});

t.test('the logins that wait for keys are bounded, one more is 429', async (t) => {
  const { network, provider } = await setUp([rsa], { limits: { authenticationsWaitingMax: 2 } });
  network.clock.advance(1000);
  provider.hold();
  const token = await sign(ec);
  const waiting = [present(network, token), present(network, token)];
  t.match(await present(network, token), { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  t.match(await present(network, await sign(rsa)), { status: 200 }, 'who need not wait gets in');
  provider.release();
  for (const answer of waiting) refused(t, await answer, 'invalid');
  await network.stop();
});

t.test('the key sets that are fetched at a time are bounded, also after a start', async (t) => {
  const { network, provider } = await setUp([rsa], { bounds: { jwksFetchesMax: 2 } });
  for (const name of ['a', 'b', 'c']) {
    const own = { name, issuer: `https://${name}`, jwksEndpoint: `https://${name}/keys` };
    await network.create('external-jwt-signers', { ...signer, ...own, enabled: name !== 'c' });
  }
  t.equal(provider.asked.length, 3, 'a disabled one is not asked for its keys');
  provider.hold();
  await network.restart();
  t.equal(provider.asked.length, 3 + 2);
  provider.release();
  await network.clock.settle();
  t.same(
    new Set(provider.asked.slice(3)),
    new Set(['https://a/keys', 'https://b/keys', signer.jwksEndpoint]),
  );
  t.match(await present(network, await sign(rsa)), { status: 200 });
  await network.stop();
});

t.test(
  'keys go with their signer; a provider that is down is named in the log, no token',
  async (t) => {
    const { network, provider, signerId } = await setUp();
    provider.isDown = true;
    network.clock.advance(1000);
    const unknown = await sign(ec);
    refused(t, await present(network, unknown), 'invalid');
    const known = await sign(rsa);
    t.match(await present(network, known), { status: 200 }, 'the keys of before go on');
    t.equal(network.logged.length, 1);
    t.match(JSON.parse(network.logged[0] ?? ''), { signerId, failures: 1, reason: String });
    for (const token of [known, unknown]) {
      t.notOk(network.logged.some((line) => line.includes(token.split('.')[2] ?? '')));
    }
    await network.must('DELETE', `M:/external-jwt-signers/${signerId}`);
    const again = await network.create('external-jwt-signers', signer);
    t.not(again, signerId);
    refused(t, await present(network, known), 'invalid', { id: again });
    await network.stop();
  },
);

t.test('an identity that lost the right while keys were fetched is refused', async (t) => {
  const { network, provider, alice } = await setUp();
  network.clock.advance(1000);
  provider.body = jwks(ec);
  provider.hold();
  const waiting = present(network, await sign(ec));
  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
  provider.release();
  refused(t, await waiting, 'invalid');
  await network.stop();
});

t.test('with the keys of a real server', async (t) => {
  const authority = await issue('Test Root', { authority: true });
  const certificate = await issue('localhost', { issuer: authority });
  const answer = { body: jwks(rsa) };
  const server = await startLocalServer(
    t,
    (_, response) => void response.end(answer.body),
    certificate,
  );
  const fetch = createFetch({ clock: new SimulatedClock(), trusted: [authority.certificate] });
  const { network, signerId } = await setUp([], { fetch });
  const logIn = async (key: ProviderKey) => {
    const authorization = `Bearer ${await sign(key)}`;
    const url = urlOf('C:/authenticate?method=ext-jwt');
    const answered = inject(network.core.handler, {
      method: 'POST',
      url,
      headers: { authorization },
    });
    return turning(network, answered);
  };
  const jwksEndpoint = `${server.url}/keys`;
  const asked = server.next();
  await network.must('PATCH', `M:/external-jwt-signers/${signerId}`, { jwksEndpoint });
  await asked;
  t.equal((await logIn(rsa)).status, 200);
  answer.body = jwks(ec);
  network.clock.advance(1000);
  t.equal((await logIn(ec)).status, 200, 'fetched while it waits');
  t.same(server.asked, ['/keys', '/keys']);
  await network.stop();
});

/** What waits for sockets takes more turns of the event loop than `call` allows. */
async function turning<T>(network: Network, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const watched = promise.finally(() => void (isSettled = true));
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    network.clock.turn();
  }
  return watched;
}

t.test('addresses of private networks, where they are not allowed', async (t) => {
  const auth = {
    endSessionsWithCredential: true,
    jwksFromPrivateAddresses: false,
    sessionLifetimeMaxMinutes: 0,
  };
  const network = await bootNetwork();
  const make = (jwksEndpoint: string) =>
    network.call('POST', 'M:/external-jwt-signers', {
      body: { ...signer, name: jwksEndpoint, issuer: jwksEndpoint, jwksEndpoint },
    });
  const made = await make('http://127.0.0.1/keys');
  t.equal(made.status, 201);
  network.config = { ...network.config, auth };
  await network.restart();
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '192.168.0.1', '[fd00::1]']) {
    const refusal = { status: 400, cause: { field: 'jwksEndpoint' } };
    t.match(await make(`https://${host}/keys`), refusal, host);
  }
  t.match(await make('https://idp.example.com/keys'), { status: 201 });
  const { id } = made.data as { id: string };
  const path = `M:/external-jwt-signers/${id}`;
  t.match(await network.call('PATCH', path, { body: { enabled: false } }), { status: 200 });
  await network.stop();
});
