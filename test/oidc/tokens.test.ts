// Codes, refresh tokens and exchanges: what each of them buys, for whom, and how often.

import { createHash, createPublicKey } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import t from 'tap';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { claimsIn, OidcClient, type Tokens, tokensIn } from './oidc-client.ts';

async function boot(): Promise<{ network: Network; client: OidcClient }> {
  const network = await bootNetwork();
  return { network, client: new OidcClient(network) };
}

/** A code of a complete login of the administrator. */
async function newCode(client: OidcClient): Promise<string> {
  const id = await client.begin();
  await client.logIn(id, adminUser, adminPassword);
  return client.code(id);
}

const errorIn = (answer: { json(): unknown; status: number }) =>
  answer.status === 200 ? '' : (answer.json() as { error: string }).error;

t.test('what is published verifies what is issued', async (t) => {
  const { network, client } = await boot();
  const { access_token, refresh_token, id_token } = await client.tokens(adminUser, adminPassword);
  const document = await client.get('/oidc/.well-known/openid-configuration');
  const found = document.json() as Record<string, string>;
  t.match(found, {
    issuer: 'https://localhost:1280/oidc',
    token_endpoint: 'https://localhost:1280/oidc/oauth/token',
    code_challenge_methods_supported: ['S256'],
  });
  const keys = await client.get('/oidc/keys');
  const { etag = '' } = keys.headers;
  const same = await client.get('/oidc/keys', { headers: { 'if-none-match': etag } });
  t.match(same, { status: 304 });
  const verify = createLocalJWKSet(keys.json() as Parameters<typeof createLocalJWKSet>[0]);
  const { issuer = '' } = found;
  const currentDate = new Date(network.clock.now());
  for (const token of [access_token, refresh_token, id_token]) {
    const options = { issuer, audience: 'native', currentDate, algorithms: ['ES256'] };
    const { protectedHeader } = await jwtVerify(token, verify, options);
    t.match(protectedHeader, { alg: 'ES256', typ: 'JWT' });
  }
  const [access, refresh, id] = [access_token, refresh_token, id_token].map(claimsIn);
  t.not(access?.['jti'], refresh?.['jti']);
  t.equal(access?.['z_asid'], refresh?.['z_asid']);
  t.match(refresh, { z_t: 'r', amr: ['password'], z_cfs: null, z_ia: true });
  const digest = createHash('sha256').update(access_token).digest();
  t.match(id, {
    nonce: 'nonce-of-the-client',
    azp: 'native',
    name: 'admin',
    at_hash: digest.subarray(0, 16).toString('base64url'),
    c_hash: String,
    z_asid: access?.['z_asid'],
  });
  t.notOk('z_t' in (id ?? {}));
  await network.stop();
});

t.test('without offline access there is no refresh token', async (t) => {
  const { network, client } = await boot();
  const tokens = await client.tokens(adminUser, adminPassword, { scope: 'openid profile' });
  t.notOk('refresh_token' in tokens);
  t.equal(tokens.scope, 'openid');
  t.equal((await client.call('GET', 'M:/identities', tokens.access_token)).status, 200);
  const bought = await client.exchangeToken('access_token', tokens.access_token, 'refresh_token');
  t.equal(errorIn(bought), 'invalid_request', 'a short life buys no long one');
  await network.advance(15 * 60_000);
  const again = await client.exchangeToken('access_token', tokens.access_token, 'access_token');
  const { access_token, expires_in } = tokensIn(again);
  t.equal(expires_in, 900);
  await network.advance(15 * 60_000 + 1000);
  t.equal((await client.call('GET', 'M:/identities', access_token)).status, 401);
  const { id } = { id: String(claimsIn(access_token)['z_asid']) };
  t.equal(network.env.store.table(apiSessionKind).find(id), undefined, 'the session has ended');
  await network.stop();
});

t.test('a code works once, for its client, with its verifier, in time', async (t) => {
  const { network, client } = await boot();
  const wrong = [
    { code_verifier: 'another-verifier-of-a-client-0123456789abcdefg' },
    { redirect_uri: 'http://localhost:8081/auth/callback' },
    { client_id: 'openziti' },
  ];
  for (const more of wrong) {
    const code = await newCode(client);
    t.equal(errorIn(await client.exchange(code, more)), 'invalid_grant', JSON.stringify(more));
    t.equal(errorIn(await client.exchange(code)), 'invalid_grant', 'it is void');
  }
  for (const name of ['code', 'code_verifier', 'redirect_uri', 'client_id', 'grant_type']) {
    const answer = await client.exchange(await newCode(client), { [name]: undefined });
    t.equal(errorIn(answer), 'invalid_request', name);
  }
  const code = await newCode(client);
  t.equal((await client.exchange(code)).status, 200);
  t.equal(errorIn(await client.exchange(code)), 'invalid_grant');

  const id = await client.begin();
  await client.logIn(id, adminUser, adminPassword);
  const [first, second] = [await client.code(id), await client.code(id)];
  t.equal(errorIn(await client.exchange(first)), 'invalid_grant', 'the second voids the first');
  t.equal((await client.exchange(second)).status, 200);

  const late = await newCode(client);
  await network.advance(60_000);
  t.equal(errorIn(await client.exchange(late)), 'invalid_grant');
  await network.stop();
});

t.test('the C SDK repeats the state, and takes it for a part of the code', async (t) => {
  const { network } = await boot();
  const client = new OidcClient(network, 'openziti');
  const query = new URLSearchParams(client.authorization() as Record<string, string>);
  const { headers } = await client.post(`/oidc/authorize?${query}&audience=openziti`, {});
  const id = /authRequestID=(.+)$/.exec(headers['location'] ?? '')?.[1] ?? '';
  const credentials = { username: adminUser, password: adminPassword };
  await client.postJson(`/oidc/login/password?id=${id}`, credentials);
  const sent = await client.get(client.callbackOf(id));
  const code = (sent.headers['location'] ?? '').replace(/^.*code=/, '');
  t.match(code, /^[\w-]{43}&state=state-of-the-client$/);
  const form = client.authorization();
  const rest = `code_verifier=verifier-of-a-client-in-a-test-0123456789abc&state=x&grant_type=authorization_code&client_id=openziti&redirect_uri=${encodeURIComponent(String(form['redirect_uri']))}`;
  const answer = await network.call('POST', '/oidc/oauth/token', {
    token: null,
    body: `code=${code}&${rest}`,
    headers: { host: 'localhost:1280', 'content-type': 'application/x-www-form-urlencoded' },
  });
  t.equal(answer.status, 200, answer.body.toString());
  const { refresh_token } = tokensIn(answer);
  const basic = Buffer.from('openziti:').toString('base64');
  const renewed = await client.refresh(
    refresh_token,
    {},
    { headers: { authorization: `Basic ${basic}` } },
  );
  t.equal(renewed.status, 200);
  await network.stop();
});

t.test('what the token endpoint refuses', async (t) => {
  const { network, client } = await boot();
  const { refresh_token, access_token, id_token } = await client.tokens(adminUser, adminPassword);
  const other = new OidcClient(network, 'openziti');
  t.equal(errorIn(await other.refresh(refresh_token)), 'invalid_grant', 'of another client');
  t.equal(errorIn(await client.refresh(access_token)), 'invalid_grant', 'of another sort');
  t.equal(errorIn(await client.refresh(id_token)), 'invalid_grant');
  t.equal(errorIn(await client.refresh('')), 'invalid_request');
  t.equal(errorIn(await client.refresh(`${refresh_token}x`)), 'invalid_grant');
  t.equal(
    errorIn(await client.refresh(refresh_token, { scope: 'openid profile' })),
    'invalid_scope',
  );
  t.equal(errorIn(await client.token({ grant_type: 'password' })), 'unsupported_grant_type');
  t.equal(errorIn(await client.refresh(refresh_token, { client_id: 'nobody' })), 'invalid_client');
  const basic = { authorization: `Basic ${Buffer.from('openziti:x').toString('base64')}` };
  const mixed = await client.refresh(refresh_token, {}, { headers: basic });
  t.equal(errorIn(mixed), 'invalid_client', 'two clients at once');
  t.equal(
    errorIn(await client.refresh(refresh_token, { refresh_token: ['a', 'b'] })),
    'invalid_request',
  );
  const json = await client.postJson('/oidc/oauth/token', { grant_type: 'refresh_token' });
  t.equal(errorIn(json), 'invalid_request', 'JSON is no form');
  const id = await client.exchangeToken('id_token', id_token, 'access_token');
  t.equal(errorIn(id), 'invalid_request');
  const long = await client.refresh('x'.repeat(70_000));
  t.match(long, { status: 413 });
  t.equal(errorIn(long), 'invalid_request');
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`p${i}`, 'x']));
  t.equal(errorIn(await client.token(many)), 'invalid_request');
  t.equal((await client.refresh(refresh_token)).status, 200, 'none of that has harmed it');
  await network.stop();
});

/** The access token of an answer works, or why not. */
async function works(client: OidcClient, { access_token }: Pick<Tokens, 'access_token'>) {
  return (await client.call('GET', 'C:/current-identity', access_token)).status === 200;
}

t.test('a refresh token gives way to the next, with a little time', async (t) => {
  const { network, client } = await boot();
  const first = await client.tokens(adminUser, adminPassword);
  const second = tokensIn(await client.refresh(first.refresh_token));
  t.ok(await works(client, first), 'access tokens live until they expire');
  // The answer was lost: the client has not used anything of it.
  await network.advance(60 * 60_000);
  const again = tokensIn(await client.refresh(first.refresh_token));
  t.equal(claimsIn(again.refresh_token)['z_gen'], claimsIn(second.refresh_token)['z_gen']);
  t.ok(await works(client, again), 'that is the first use');
  t.equal((await client.refresh(first.refresh_token)).status, 200, 'and a few seconds more');
  await network.advance(10_000);
  t.equal(errorIn(await client.refresh(first.refresh_token)), 'invalid_grant', 'reuse');
  t.match(network.logged.join(''), 'a refresh token was used after its successor');
  t.equal(errorIn(await client.refresh(again.refresh_token)), 'invalid_grant', 'the thief has it');
  t.notOk(await works(client, again));
  await network.stop();
});

t.test('the last but one is reuse at once', async (t) => {
  const { network, client } = await boot();
  const first = await client.tokens(adminUser, adminPassword);
  const second = tokensIn(await client.refresh(first.refresh_token));
  const third = tokensIn(await client.refresh(second.refresh_token));
  t.equal(errorIn(await client.refresh(first.refresh_token)), 'invalid_grant');
  t.notOk(await works(client, third));
  await network.stop();
});

t.test('the exchanges of the Go SDK', async (t) => {
  const { network, client } = await boot();
  let tokens = await client.tokens(adminUser, adminPassword);
  const { auth_time, z_asid } = claimsIn(tokens.access_token);
  for (let round = 0; round < 3; round++) {
    await network.advance(15 * 60_000);
    const old = tokens.refresh_token;
    const pair = await client.exchangeToken('refresh_token', old, 'refresh_token');
    tokens = tokensIn(pair);
    t.match(pair.json(), { issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' });
    const id = await client.exchangeToken('refresh_token', old, 'id_token');
    t.match(id.json(), { token_type: 'N_A' });
    const claims = claimsIn((id.json() as Tokens).access_token);
    t.match(claims, { sub: String, name: 'admin', amr: ['password'], z_asid, auth_time });
    t.match(claimsIn(tokens.access_token), { amr: ['password'], auth_time, z_asid });
  }
  const nothing = await client.exchangeToken('refresh_token', tokens.refresh_token, '');
  t.match(tokensIn(nothing), { refresh_token: String }, 'nothing asked for is a refresh token');
  const { refresh_token } = tokensIn(nothing);
  const access = await client.exchangeToken('refresh_token', refresh_token, 'access_token');
  t.notOk('refresh_token' in tokensIn(access));
  t.match(claimsIn(tokensIn(access).access_token), { amr: ['password'], auth_time, z_asid });
  t.equal((await client.refresh(refresh_token)).status, 200, 'which rotates nothing');
  const saml = await client.exchangeToken('refresh_token', refresh_token, 'saml2');
  t.equal(errorIn(saml), 'invalid_request');
  await network.stop();
});

t.test('rotations outlive crashes', async (t) => {
  const { network, client } = await boot();
  const first = await client.tokens(adminUser, adminPassword);
  const second = tokensIn(await client.refresh(first.refresh_token));
  await network.crash();
  t.ok(await works(client, second), 'what was answered works');
  await network.advance(11_000);
  await network.crash();
  t.equal(
    errorIn(await client.refresh(first.refresh_token)),
    'invalid_grant',
    'and its use counts',
  );
  await network.stop();
});

t.test('a session ends with its newest refresh token', async (t) => {
  const { network, client } = await boot();
  const first = await client.tokens(adminUser, adminPassword);
  await network.sleep(23 * 3_600_000);
  const second = tokensIn(await client.refresh(first.refresh_token));
  await network.sleep(23 * 3_600_000);
  const third = tokensIn(await client.refresh(second.refresh_token));
  t.ok(await works(client, third));
  await network.sleep(24 * 3_600_000 + 1000);
  t.equal(errorIn(await client.refresh(third.refresh_token)), 'invalid_grant');
  const { z_asid } = claimsIn(third.access_token);
  t.equal(network.env.store.table(apiSessionKind).find(String(z_asid)), undefined);
  await network.stop();
});

t.test('tokens are checked anew with each refresh', async (t) => {
  const { network, client } = await boot();
  const alice = await network.createUser('alice', 'alice-password');
  const login = () => client.tokens('alice', 'alice-password');
  const disabled = await login();
  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
  t.equal(errorIn(await client.refresh(disabled.refresh_token)), 'invalid_grant');
  await network.must('POST', `M:/identities/${alice}/enable`);
  t.equal(errorIn(await client.refresh(disabled.refresh_token)), 'invalid_grant', 'for good');
  t.notOk(await works(client, disabled));
  const barred = await login();
  const policy = await network.must<object>('GET', 'M:/auth-policies/default');
  const authPolicyId = await network.create('auth-policies', { ...policy, name: 'no passwords' });
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, {
    primary: { updb: { allowed: false } },
  });
  await network.must('PATCH', `M:/identities/${alice}`, { authPolicyId });
  t.equal(errorIn(await client.refresh(barred.refresh_token)), 'invalid_grant');
  await network.must('PATCH', `M:/identities/${alice}`, { authPolicyId: 'default' });
  const [{ id } = { id: '' }] = await network.must<{ id: string }[]>(
    'GET',
    `M:/identities/${alice}/authenticators`,
  );
  const deleted = await login();
  await network.must('DELETE', `M:/authenticators/${id}`);
  t.equal(errorIn(await client.refresh(deleted.refresh_token)), 'invalid_grant');
  await network.stop();
});

t.test('a token that would be too long leaves out what is least needed', async (t) => {
  const { network, client } = await boot();
  const names: string[] = [];
  for (let i = 0; i < 600; i++) {
    const schema = { type: 'object' };
    names.push(await network.create('config-types', { name: `type-${i}`, schema }));
  }
  const id = await client.begin();
  const login = { id, username: adminUser, password: adminPassword, configTypes: names };
  t.equal((await client.postJson('/oidc/login/password', login)).status, 302);
  const { access_token } = tokensIn(await client.exchange(await client.code(id)));
  t.ok(access_token.length <= 8192);
  t.notOk('z_ct' in claimsIn(access_token));
  t.match(network.logged.join(''), 'it was too long');
  const session = await client.call('GET', 'M:/current-api-session', access_token);
  t.equal(
    (session.data as { configTypes: string[] }).configTypes.length,
    600,
    'the session has them',
  );
  await network.stop();
});

t.test('the key is that of the routers, and of nothing else', async (t) => {
  const { network, client } = await boot();
  const { keys } = (await client.get('/oidc/keys')).json() as { keys: { kid: string }[] };
  t.equal(keys.length, 1);
  const { kid, ...jwk } = network.env.tokenKeys.jwks[0] ?? {};
  t.equal(keys[0]?.kid, kid);
  t.equal(createPublicKey({ key: { ...jwk }, format: 'jwk' }).asymmetricKeyType, 'ec');
  await network.stop();
});
