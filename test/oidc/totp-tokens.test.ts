// The token that proves a code of the authenticator app to routers.

import t from 'tap';
import { appCode } from '../simulated/authenticator-app.ts';
import { bootNetwork } from '../simulated/network.ts';
import { claimsIn, OidcClient } from './oidc-client.ts';

t.test('a code of the app buys a token, and a recovery code does not', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const alice = await network.createUser('alice', 'alice-password');
  const { access_token } = await client.tokens('alice', 'alice-password');
  const path = 'C:/current-api-session/totp-token';
  const give = (code: string) => client.call('POST', path, access_token, { body: { code } });
  t.match(await give('123456'), { status: 409, code: 'MFA_NOT_ENROLLED' });
  const own = 'C:/current-identity/mfa';
  const phone = async () => {
    const { data } = await client.call('GET', own, access_token);
    return data as { provisioningUrl: string; recoveryCodes: string[] };
  };
  await client.call('POST', own, access_token);
  const { provisioningUrl, recoveryCodes } = await phone();
  t.match(await give('123456'), { status: 409 }, 'it is not verified');
  const code = () => appCode(provisioningUrl, network.clock.now());
  await client.call('POST', `${own}/verify`, access_token, { body: { code: code() } });
  t.match(await give('000000'), { status: 400, code: 'MFA_INVALID_TOKEN' });
  t.match(await give(recoveryCodes[0] ?? ''), { status: 400, code: 'MFA_INVALID_TOKEN' });
  await network.advance(30_000);
  const answer = await give(code());
  t.match(answer, { status: 200, headers: { 'cache-control': 'no-store' } });
  const { token, issuedAt } = answer.data as { token: string; issuedAt: string };
  const { z_asid } = claimsIn(access_token);
  t.match(claimsIn(token), {
    iss: 'https://localhost:1280',
    sub: alice,
    aud: ['native'],
    z_t: 't',
    z_asid,
    iat: Math.trunc(Date.parse(issuedAt) / 1000),
  });
  t.notOk('exp' in claimsIn(token));
  t.equal((await client.call('GET', own, token)).status, 401, 'it is no access token');
  await network.stop();
});
