// Requests with access tokens: which are good, which are not, and what ends them.

import { sign as signBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import t from 'tap';
import { createOidcTokens, type TokenFacts } from '../../src/pki/tokens/oidc-tokens.ts';
import { TokenKeySet } from '../../src/pki/tokens/token-keys.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { claimsIn, OidcClient, tokensIn } from './oidc-client.ts';

const path = 'C:/current-identity';

const challenge = (error: string) => `Bearer realm="openziti-oidc" error="${error}"`;

t.test('a session by OIDC is an API session', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const alice = await network.createUser('alice', 'alice-password');
  const { access_token } = await client.tokens('alice', 'alice-password');
  const { z_asid } = claimsIn(access_token);
  t.match(await network.must('GET', `M:/identities/${alice}`), { hasApiSession: true });
  const shown = { id: z_asid, type: 'jwt', identityId: alice, token: '******' };
  t.match(await network.must('GET', `M:/api-sessions/${z_asid}`), shown);
  const filter = encodeURIComponent(`identity = "${alice}"`);
  t.match(await network.must('GET', `M:/api-sessions?filter=${filter}`), [shown]);
  const own = await client.call('GET', 'C:/current-api-session', access_token);
  t.match(own.data, { id: z_asid, expirationSeconds: 1800, isMfaRequired: false });
  t.equal((await client.call('GET', 'M:/identities', access_token)).status, 401, 'no more rights');
  t.equal((await client.call('GET', '/oidc/userinfo', access_token)).status, 200);
  t.same((await client.call('GET', '/oidc/userinfo', access_token)).json(), {
    sub: alice,
    name: 'alice',
    z_ia: false,
  });
  const restarted = await network.restart().then(() => client.call('GET', path, access_token));
  t.equal(restarted.status, 200);
  await network.stop();
});

t.test('requests do not prolong it', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token } = await client.tokens(adminUser, adminPassword);
  for (let minute = 0; minute < 29; minute++) {
    await network.advance(60_000);
    t.equal((await client.call('GET', path, access_token)).status, 200);
  }
  await network.advance(60_000);
  const { status, headers } = await client.call('GET', path, access_token);
  t.equal(status, 401);
  t.match(headers['www-authenticate'], challenge('expired'));
  await network.stop();
});

const endings: Readonly<
  Record<string, (network: Network, client: OidcClient, own: OwnTokens) => Promise<unknown>>
> = {
  'log-out': (_network, client, { access }) =>
    client.call('DELETE', 'C:/current-api-session', access),
  'an administrator': (network, _client, { sessionId }) =>
    network.must('DELETE', `M:/api-sessions/${sessionId}`),
  end_session: (_network, client, { id }) => client.get(`/oidc/end_session?id_token_hint=${id}`),
  'end_session by form': (_network, client, { id }) =>
    client.post('/oidc/end_session', { id_token_hint: id }),
  revoke: (_network, client, { refresh }) =>
    client.post('/oidc/revoke', { token: refresh, client_id: 'native' }),
  'the alias of revoke': (_network, client, { refresh }) =>
    client.post('/oidc/oauth/revoke', { token: refresh, client_id: 'native' }),
  'a revocation of the session': (network, _client, { sessionId }) =>
    network.create('revocations', { id: sessionId, type: 'API_SESSION' }),
  'a revocation of the identity': (network, _client, { identityId }) =>
    network.create('revocations', { id: identityId, type: 'IDENTITY' }),
  'its identity is disabled': (network, _client, { identityId }) =>
    network.must('POST', `M:/identities/${identityId}/disable`, { durationMinutes: 0 }),
  'its identity is deleted': (network, _client, { identityId }) =>
    network.must('DELETE', `M:/identities/${identityId}`),
};

interface OwnTokens {
  readonly access: string;
  readonly refresh: string;
  readonly id: string;
  readonly sessionId: string;
  readonly identityId: string;
}

for (const [name, end] of Object.entries(endings)) {
  t.test(`ended by ${name}`, async (t) => {
    const network = await bootNetwork();
    const client = new OidcClient(network);
    const identityId = await network.createUser('alice', 'alice-password');
    const other = await client.tokens('alice', 'alice-password');
    const tokens = await client.tokens('alice', 'alice-password');
    t.equal((await client.call('GET', path, tokens.access_token)).status, 200);
    await end(network, client, {
      access: tokens.access_token,
      refresh: tokens.refresh_token,
      id: tokens.id_token,
      sessionId: String(claimsIn(tokens.access_token)['z_asid']),
      identityId,
    });
    const { status, headers } = await client.call('GET', path, tokens.access_token);
    t.equal(status, 401);
    t.match(headers['www-authenticate'], challenge('invalid'));
    t.equal((await client.refresh(tokens.refresh_token)).status, 400);
    const isOfAll = name.includes('identity');
    t.equal((await client.call('GET', path, other.access_token)).status, isOfAll ? 401 : 200);
    await network.crash();
    t.equal((await client.call('GET', path, tokens.access_token)).status, 401, 'for good');
    await network.stop();
  });
}

t.test('an access token is revoked alone', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const tokens = await client.tokens(adminUser, adminPassword);
  const foreign = { token: tokens.access_token, client_id: 'openziti' };
  t.equal((await client.post('/oidc/revoke', foreign)).status, 200);
  t.equal((await client.call('GET', path, tokens.access_token)).status, 200, 'of another client');
  const own = { token: tokens.access_token, client_id: 'native' };
  for (let i = 0; i < 2; i++) t.equal((await client.post('/oidc/revoke', own)).status, 200);
  t.equal((await client.call('GET', path, tokens.access_token)).status, 401);
  const next = tokensIn(await client.refresh(tokens.refresh_token));
  t.equal((await client.call('GET', path, next.access_token)).status, 200);
  const garbage = await client.post('/oidc/revoke', { token: 'x', client_id: 'native' });
  t.equal(garbage.status, 200);
  t.equal((await client.post('/oidc/revoke', { client_id: 'native' })).status, 400);
  const listed = await network.must<object[]>('GET', 'M:/revocations');
  t.match(listed, [{ type: 'JTI', id: claimsIn(tokens.access_token)['jti'] }]);
  t.equal(listed.length, 1, 'nothing of garbage is kept');
  await network.stop();
});

t.test('a log-out leads back to where it may', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const to = (query: string) => client.get(`/oidc/end_session${query}`);
  t.match((await to('')).headers, { location: '/oidc/logged-out' });
  t.equal((await client.get('/oidc/logged-out')).status, 200);
  for (const uri of ['openziti://auth/logout', 'http://localhost:8080/auth/logout']) {
    const query = new URLSearchParams({ post_logout_redirect_uri: uri, state: 's' });
    t.match((await to(`?${query}`)).headers, { location: `${uri}?state=s` });
  }
  const evil = new URLSearchParams({ post_logout_redirect_uri: 'https://evil.example/' });
  t.equal((await to(`?${evil}`)).status, 400);
  t.equal((await to('?id_token_hint=x')).status, 400);
  await network.stop();
});

t.test('tokens that are not good', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token, refresh_token, id_token } = await client.tokens(adminUser, adminPassword);
  const { authority } = network.core;
  const [header = '', body = '', signature = ''] = access_token.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const claims = claimsIn(access_token);
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (changes: object, key = authority.firstTokenKey) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
  const none = `${encoded({ alg: 'none', kid })}.${body}.`;
  const publicPem = network.env.tokenKeys.jwks[0];
  const hmac = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid })
    .sign(Buffer.from(JSON.stringify(publicPem)));
  const session = await network.must<{ token: string }>('POST', 'C:/authenticate?method=password', {
    username: adminUser,
    password: adminPassword,
  });
  const bad: Record<string, string> = {
    'of algorithm none': none,
    'of HMAC with the public key': hmac,
    'with a broken signature': `${header}.${body}.${signature.slice(0, -4)}AAAA`,
    'with other claims': `${header}.${encoded({ ...claims, sub: 'x' })}.${signature}`,
    'for nobody': await signed({ sub: 'nobody' }),
    'for another audience': await signed({ aud: ['other'] }),
    'for two audiences': await signed({ aud: ['native', 'other'] }),
    'of another issuer': await signed({ iss: 'https://evil.example:1280/oidc' }),
    'of an issuer without a path': await signed({ iss: 'https://localhost:1280' }),
    'of another session': await signed({ z_asid: '5f0c4b5e-7b0e-4a55-8d0c-7f1d1a2b3c4d' }),
    'that ends in ms': await signed({ exp: network.clock.now() }),
    'that ended before it began': await signed({ exp: -1 }),
    'that never ends': await signed({ exp: undefined }),
  };
  for (const [what, token] of Object.entries(bad)) {
    t.equal((await client.call('GET', path, token)).status, 401, what);
  }
  t.match((await client.call('GET', path, bad['for nobody'] ?? '')).headers, {
    'www-authenticate': challenge('invalid'),
  });
  const others = { refresh: refresh_token, id: id_token };
  for (const [what, token] of Object.entries(others)) {
    const { status, headers } = await client.call('GET', path, token);
    t.equal(status, 401, what);
    t.match(headers['www-authenticate'], 'zt-session realm="zt-session" error="missing"');
  }
  const inWrongHeader = await network.call('GET', path, { token: access_token });
  t.equal(inWrongHeader.status, 401);
  const both = await network.call('GET', path, {
    token: session.token,
    headers: { authorization: `Bearer ${bad['for nobody']}` },
  });
  t.equal(both.status, 200, 'zt-session counts first');
  t.equal((await client.call('GET', path, access_token)).status, 200);
  t.ok(signBytes !== undefined);
  await network.stop();
});

t.test('tokens of another data set', async (t) => {
  const [one, other] = [await bootNetwork({ seed: 1 }), await bootNetwork({ seed: 2 })];
  const { access_token, refresh_token } = await new OidcClient(one).tokens(
    adminUser,
    adminPassword,
  );
  const client = new OidcClient(other);
  t.equal((await client.call('GET', path, access_token)).status, 401);
  t.equal((await client.refresh(refresh_token)).status, 400);
  await one.stop();
  await other.stop();
});

t.test('a refresh token from after a backup does no harm to what was restored', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const tokens = await client.tokens(adminUser, adminPassword);
  const { authority } = network.core;
  const later = createOidcTokens(new TokenKeySet(authority.firstTokenKey));
  const claims = claimsIn(tokens.refresh_token);
  const facts: TokenFacts = {
    issuer: String(claims['iss']),
    jti: 'later',
    clientId: 'native',
    generation: 7,
    now: network.clock.now(),
    lifetimeMs: 60_000,
  };
  const known = network.env.oidcTokens.verify(tokens.refresh_token, 'r');
  if (known === undefined) throw new Error('the refresh token is not good');
  t.equal((await client.refresh(later.refresh(known, facts))).status, 400);
  t.equal((await client.refresh(tokens.refresh_token)).status, 200);
  await network.stop();
});

t.test('the clock jumps', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token } = await client.tokens(adminUser, adminPassword);
  network.clock.jump(-3_600_000);
  t.equal((await client.call('GET', path, access_token)).status, 200);
  network.clock.jump(2 * 3_600_000);
  t.equal((await client.call('GET', path, access_token)).status, 401);
  await network.stop();
});

t.test('a session that ends leaves a revocation for routers', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token } = await client.tokens(adminUser, adminPassword);
  const { z_asid } = claimsIn(access_token);
  await client.call('DELETE', 'C:/current-api-session', access_token);
  const listed = () => network.must<object[]>('GET', 'M:/revocations');
  t.match(await listed(), [{ id: z_asid, type: 'API_SESSION' }]);
  await network.restart();
  t.match(await listed(), [{ id: z_asid }]);
  await network.sleep(24 * 3_600_000);
  await network.logInAdmin();
  t.same(await listed(), [], 'until its last token is dead');

  const { refresh_token } = await client.tokens(adminUser, adminPassword);
  await network.sleep(25 * 3_600_000);
  t.equal((await client.refresh(refresh_token)).status, 400);
  await network.logInAdmin();
  t.same(await listed(), [], 'one that expires leaves none');
  await network.stop();
});
