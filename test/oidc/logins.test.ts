// Factors of a login by OIDC: passwords, certificates, external JWTs, codes, and their mistakes.

import t from 'tap';
import { sign, startSeconds, claims as tokenClaims } from '../auth/identity-provider.ts';
import { setUp as bootWithSigner, key } from '../contract/login/second-factor-token.ts';
import { appCode } from '../simulated/authenticator-app.ts';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';
import { claimsIn, OidcClient, tokensIn } from './oidc-client.ts';

t.test('a login names its request in three ways, and its client in two forms', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const credentials = { username: adminUser, password: adminPassword };
  const ways = [
    (id: string) => client.postJson('/oidc/login/username', { id, ...credentials }),
    (id: string) => client.postJson(`/oidc/login/password?id=${id}`, credentials),
    (id: string) => client.post(`/oidc/login/password?authRequestID=${id}`, credentials),
  ];
  for (const way of ways) t.equal((await way(await client.begin())).status, 302);
  const id = await client.begin();
  const sent = { sdkType: 'go', sdkAppID: 'app', envOs: 'linux', configTypes: 'host.v1' };
  await client.logIn(id, adminUser, adminPassword, sent);
  const claims = claimsIn(tokensIn(await client.exchange(await client.code(id))).access_token);
  t.match(claims, { z_sdk: { type: 'go', appId: 'app' }, z_env: { os: 'linux' } });
  t.equal((claims['z_ct'] as string[]).length, 1, 'config types are named by ids');
  await network.stop();
});

t.test('what a login refuses', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin();
  const path = '/oidc/login/password';
  const wrong = await client.logIn(id, adminUser, 'wrong-password');
  t.match(wrong.json(), { code: 'INVALID_AUTH', message: String, requestId: String });
  t.equal(wrong.status, 401);
  const nobody = await client.logIn(id, 'nobody', 'wrong-password');
  t.match({ ...(nobody.json() as object), requestId: '' }, { code: 'INVALID_AUTH' });
  t.same(
    { ...(nobody.json() as object), requestId: '' },
    { ...(wrong.json() as object), requestId: '' },
    'it does not tell whether a user exists',
  );
  t.equal((await client.post(path, { id, username: adminUser })).status, 400);
  t.equal((await client.logIn('none', adminUser, adminPassword)).status, 401);
  const json = { 'content-type': 'application/json' };
  const malformed = await network.call('POST', path, {
    token: null,
    body: '{"id":',
    headers: { host: 'localhost:1280', ...json },
  });
  t.equal(malformed.status, 400);
  t.equal(
    (await client.post(path, { id }, { headers: { 'content-type': 'text/plain' } })).status,
    415,
  );
  t.equal((await client.post('/oidc/login/cert', { id })).status, 401);
  t.equal((await client.post('/oidc/login/ext-jwt', { id })).status, 401);
  t.equal((await client.get('/oidc/login/updb')).status, 404);
  t.equal((await client.get('/oidc/login/totp')).status, 405);
  await network.stop();
});

t.test('five mistakes end a login, and count for the lockout', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const alice = await network.createUser('alice', 'alice-password');
  await network.must('PATCH', 'M:/auth-policies/default', {
    primary: { updb: { maxAttempts: 6, lockoutDurationMinutes: 10 } },
  });
  const id = await client.begin();
  for (let i = 0; i < 5; i++) await client.logIn(id, 'alice', 'wrong-password');
  t.equal((await client.logIn(id, 'alice', 'alice-password')).status, 401, 'it is over');
  const next = await client.begin();
  t.equal((await client.logIn(next, 'alice', 'wrong-password')).status, 401);
  t.match(await network.must('GET', `M:/identities/${alice}`), { disabled: true });
  t.equal((await client.logIn(next, 'alice', 'alice-password')).status, 401);
  await network.stop();
});

t.test('nobody takes over the factors of somebody else', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  await network.createUser('alice', 'alice-password');
  await network.createUser('robert', 'robert-password');
  const id = await client.begin();
  t.equal((await client.logIn(id, 'alice', 'alice-password')).status, 302);
  t.equal((await client.logIn(id, 'robert', 'robert-password')).status, 401);
  t.equal((await client.get(`/oidc/authorize/callback?id=${id}`)).status, 400, 'it is over');
  await network.stop();
});

/** An identity with a verified authenticator app, and the codes of it. */
async function withApp() {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const session = await network.login('alice', 'alice-password');
  const own = 'C:/current-identity/mfa';
  await network.must('POST', own, undefined, session);
  const { provisioningUrl, recoveryCodes } = await network.must<{
    provisioningUrl: string;
    recoveryCodes: string[];
  }>('GET', own, undefined, session);
  const code = (steps = 0) => appCode(provisioningUrl, network.clock.now(), steps);
  await network.must('POST', `${own}/verify`, { code: code() }, session);
  return { network, client: new OidcClient(network), code, recoveryCodes };
}

t.test('a code of the authenticator app', async (t) => {
  const { network, client, code, recoveryCodes } = await withApp();
  const id = await client.begin();
  const owed = await client.logIn(id, 'alice', 'alice-password');
  t.match(owed, { status: 200, headers: { 'totp-required': 'true' } });
  const query = {
    typeId: 'TOTP',
    provider: 'ziti',
    httpMethod: 'POST',
    httpUrl: './oidc/login/totp',
    format: 'numeric',
    minLength: 6,
    maxLength: 8,
    isTotpEnrolled: true,
    scopes: null,
  };
  t.same(owed.json(), { authQueries: [query] });
  const asked = await client.get(`/oidc/login/auth-queries?id=${id}`);
  t.same(asked.json(), { authQueries: [query] });
  t.equal((await client.get('/oidc/login/auth-queries?id=none')).status, 401);
  const early = await client.get(`/oidc/authorize/callback?id=${id}`);
  t.match(early.headers['location'], 'error=interaction_required');
  for (const given of ['000000', '', undefined]) {
    const wrong = await client.postJson('/oidc/login/totp', { id, code: given });
    t.match(wrong, { status: 400 });
    t.match(wrong.json(), { code: 'INVALID_TOTP_CODE' });
  }
  t.equal((await client.postJson('/oidc/login/totp', { id: 'none', code: code() })).status, 400);
  const right = await client.postJson('/oidc/login/totp', { id, code: code() });
  t.equal(right.status, 302);
  const tokens = tokensIn(await client.exchange(await client.code(id)));
  t.same(claimsIn(tokens.access_token)['amr'], ['password', 'totp']);
  const session = await client.call('GET', 'C:/current-api-session', tokens.access_token);
  t.match(session.data, { isMfaComplete: true, authQueries: [], type: 'jwt' });

  const next = await client.begin();
  await client.logIn(next, 'alice', 'alice-password');
  const [first = ''] = recoveryCodes;
  t.equal((await client.post('/oidc/login/totp', { id: next, code: first })).status, 302);
  const last = await client.begin();
  await client.logIn(last, 'alice', 'alice-password');
  const again = await client.post('/oidc/login/totp', { id: last, code: first });
  t.equal(again.status, 400, 'a recovery code works once');
  await network.stop();
});

t.test('an authenticator app is set up within the login', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  await network.createUser('alice', 'alice-password');
  await network.must('PATCH', 'M:/auth-policies/default', { secondary: { requireTotp: true } });
  const id = await client.begin();
  const enroll = '/oidc/login/totp/enroll';
  t.equal((await client.postJson(enroll, { id })).status, 401, 'not before the password');
  const owed = await client.logIn(id, 'alice', 'alice-password');
  const [query] = (owed.json() as { authQueries: object[] }).authQueries;
  t.notOk('isTotpEnrolled' in (query ?? {}));
  const begun = await client.postJson(enroll, { id });
  t.equal(begun.status, 201);
  const again = await client.postJson(enroll, { id });
  const shown = again.json() as { provisioningUrl: string; recoveryCodes: string[] };
  t.match(shown, { isVerified: false, _links: null });
  t.equal(shown.recoveryCodes.length, 20);
  const verify = `${enroll}/verify`;
  const wrong = await client.postJson(verify, { id, code: '000000' });
  t.match(wrong, { status: 400 });
  t.match(wrong.json(), { code: 'MFA_INVALID_TOKEN' });
  const code = appCode(shown.provisioningUrl, network.clock.now());
  t.equal((await client.postJson(verify, { id, code })).status, 302);
  const tokens = tokensIn(await client.exchange(await client.code(id)));
  t.same(claimsIn(tokens.access_token)['amr'], ['password', 'totp']);

  const next = await client.begin();
  await client.logIn(next, 'alice', 'alice-password');
  t.equal((await client.postJson(enroll, { id: next })).status, 409, 'it is set up');
  const remove = (given: object) =>
    network.call('DELETE', enroll, {
      token: null,
      body: { id: next, ...given },
      headers: { host: 'localhost:1280' },
    });
  t.equal((await remove({})).status, 400, 'only with a code');
  await network.advance(30_000);
  const removed = await remove({ code: appCode(shown.provisioningUrl, network.clock.now()) });
  t.same([removed.status, removed.body.toString()], [200, '{}']);
  t.equal((await remove({})).status, 404);
  await network.stop();
});

t.test('a token of an external signer, as the first factor and as the second', async (t) => {
  const { network, signerId, authPolicyId } = await bootWithSigner();
  const client = new OidcClient(network);
  const token = await sign(key, tokenClaims({ exp: startSeconds + 3600 }));
  const headers = { authorization: `Bearer ${token}` };

  const id = await client.begin({ method: 'ext-jwt' });
  const owed = await client.logIn(id, 'alice', 'alice-password');
  t.match(owed.json(), { authQueries: [{ typeId: 'EXT-JWT', id: signerId, provider: 'url' }] });
  t.match(owed.headers['www-authenticate'], 'openziti-secondary-ext-jwt');
  t.equal((await client.post('/oidc/login/ext-jwt', { id })).status, 401);
  const second = await client.post('/oidc/login/ext-jwt', { id }, { headers });
  t.equal(second.status, 302, second.body.toString());
  const tokens = tokensIn(await client.exchange(await client.code(id)));
  t.same(claimsIn(tokens.access_token)['amr'], ['password', `ejs:${signerId}`]);
  const path = 'M:/identities';
  t.equal(
    (await client.call('GET', path, tokens.access_token)).status,
    401,
    'each request owes it',
  );
  const both = { authorization: [`Bearer ${tokens.access_token}`, `Bearer ${token}`] };
  const answer = await network.call('GET', path, { token: null, headers: both });
  t.equal(answer.status, 200);

  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, {
    secondary: { requireTotp: false, requireExtJwtSigner: null },
  });
  const first = await client.begin({ method: 'ext-jwt' });
  t.equal((await client.post('/oidc/login/ext-jwt', { id: first }, { headers })).status, 302);
  const claims = claimsIn(tokensIn(await client.exchange(await client.code(first))).access_token);
  t.match(claims, { amr: ['ext-jwt'], z_authid: `extJwtId:${signerId}` });
  await network.stop();
});
