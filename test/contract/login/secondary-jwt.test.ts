// The token of an external JWT signer as a secondary factor: with every request
// (behaviour/api-sessions#per-request).

import t, { type Test } from 'tap';
import { defaultLimits } from '../../../src/settings/limits.ts';
import { claims, jwks, sign, startSeconds } from '../../auth/identity-provider.ts';
import { appCode } from '../../simulated/authenticator-app.ts';
import type { Answer } from '../../simulated/network.ts';
import { issuer, key, later, setUp } from './second-factor-token.ts';

function owes(t: Test, answer: Answer, error: string, id: string): void {
  t.match(answer, { status: 401, code: 'UNAUTHORIZED' });
  isChallenged(t, answer, error, id);
}

function isChallenged(t: Test, answer: Answer, error: string, id: string): void {
  const challenge = answer.headers['www-authenticate'] ?? '';
  t.ok(
    challenge.startsWith(`Bearer realm="openziti-secondary-ext-jwt" error="${error}"`),
    challenge,
  );
  t.ok(challenge.endsWith(`id="${id}" issuer="${issuer}"`), challenge);
}

t.test('a session is full on requests that bring the token, and partial on others', async (t) => {
  const { network, signerId, alice, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const query = {
    typeId: 'EXT-JWT',
    provider: 'url',
    httpUrl: `${issuer}/login`,
    id: signerId,
    clientId: 'edge',
    scopes: ['openid'],
  };
  t.match((await call('C:/current-api-session', session)).data, { authQueries: [query] });
  owes(t, await call('C:/services', session), 'missing', signerId);
  const token = await sign(key);
  t.match(await call('C:/services', session, token), { status: 200 });
  t.match((await call('C:/current-api-session', session, token)).data, { authQueries: [] });
  owes(t, await call('C:/services', session), 'missing', signerId);
  owes(t, await call('C:/services', session, 'x'), 'missing', signerId);
  const refusals = {
    expired: claims({ exp: startSeconds }),
    invalid: claims({ aud: 'others' }),
  };
  for (const [error, payload] of Object.entries(refusals)) {
    owes(t, await call('C:/services', session, await sign(key, payload)), error, signerId);
  }
  const anothers = await sign(key, claims({ sub: 'bob' }));
  owes(t, await call('C:/services', session, anothers), 'invalid', signerId);
  await network.must('PATCH', `M:/external-jwt-signers/${signerId}`, { useExternalId: false });
  owes(t, await call('C:/services', session, token), 'invalid', signerId);
  const byId = await sign(key, claims({ sub: alice }));
  t.match(await call('C:/services', session, byId), { status: 200 });
  await network.must('PATCH', `M:/external-jwt-signers/${signerId}`, { enabled: false });
  const nobody = await call('C:/services', session, byId);
  t.match(nobody, { status: 401, code: 'UNAUTHORIZED' });
  t.notOk(nobody.headers['www-authenticate'], 'no signer is left that would do');
  await network.stop();
});

t.test('a token that comes with the login makes it a full one', async (t) => {
  const { network, call } = await setUp();
  const headers = { authorization: `Bearer ${await sign(key)}` };
  const body = { username: 'alice', password: 'alice-password' };
  const options = { token: null, headers, body };
  const answer = await network.call('POST', 'C:/authenticate?method=password', options);
  t.match(answer.data, { authQueries: [] });
  const { token } = answer.data as { token: string };
  t.match(await call('C:/services', token), { status: 401 });
  const primaryToken = { token: null, headers };
  const both = await network.call('POST', 'C:/authenticate?method=ext-jwt', primaryToken);
  t.match(both.data, { authQueries: [] });
  await network.stop();
});

t.test('a login tells what it owes, and when its session ends', async (t) => {
  const { network, signerId, authPolicyId } = await setUp();
  const login = (token?: string, session: string | null = null) =>
    network.call('POST', 'M:/authenticate?method=password', {
      token: session,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: { username: 'alice', password: 'alice-password' },
    });
  const owed = { authQueries: [{ typeId: 'EXT-JWT', id: signerId }] };
  const tokens = {
    missing: undefined,
    expired: await sign(key, claims({ exp: startSeconds })),
    invalid: await sign(key, claims({ sub: 'bob' })),
  };
  for (const [error, token] of Object.entries(tokens)) {
    const answer = await login(token);
    t.match(answer, { status: 200, data: owed });
    isChallenged(t, answer, error, signerId);
    t.match(answer.headers, {
      'expires-at': '2026-01-01T00:30:00.000Z',
      'expiration-seconds': '1800',
    });
  }
  const answer = await login(await sign(key));
  t.match(answer, { status: 200, data: { authQueries: [] } });
  t.notOk('www-authenticate' in answer.headers);
  await network.advance(60_000);
  const again = await login(undefined, network.admin);
  t.equal(again.headers['expires-at'], '2026-01-01T00:31:00.000Z', 'once, in a session as well');
  await network.must('PATCH', `M:/external-jwt-signers/${signerId}`, { enabled: false });
  t.notOk('www-authenticate' in (await login()).headers, 'no signer is left that would do');
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, {
    secondary: { requireTotp: true, requireExtJwtSigner: '' },
  });
  t.notOk('www-authenticate' in (await login()).headers, 'a code has no challenge');
  await network.stop();
});

t.test('a token is waited for once, by its own request and no other', async (t) => {
  const { network, provider, alice, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const token = await sign(key);
  const [first, other] = [call('C:/services', session, token), network.call('GET', 'C:/version')];
  network.clock.advance(defaultLimits.handlerTimeoutMs);
  t.match(await other, { status: 200 });
  t.match(await first, { code: 'TIMEOUT' }, 'a check that takes too long');
  t.match(await call('C:/services', session, token), { status: 200 });
  const late = await sign(key, claims({ jti: 'late' }));
  const waiting = call('C:/services', session, late);
  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
  t.match(await waiting, { status: 401 }, 'who lost the right meanwhile');
  await network.must('POST', `M:/identities/${alice}/enable`, {});
  t.match(await call('C:/services', session, late), { status: 401 }, 'the session has ended');
  t.same([provider.asked.length, network.logged], [1, []]);
  await network.stop();
});

t.test('what has to wait sees the token of its request until the end', async (t) => {
  const { network, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const identityId = await network.create('identities', {
    name: 'bob',
    type: 'Default',
    isAdmin: false,
  });
  const body = { method: 'updb', identityId, username: 'bobby', password: 'bob-password' };
  const create = (token?: string) => call('M:/authenticators', session, token, 'POST', body);
  t.match(await create(), { status: 401 });
  t.match(await create(await sign(key)), { status: 201 });
  await network.stop();
});

t.test('a request waits for the keys of its token, and shares the fetch with others', async (t) => {
  const { network, provider, signerId, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  provider.body = jwks(later);
  const token = await sign(later);
  owes(t, await call('C:/services', session, token), 'invalid', signerId);
  t.equal(provider.asked.length, 1, 'asked a moment ago');
  network.clock.advance(1000);
  const many = Array.from({ length: 10 }, () => call('C:/services', session, token));
  for (const answer of await Promise.all(many)) t.match(answer, { status: 200 });
  t.equal(provider.asked.length, 2);
  await network.restart();
  t.match(await call('C:/services', session, token), { status: 200 }, 'fetched at the start');
  await network.stop();
});

t.test('a key that stays unknown is fetched once a second, whoever asks', async (t) => {
  const { network, provider, signerId, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const token = await sign(later);
  for (let second = 1; second <= 3; second++) {
    network.clock.advance(1000);
    for (let n = 0; n < 5; n++) {
      owes(t, await call('C:/services', session, token), 'invalid', signerId);
    }
    t.equal(provider.asked.length, 1 + second);
  }
  await network.stop();
});

t.test('a slow provider is waited for 2 s', async (t) => {
  const { network, provider, signerId, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const token = await sign(later);
  network.clock.advance(1000);
  provider.body = jwks(later);
  provider.hold();
  const waiting = call('C:/services', session, token);
  await network.advance(1999);
  t.equal(network.env.keyWaits.waiting, 1);
  await network.advance(1);
  owes(t, await waiting, 'invalid', signerId);
  t.equal(network.env.keyWaits.waiting, 0);
  provider.release();
  t.match(await call('C:/services', session, token), { status: 200 }, 'the fetch went on');
  await network.stop();
});

t.test('callers wait for keys in small numbers', async (t) => {
  const { network, provider, signerId, authPolicyId, call } = await setUp({
    bounds: { keyWaitsOfCallerMax: 2 },
    limits: { authenticationsWaitingMax: 3 },
  });
  const more = { isAdmin: true, externalId: 'bob', authPolicyId };
  await network.createUser('bobby', 'bob-password', more);
  const session = await network.login('alice', 'alice-password');
  const bobs = await network.login('bobby', 'bob-password');
  const token = await sign(later);
  const token2 = await sign(later, claims({ sub: 'bob' }));
  network.clock.advance(1000);
  provider.body = jwks(later);
  provider.hold();
  const waiting = [call('C:/services', session, token), call('C:/services', session, token)];
  await network.advance(0);
  owes(t, await call('C:/services', session, token), 'invalid', signerId);
  waiting.push(call('C:/services', bobs, token2));
  await network.advance(0);
  owes(t, await call('C:/services', bobs, token2), 'invalid', signerId);
  t.equal(network.env.keyWaits.waiting, 3);
  provider.release();
  for (const answer of await Promise.all(waiting)) t.match(answer, { status: 200 });
  t.equal(network.env.keyWaits.waiting, 0);
  t.equal(provider.asked.length, 2);
  await network.stop();
});

t.test('the bodies of those who wait are bounded', async (t) => {
  const { network, provider, signerId, call } = await setUp({ limits: { bodiesBytesMax: 1000 } });
  const session = await network.login('alice', 'alice-password');
  const token = await sign(later);
  network.clock.advance(1000);
  provider.body = jwks(later);
  provider.hold();
  const body = { name: 'x'.repeat(300), type: 'Default', isAdmin: false };
  const create = (name: string) =>
    call('M:/identities', session, token, 'POST', { ...body, name: name + body.name });
  const waiting = [create('a'), create('b')];
  await network.advance(0);
  owes(t, await create('c'), 'invalid', signerId);
  provider.release();
  for (const answer of await Promise.all(waiting)) t.match(answer, { status: 201 });
  t.match(await create('c'), { status: 201 });
  await network.stop();
});

t.test('a login waits for the keys of its second factor, once its password is right', async (t) => {
  const { network, provider } = await setUp();
  provider.body = jwks(later);
  const headers = { authorization: `Bearer ${await sign(later)}` };
  const login = (password: string) =>
    network.call('POST', 'C:/authenticate?method=password', {
      token: null,
      headers,
      body: { username: 'alice', password },
    });
  network.clock.advance(1000);
  t.match(await login('wrong-password'), { status: 401 });
  t.equal(provider.asked.length, 1);
  const { status, data } = await login('alice-password');
  t.match([status, data], [200, { authQueries: [], isMfaComplete: true }]);
  t.equal(provider.asked.length, 2);
  await network.stop();
});

t.test('a token that was good ends with its time, though it was remembered', async (t) => {
  const { network, signerId, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const token = await sign(key, claims({ exp: startSeconds + 60 }));
  t.match(await call('C:/services', session, token), { status: 200 });
  await network.advance(59_999);
  t.match(await call('C:/services', session, token), { status: 200 });
  await network.advance(1);
  owes(t, await call('C:/services', session, token), 'expired', signerId);
  await network.stop();
});

t.test('of two factors the code is remembered, the token is asked for each time', async (t) => {
  const { network, signerId, authPolicyId, call } = await setUp();
  const session = await network.login('alice', 'alice-password');
  const secondary = { requireTotp: true, requireExtJwtSigner: signerId };
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, { secondary });
  const token = await sign(key);
  const queries = async (shown?: string) => {
    const { data } = await call('C:/current-api-session', session, shown);
    return (data as { authQueries: { typeId: string }[] }).authQueries.map(({ typeId }) => typeId);
  };
  t.same(await queries(), ['MFA', 'EXT-JWT']);
  t.same(await queries(token), ['MFA']);
  t.match(await call('C:/services', session, token), { status: 401, code: 'UNAUTHORIZED' });
  const own = 'C:/current-identity/mfa';
  t.match(await call(own, session, undefined, 'POST'), { status: 201 });
  const { provisioningUrl } = (await call(own, session)).data as { provisioningUrl: string };
  const code = appCode(provisioningUrl, network.clock.now());
  t.match(await call(`${own}/verify`, session, undefined, 'POST', { code }), { status: 200 });
  t.same(await queries(), ['EXT-JWT']);
  t.same(await queries(token), []);
  owes(t, await call('C:/services', session), 'missing', signerId);
  t.match(await call('C:/services', session, token), { status: 200 });
  const next = await network.login('alice', 'alice-password');
  t.match(await call('C:/services', next, token), { status: 401 });
  t.match(await call('C:/authenticate/mfa', next, undefined, 'POST', { code }), { status: 200 });
  t.match(await call('C:/services', next), { status: 401 });
  t.match(await call('C:/services', next, token), { status: 200 });
  await network.stop();
});

t.test('a policy that asks for a token acts on live sessions at once', async (t) => {
  const { network, signerId, authPolicyId, call } = await setUp();
  const policy = `M:/auth-policies/${authPolicyId}`;
  const none = { secondary: { requireExtJwtSigner: '' } };
  const session = await network.login('alice', 'alice-password');
  owes(t, await call('C:/services', session), 'missing', signerId);
  await network.must('PATCH', policy, none);
  t.match(await call('C:/services', session), { status: 200 });
  await network.must('PATCH', policy, { secondary: { requireExtJwtSigner: signerId } });
  owes(t, await call('C:/services', session), 'missing', signerId);
  await network.stop();
});
