// Bad input to the OIDC provider, each by its name: forged and misplaced tokens, parameters that
// are too large or there twice, certificates and tabs that are mixed up, and clocks that jump.

import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import t from 'tap';
import { newKey, sign as signExternal } from '../auth/identity-provider.ts';
import { certificatesIn, enrollWith, newIdentity } from '../contract/enrollment/enrolling.ts';
import {
  setUp as bootWithSigner,
  key as signerKey,
} from '../contract/login/second-factor-token.ts';
import { makeRequest } from '../simulated/certificates.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { dialable } from './dialable.ts';
import { claimsIn, OidcClient, type Tokens, tokensIn } from './oidc-client.ts';

const api = 'C:/current-identity';
const hourMs = 3_600_000;

async function boot(): Promise<{ network: Network; client: OidcClient }> {
  const network = await bootNetwork();
  return { network, client: new OidcClient(network) };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with this header and these claims, by whatever makes the signature. */
function token(header: object, claims: object, signature: (text: string) => Buffer): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${signature(text).toString('base64url')}`;
}

/** A signature as the algorithms of elliptic curves have it. */
const byKey = (key: KeyObject, hash: string) => (text: string) =>
  sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });

const byCurve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

/** Whether a token is taken anywhere, and its session with it. */
async function isTaken(client: OidcClient, text: string): Promise<boolean> {
  const answers = [
    await client.call('GET', api, text),
    await client.call('GET', '/oidc/userinfo', text),
    await client.refresh(text),
    await client.exchangeToken('refresh_token', text, 'access_token'),
    await client.exchangeToken('access_token', text, 'access_token'),
    await client.get(`/oidc/end_session?id_token_hint=${text}`),
  ];
  return answers.some(({ status }) => status < 400);
}

/** The tokens of a login, with their header and the claims of each. */
async function madeFrom(client: OidcClient) {
  const tokens = await client.tokens(adminUser, adminPassword);
  const [header = ''] = tokens.access_token.split('.');
  return {
    tokens,
    header: JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string },
    sorts: [tokens.access_token, tokens.refresh_token, tokens.id_token].map(claimsIn),
  };
}

t.test('algorithms', async (t) => {
  const { network, client } = await boot();
  const { tokens, header, sorts } = await madeFrom(client);
  const { firstTokenKey: tokenKey } = network.core.authority;
  const publicKey = createPublicKey(tokenKey);
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const secrets: Record<string, string | Buffer> = {
    PEM: publicKey.export({ type: 'spki', format: 'pem' }),
    DER: publicKey.export({ type: 'spki', format: 'der' }),
    JWK: JSON.stringify(network.env.tokenKeys.jwks[0]),
    point: Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]),
  };
  const none = () => Buffer.alloc(0);
  const signatures: Record<string, [header: object, signature: (text: string) => Buffer]> = {
    none: [{ alg: 'none' }, none],
    'none in capitals': [{ alg: 'NONE' }, none],
    'none with a signature': [{ alg: 'none' }, byKey(tokenKey, 'sha256')],
    'ES256 without a signature': [{ alg: 'ES256' }, none],
    'another curve, P-384': [{ alg: 'ES384' }, byKey(byCurve('secp384r1'), 'sha384')],
    'another curve, P-521': [{ alg: 'ES512' }, byKey(byCurve('secp521r1'), 'sha512')],
    'another curve, secp256k1': [{ alg: 'ES256K' }, byKey(byCurve('secp256k1'), 'sha256')],
    'another curve under our name': [{ alg: 'ES256' }, byKey(byCurve('secp256k1'), 'sha256')],
    'another key of our curve': [{ alg: 'ES256' }, byKey(byCurve('prime256v1'), 'sha256')],
    'our key with another hash': [{ alg: 'ES384' }, byKey(tokenKey, 'sha384')],
    'zeros, which some libraries took': [{ alg: 'ES256' }, () => Buffer.alloc(64)],
    ...Object.fromEntries(
      Object.entries(secrets).map(([form, secret]) => [
        `HS256 with the public key as ${form}`,
        [
          { alg: 'HS256' },
          (text: string) => createHmac('sha256', secret).update(text).digest(),
        ] as const,
      ]),
    ),
  };
  for (const [what, [changes, signature]] of Object.entries(signatures)) {
    for (const claims of sorts) {
      t.notOk(await isTaken(client, token({ ...header, ...changes }, claims, signature)), what);
    }
  }
  const own = token(header, claimsIn(tokens.access_token), byKey(tokenKey, 'sha256'));
  t.equal((await client.call('GET', api, own)).status, 200, 'such a token by our own key is taken');
  await network.stop();
});

t.test('the kid of an external signer', async (t) => {
  const { network } = await bootWithSigner();
  const client = new OidcClient(network);
  const { header, sorts } = await madeFrom(client);
  const { firstTokenKey: tokenKey } = network.core.authority;
  const ours = byKey(tokenKey, 'sha256');
  for (const claims of sorts) {
    const foreign = { ...claims };
    const tokens = {
      'with our signature': token({ ...header, kid: signerKey.kid }, claims, ours),
      'with its signature': await signExternal(signerKey, foreign),
      'with its signature and our kid': await signExternal(signerKey, foreign, header),
      'with the signature of a key that came along': await withOwnKey(header, foreign),
      'without any kid': token({ alg: 'ES256', typ: 'JWT' }, claims, ours),
    };
    for (const [what, text] of Object.entries(tokens)) t.notOk(await isTaken(client, text), what);
  }
  await network.stop();
});

/** Signed by a key that the header itself holds. */
async function withOwnKey(header: object, claims: Record<string, unknown>): Promise<string> {
  const own = await newKey('ES256', 'own');
  return signExternal(own, claims, { ...header, jwk: own.jwk });
}

/** What takes a token of one sort alone. */
const uses: Readonly<
  Record<string, { sort: string; use: (client: OidcClient, text: string) => Promise<number> }>
> = {
  'a request': {
    sort: 'access',
    use: async (client, text) => (await client.call('GET', api, text)).status,
  },
  'a look at the user': {
    sort: 'access',
    use: async (client, text) => (await client.call('GET', '/oidc/userinfo', text)).status,
  },
  'an exchange of an access token': {
    sort: 'access',
    use: async (client, text) =>
      (await client.exchangeToken('access_token', text, 'access_token')).status,
  },
  'an exchange of a refresh token': {
    sort: 'refresh',
    use: async (client, text) =>
      (await client.exchangeToken('refresh_token', text, 'refresh_token')).status,
  },
  'a refresh': {
    sort: 'refresh',
    use: async (client, text) => (await client.refresh(text)).status,
  },
  'a log-out': {
    sort: 'id',
    use: async (client, text) =>
      (await client.get(`/oidc/end_session?id_token_hint=${text}`)).status,
  },
};

t.test('each sort of token in place of each other one', async (t) => {
  const { network, client } = await boot();
  const serviceId = await network.create('services', { name: 'printer', encryptionRequired: true });
  for (const [where, { sort, use }] of Object.entries(uses)) {
    const tokens = await client.tokens(adminUser, adminPassword);
    const texts = { ...otherSorts(network, tokens, serviceId), ...sortsOf(tokens) };
    const { [sort]: right = '', ...wrong } = texts as Record<string, string>;
    for (const [what, text] of Object.entries(wrong)) {
      const status = await use(client, text);
      t.ok([400, 401].includes(status), `${what} token for ${where}: ${status}`);
    }
    t.ok((await use(client, right)) < 400, `${sort} token for ${where}`);
  }
  await network.stop();
});

const sortsOf = ({ access_token, refresh_token, id_token }: Tokens) => ({
  access: access_token,
  refresh: refresh_token,
  id: id_token,
});

/** The other tokens that the same key signs, for the same session. */
function otherSorts({ env, clock }: Network, { access_token }: Tokens, serviceId: string) {
  const { sub, aud, z_asid, iss } = claimsIn(access_token);
  const [identityId, apiSessionId] = [String(sub), String(z_asid)];
  const session = { sessionId: 'one', serviceId, apiSessionId, identityId, type: 'Dial' } as const;
  const audience = String(aud);
  return {
    service: env.sessionTokens.sign(session, clock.now()),
    totp: env.oidcTokens.totp(
      { sub: identityId, aud: [audience], z_asid: apiSessionId },
      { issuer: String(iss), jti: 'one', now: clock.now() },
    ),
  };
}

t.test('tokens of OIDC in place of a token of a session', async (t) => {
  const { network, client } = await boot();
  const serviceId = await network.create('services', { name: 'printer', encryptionRequired: true });
  const tokens = await client.tokens(adminUser, adminPassword);
  const { totp } = otherSorts(network, tokens, serviceId);
  const path = `C:/services/${serviceId}/edge-routers`;
  for (const [what, text] of Object.entries({ totp, ...sortsOf(tokens) })) {
    const headers = { 'session-token': text };
    const answer = await client.call('GET', path, tokens.access_token, {
      headers: { authorization: `Bearer ${tokens.access_token}`, ...headers },
    });
    t.equal(answer.status, 401, what);
  }
  await network.stop();
});

t.test('a token of a session that says to be of another sort', async (t) => {
  const { network, client } = await boot();
  const serviceId = await dialable(network);
  const { access_token } = await client.tokens(adminUser, adminPassword);
  const body = { serviceId, type: 'Dial' };
  const made = await client.call('POST', 'C:/sessions', access_token, { body });
  const { token: own } = made.data as { token: string };
  const [header = ''] = own.split('.');
  const signature = byKey(network.core.authority.firstTokenKey, 'sha256');
  const call = (text: string) =>
    client.call('GET', `C:/services/${serviceId}/edge-routers`, access_token, {
      headers: { authorization: `Bearer ${access_token}`, 'session-token': text },
    });
  t.equal((await call(own)).status, 200);
  for (const z_t of ['a', 'r', 't', undefined]) {
    const kept = JSON.parse(Buffer.from(header, 'base64url').toString());
    const text = token(kept, { ...claimsIn(own), z_t }, signature);
    t.equal((await call(text)).status, 401, String(z_t));
  }
  await network.stop();
});

t.test('claims that belong to others', async (t) => {
  const { network, client } = await boot();
  const alice = await network.createUser('alice', 'alice-password', { isAdmin: true });
  const { header, sorts } = await madeFrom(client);
  const changes: Readonly<Record<string, object>> = {
    'another issuer': { iss: 'https://evil.example:1280/oidc' },
    'another identity': { sub: alice },
    'another client': { aud: ['other'] },
    'a session that there is not': { z_asid: '5f0c4b5e-7b0e-4a55-8d0c-7f1d1a2b3c4d' },
  };
  const signature = byKey(network.core.authority.firstTokenKey, 'sha256');
  for (const [what, change] of Object.entries(changes)) {
    for (const claims of sorts.filter((one) => 'z_t' in one)) {
      t.notOk(await isTaken(client, token(header, { ...claims, ...change }, signature)), what);
    }
  }
  await network.stop();
});

t.test('ends of tokens', async (t) => {
  const { network, client } = await boot();
  const { header, sorts } = await madeFrom(client);
  const { firstTokenKey: tokenKey } = network.core.authority;
  const now = network.clock.now();
  const ends: Record<string, unknown> = {
    'in milliseconds': now + hourMs,
    negative: -1,
    'negative and large': -now,
    absent: undefined,
    'a text': String(now),
    null: null,
    'not a number of JSON': 'NaN',
    fraction: Math.trunc(now / 1000) + 60.5,
    'now, which is over': Math.trunc(now / 1000),
  };
  for (const [what, exp] of Object.entries(ends)) {
    // An id token says who logs out, whether it has ended or not.
    for (const claims of sorts.filter((one) => 'z_t' in one)) {
      const text = token(header, { ...claims, exp }, byKey(tokenKey, 'sha256'));
      t.notOk(await isTaken(client, text), `exp is ${what}`);
    }
  }
  await network.stop();
});

t.test('forms of 1 MiB', async (t) => {
  const { network, client } = await boot();
  const id = await client.begin();
  const long = 'x'.repeat(1024 * 1024);
  const forms = [
    ...(['authorize', 'login/password', 'login/cert', 'login/ext-jwt', 'login/totp'] as const),
    ...(['login/totp/enroll', 'login/totp/enroll/verify', 'oauth/token', 'revoke'] as const),
    ...(['oauth/revoke', 'end_session'] as const),
  ];
  for (const path of forms) {
    for (const name of ['id', 'a-parameter-that-nobody-knows']) {
      const { status } = await client.post(`/oidc/${path}`, { [name]: long });
      t.equal(status, 413, `${path}, ${name}`);
    }
  }
  t.equal((await client.logIn(id, adminUser, adminPassword)).status, 302, 'which harms no login');
  await network.stop();
});

t.test('10,000 config types', async (t) => {
  const { network, client } = await boot();
  const configTypes = Array.from({ length: 10_000 }, (_, n) => `type-${n}`);
  t.equal((await client.authorize({ configTypes })).status, 400, 'each in a parameter');
  t.equal(
    (await client.post('/oidc/authorize', client.authorization({ configTypes }))).status,
    413,
  );
  const short = configTypes.map(() => 'x').join(',');
  t.equal((await client.authorize({ configTypes: short })).status, 400, 'all in one');
  const id = await client.begin();
  const login = { id, username: adminUser, password: adminPassword };
  t.equal((await client.post('/oidc/login/password', { ...login, configTypes })).status, 413);
  t.equal(
    (await client.post('/oidc/login/password', { ...login, configTypes: short })).status,
    400,
  );
  t.equal((await client.postJson('/oidc/login/password', { ...login, configTypes })).status, 400);
  t.equal((await client.postJson('/oidc/login/password', login)).status, 302, 'none of it counts');
  await network.stop();
});

t.test('parameters that are there twice', async (t) => {
  const { network, client } = await boot();
  const asked = { ...client.authorization(), method: 'password', prompt: 'login' };
  for (const [name, value] of Object.entries(asked)) {
    const answer = await client.authorize({ ...asked, [name]: [String(value), String(value)] });
    t.equal(answer.status, 400, `${name} of an authorization request`);
    t.equal(answer.headers['location'], undefined);
  }
  const { refresh_token } = await client.tokens(adminUser, adminPassword);
  const refresh = {
    grant_type: 'refresh_token',
    client_id: 'native',
    scope: 'openid',
    refresh_token,
  };
  for (const [name, value] of Object.entries(refresh)) {
    const { status } = await client.token({ ...refresh, [name]: [value, value] });
    t.equal(status, 400, `${name} of a refresh`);
  }
  t.equal((await client.token({ ...refresh, state: ['x', 'y'] })).status, 200, 'but for the state');
  const code = async () => {
    const id = await client.begin();
    await client.logIn(id, adminUser, adminPassword);
    return client.code(id);
  };
  for (const name of ['code', 'code_verifier', 'redirect_uri', 'client_id']) {
    const value = await code();
    const { status } = await client.exchange(value, { [name]: [value, value] });
    t.equal(status, 400, `${name} of an exchange`);
  }
  await network.stop();
});

t.test('a state of 64 KiB', async (t) => {
  const { network, client } = await boot();
  const state = 'x'.repeat(65_536);
  t.equal((await client.authorize({ state })).status, 400);
  t.equal((await client.post('/oidc/authorize', client.authorization({ state }))).status, 413);
  t.equal((await client.get(`/oidc/end_session?state=${state}`)).status, 400);
  const longest = 'x'.repeat(2048);
  const id = await client.begin({ state: longest });
  await client.logIn(id, adminUser, adminPassword);
  const { headers } = await client.get(client.callbackOf(id));
  t.equal(new URL(headers['location'] ?? '').searchParams.get('state'), longest);
  await network.stop();
});

/** The chain of an identity that has enrolled, in DER. */
async function certificatesOf(network: Network, name: string): Promise<readonly Buffer[]> {
  const { token: ott } = await newIdentity(network, name);
  const enrolled = await enrollWith(network, ott, await makeRequest(name));
  const { cert } = enrolled.data as { cert: string };
  return certificatesIn(cert).map(({ raw }) => raw);
}

t.test('certificates that are swapped between authorize, login and token', async (t) => {
  const { network, client } = await boot();
  const alice = await certificatesOf(network, 'alice');
  const robert = await certificatesOf(network, 'robert');
  const orders = [alice, robert, []].flatMap((first) =>
    [alice, robert, []].map((last) => [first, last] as const),
  );
  for (const [atAuthorize, atToken] of orders) {
    const id = await client.begin({ method: 'cert' }, { certificates: atAuthorize });
    await client.post('/oidc/login/cert', { id }, { certificates: alice });
    const options = { certificates: atToken };
    const tokens = tokensIn(await client.exchange(await client.code(id), {}, options));
    const call = (certificates: readonly Buffer[]) =>
      client.call('GET', api, tokens.access_token, { certificates });
    t.match((await call(alice)).data, { name: 'alice' }, 'the one of the login counts');
    for (const other of [robert, []]) {
      t.equal((await call(other)).status, 401);
      const refreshed = await client.refresh(tokens.refresh_token, {}, { certificates: other });
      t.match(refreshed.json(), { error: 'access_denied' });
    }
  }
  const id = await client.begin({ method: 'cert' }, { certificates: alice });
  t.equal((await client.post('/oidc/login/cert', { id })).status, 401, 'none at the login');
  await network.stop();
});

t.test('two tabs on one request', async (t) => {
  const { network, client } = await boot();
  await network.createUser('alice', 'alice-password');
  const id = await client.begin();
  for (let tab = 0; tab < 2; tab++) {
    t.equal((await client.logIn(id, adminUser, adminPassword)).status, 302);
  }
  const [first, second] = [await client.code(id), await client.code(id)];
  t.equal((await client.exchange(first)).status, 400, 'the second tab has voided it');
  t.equal((await client.exchange(second)).status, 200);
  t.equal((await client.exchange(second)).status, 400);
  t.equal((await client.logIn(id, adminUser, adminPassword)).status, 401, 'a third comes late');
  const other = await client.begin();
  t.equal((await client.logIn(other, adminUser, adminPassword)).status, 302);
  const code = await client.code(other);
  t.equal((await client.logIn(other, 'alice', 'alice-password')).status, 401, 'somebody else');
  t.equal((await client.exchange(code)).status, 400, 'which ends the login of both');
  await network.stop();
});

t.test('a clock that jumps by an hour ahead', async (t) => {
  const { network, client } = await boot();
  const tokens = await client.tokens(adminUser, adminPassword);
  const [begun, complete] = [await client.begin(), await client.begin()];
  await client.logIn(complete, adminUser, adminPassword);
  const code = await client.code(complete);
  network.clock.jump(hourMs);
  t.equal((await client.exchange(code)).status, 400, 'the code is over');
  // Deadlines notice a jump within a minute.
  await network.advance(60_000);
  t.equal((await client.logIn(begun, adminUser, adminPassword)).status, 401, 'so is the login');
  t.equal((await client.call('GET', api, tokens.access_token)).status, 401);
  const next = tokensIn(await client.refresh(tokens.refresh_token));
  t.equal((await client.call('GET', api, next.access_token)).status, 200);
  await network.stop();
});

t.test('a clock that jumps back by an hour', async (t) => {
  const { network, client } = await boot();
  const tokens = await client.tokens(adminUser, adminPassword);
  const [begun, complete] = [await client.begin(), await client.begin()];
  await client.logIn(complete, adminUser, adminPassword);
  const code = await client.code(complete);
  network.clock.jump(-hourMs);
  t.equal((await client.call('GET', api, tokens.access_token)).status, 200);
  const next = tokensIn(await client.refresh(tokens.refresh_token));
  t.equal((await client.call('GET', api, next.access_token)).status, 200);
  await network.advance(11_000);
  t.equal((await client.refresh(tokens.refresh_token)).status, 400, 'reuse is found all the same');
  t.equal((await client.call('GET', api, next.access_token)).status, 401);
  t.equal((await client.exchange(code)).status, 200);
  t.equal((await client.logIn(begun, adminUser, adminPassword)).status, 302);
  t.equal((await client.exchange(await client.code(begun))).status, 200);
  await network.stop();
});
