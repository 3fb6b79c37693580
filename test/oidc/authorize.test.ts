// Which authorization requests begin a login, where they may lead, and how many there may be.

import t from 'tap';
import { authRequestKind } from '../../src/records/auth-request.ts';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';
import { type Given, OidcClient } from './oidc-client.ts';

const network = await bootNetwork();
const client = new OidcClient(network);
t.teardown(() => network.stop());

t.test('a request that is not good leads nowhere', async (t) => {
  const refused: [more: Given, error: string][] = [
    [{ client_id: undefined }, 'invalid_request'],
    [{ client_id: 'other' }, 'invalid_client'],
    [{ client_id: ['native', 'openziti'] }, 'invalid_request'],
    [{ redirect_uri: undefined }, 'invalid_request'],
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unauthorized_client'],
    [{ state: 'x'.repeat(65_536) }, 'invalid_request'],
    [{ state: ['a', 'b'] }, 'invalid_request'],
    [{ configTypes: Array.from({ length: 10_000 }, () => 'x') }, 'invalid_request'],
    [{ configTypes: 'x,'.repeat(1001) }, 'invalid_request'],
    [{ configTypes: 'x'.repeat(5000) }, 'invalid_request'],
  ];
  for (const [more, error] of refused) {
    const answer = await client.authorize(more);
    t.match(answer, { status: 400 }, JSON.stringify(more).slice(0, 60));
    t.match(answer.json(), { error, error_description: String });
    t.equal(answer.headers['location'], undefined);
  }
});

/** Addresses like those that are listed, by what makes them others. */
const unlisted: Readonly<Record<string, readonly string[]>> = {
  'no port, or none that is one': [
    'http://localhost/auth/callback',
    'https://localhost/auth/callback',
    'http://localhost:/auth/callback',
    'http://localhost:80x/auth/callback',
    'http://localhost:*/auth/callback',
    'http://localhost:123456/auth/callback',
    'http://localhost:99999/auth/callback',
  ],
  'user info': [
    'http://user@localhost:8080/auth/callback',
    'http://user:8080@localhost:8080/auth/callback',
    'http://localhost:8080@evil.example/auth/callback',
    'http://localhost:1@evil.example:8080/auth/callback',
  ],
  'a fragment': [
    'http://localhost:8080/auth/callback#x',
    'http://localhost:8080#/auth/callback',
    'openziti://auth/callback#',
  ],
  'a query': ['http://localhost:8080/auth/callback?x=1', 'http://localhost:8080?/auth/callback'],
  'an encoded slash': [
    'http://localhost:8080/auth%2Fcallback',
    'http://localhost:8080%2fauth/callback',
    'http:%2F%2Flocalhost:8080/auth/callback',
  ],
  'a trailing dot': [
    'http://localhost.:8080/auth/callback',
    'http://localhost:8080./auth/callback',
    'http://localhost:8080/auth/callback.',
  ],
  'other case': [
    'http://localhost:8080/Auth/callback',
    'HTTP://localhost:8080/auth/callback',
    'http://LOCALHOST:8080/auth/callback',
    'OpenZiti://auth/callback',
  ],
  'forms of IPv6': [
    'http://[0:0:0:0:0:0:0:1]:8080/auth/callback',
    'http://[::ffff:127.0.0.1]:8080/auth/callback',
    'http://[::1%25lo]:8080/auth/callback',
    'http://[::1]/auth/callback',
    'http://::1:8080/auth/callback',
    'http://[::]:8080/auth/callback',
  ],
  'another path': [
    'http://localhost:8080/auth/callback/',
    'http://localhost:8080/../auth/callback',
    'openziti://auth/callback/x',
  ],
  'another host': [
    'http://evil.example:8080/auth/callback',
    'http://localhost.evil.example:8080/auth/callback',
    'http://127.1:8080/auth/callback',
    'http://2130706433:8080/auth/callback',
    'https://evil.example/auth/callback',
    'javascript:alert(1)//auth/callback',
  ],
};

t.test('only places that are listed, letter by letter', async (t) => {
  const good = [
    'openziti://auth/callback',
    'http://127.0.0.1:1/auth/callback',
    'https://127.0.0.1:65535/auth/callback',
    'http://localhost:20314/auth/callback',
    'http://[::1]:8080/auth/callback',
    'https://localhost:1280/auth/callback',
  ];
  for (const uri of good) {
    t.equal((await client.authorize({ redirect_uri: uri })).status, 302, uri);
  }
  for (const [name, uris] of Object.entries(unlisted)) {
    for (const uri of uris) {
      const answer = await client.authorize({ redirect_uri: uri });
      t.match(answer, { status: 400 }, `${name}: ${uri}`);
      t.equal(answer.headers['location'], undefined, `${name}: ${uri}`);
    }
  }
});

t.test('a client without PKCE is sent back with an error', async (t) => {
  for (const more of [
    { code_challenge: undefined },
    { code_challenge: 'short' },
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
  ]) {
    const { headers } = await client.authorize(more);
    const place = new URL(headers['location'] ?? '');
    t.equal(place.searchParams.get('error'), 'invalid_request', JSON.stringify(more));
    t.equal(place.searchParams.get('state'), 'state-of-the-client');
  }
  const { headers } = await client.authorize({ prompt: 'none' });
  t.match(headers['location'], /error=login_required&state=state-of-the-client$/);
});

t.test('the method chooses the page, and so does a certificate', async (t) => {
  const pages = { password: 'username', cert: 'cert', 'ext-jwt': 'ext-jwt', other: 'username' };
  for (const [method, page] of Object.entries(pages)) {
    const { headers } = await client.authorize({ method });
    t.match(headers['location'], `/oidc/login/${page}?authRequestID=`);
  }
  const { headers } = await client.authorize({}, { certificates: [Buffer.of(1)] });
  t.match(headers['location'], '/oidc/login/cert?authRequestID=');
});

t.test('the parameters may be in a query of a POST, and in its form', async (t) => {
  const given = client.authorization();
  const query = new URLSearchParams(given as Record<string, string>);
  t.equal((await client.post(`/oidc/authorize?${query}`, {})).status, 302);
  t.equal((await client.post('/oidc/authorize', given)).status, 302);
  const twice = await client.post(`/oidc/authorize?${query}`, { client_id: 'native' });
  t.equal(twice.status, 400, 'but not in both');
});

t.test('foreign hosts find nothing', async (t) => {
  const paths = ['/oidc/.well-known/openid-configuration', '/oidc/keys', '/oidc/logged-out'];
  for (const path of paths) {
    for (const host of ['evil.example:1280', 'localhost:1', 'localhost', '', 'localhost:1280/x']) {
      t.equal((await client.get(path, { headers: { host } })).status, 404, `${path} ${host}`);
    }
  }
  const [root] = [await client.get('/.well-known/openid-configuration')];
  t.equal(root.status, 404);
});

t.test('an address gives way to itself, and all give way to the newest', async (t) => {
  const options = { address: '192.0.2.7' };
  const first = await client.begin({}, options);
  for (let i = 0; i < 99; i++) await client.begin({}, options);
  const isThere = (id: string) => network.env.store.table(authRequestKind).find(id) !== undefined;
  t.ok(isThere(first));
  const last = await client.begin({}, options);
  t.notOk(isThere(first), 'the 101st ends the first');
  const other = await client.begin({}, { address: '192.0.2.8' });
  t.ok(isThere(last) && isThere(other));
  const { status } = await client.logIn(last, adminUser, adminPassword, {}, options);
  t.equal(status, 302);
  for (let i = 0; i < 101; i++) await client.begin({}, options);
  t.ok(isThere(last), 'one in which somebody has logged in stays');
});

t.test('there is a bound over all addresses', async (t) => {
  const network = await bootNetwork();
  network.config = {
    ...network.config,
    oidc: { ...network.config.oidc, authRequestsMax: 10 },
  };
  await network.restart();
  const client = new OidcClient(network);
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push(await client.begin({}, { address: `192.0.2.${i}` }));
  const table = network.env.store.table(authRequestKind);
  t.equal(table.size, 10);
  t.same(
    ids.filter((id) => table.find(id) === undefined),
    ids.slice(0, 2),
  );
  await network.stop();
});

t.test('a login that takes too long is over', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin();
  await network.advance(599_000);
  t.equal((await client.logIn(id, adminUser, 'wrong-password')).status, 401);
  t.equal(network.env.store.table(authRequestKind).size, 1);
  await network.advance(2000);
  t.equal(network.env.store.table(authRequestKind).size, 0);
  t.equal((await client.logIn(id, adminUser, adminPassword)).status, 401);
  t.equal((await client.get(`/oidc/authorize/callback?id=${id}`)).status, 400);
  await network.stop();
});
