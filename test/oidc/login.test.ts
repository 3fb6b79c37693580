// A login by OIDC from its beginning to the first request with its token.

import t from 'tap';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';
import { callback, claimsIn, OidcClient, tokensIn } from './oidc-client.ts';

t.test('a login by password', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const begun = await client.authorize();
  t.equal(begun.status, 302, begun.body.toString());
  const [, id = ''] =
    /^\/oidc\/login\/username\?authRequestID=([\w-]{36})$/.exec(begun.headers['location'] ?? '') ??
    [];
  const page = await client.get(`/oidc/login/username?authRequestID=${id}`);
  t.match(page, { status: 200, headers: { 'auth-request-id': id } });
  const loggedIn = await client.logIn(id, adminUser, adminPassword);
  t.match(loggedIn, {
    status: 302,
    headers: {
      location: new RegExp(
        `^https://localhost:1280/oidc/authorize/callback\\?id=${id}&key=[\\w-]{43}$`,
      ),
      'cache-control': 'no-store',
    },
  });
  const code = await client.code(id);
  t.match(code, /^[\w-]{43}$/);
  const tokens = tokensIn(await client.exchange(code));
  t.match(tokens, { token_type: 'Bearer', expires_in: 1800, scope: 'openid offline_access' });
  const claims = claimsIn(tokens.access_token);
  t.match(claims, {
    iss: 'https://localhost:1280/oidc',
    aud: ['native'],
    amr: ['password'],
    z_t: 'a',
  });

  const session = await client.call('GET', 'M:/current-api-session', tokens.access_token);
  t.match(session, { status: 200, data: { id: claims['z_asid'], token: tokens.access_token } });
  t.equal((await client.call('GET', 'M:/identities', tokens.access_token)).status, 200);
  await network.stop();
});

t.test('a client is sent back with its own value', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin({ state: 'a b&c=d' });
  const before = await client.get(`/oidc/authorize/callback?id=${id}`);
  const place = new URL(before.headers['location'] ?? '');
  t.equal(place.origin + place.pathname, callback);
  t.same(Object.fromEntries(place.searchParams), {
    error: 'interaction_required',
    error_description: 'the login is not complete',
    state: 'a b&c=d',
  });
  await network.stop();
});
