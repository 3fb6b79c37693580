// The keys that sign tokens, and how one replaces another (behaviour/token-keys).

import { decodeProtectedHeader } from 'jose';
import t from 'tap';
import { RollRefused, rollTokenKey } from '../../src/auth/token-keys/roll.ts';
import { makeKey } from '../../src/pki/authority/issue.ts';
import { keyToPem } from '../../src/pki/x509/pem.ts';
import { tokenKeyKind } from '../../src/records/token-key.ts';
import { OidcClient, type Tokens } from '../oidc/oidc-client.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { bootStandbyNetwork } from '../simulated/standby-network.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const me = 'C:/current-api-session';
const file = '/home/pki/token.key';

const kidOf = (token: string) => String(decodeProtectedHeader(token).kid);

async function kidsOf(client: OidcClient): Promise<string[]> {
  const { keys } = (await client.get('/oidc/keys')).json() as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid).sort();
}

async function roll(network: Network, endsSessions = false): Promise<string> {
  const rolling = rollTokenKey(network.env, { endsSessions });
  // The key is made in another thread.
  const announced = await network.pump(rolling);
  return announced.kid;
}

/** The status of a request by an access token. */
async function statusBy(network: Network, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await network.call('GET', me, { token: null, headers })).status;
}

const stateOf = (network: Network, kid: string) =>
  network.env.store.table(tokenKeyKind).peek(kid)?.record.state;

t.test(
  'a key is published first, signs after a minute, and then replaces the former',
  async (t) => {
    const network = await bootNetwork();
    const client = new OidcClient(network);
    const old = await client.tokens(adminUser, adminPassword);
    const former = kidOf(old.access_token);
    const kid = await roll(network);
    t.same(await kidsOf(client), [former, kid].sort(), 'both are published');
    const between = await client.tokens(adminUser, adminPassword);
    t.equal(kidOf(between.access_token), former, 'but it does not sign yet');
    await network.advance(minuteMs - 1);
    t.equal(stateOf(network, kid), 'announced');
    await network.advance(1);
    t.equal(stateOf(network, kid), 'signing');
    t.match(network.env.store.table(tokenKeyKind).peek(former)?.record, {
      state: 'verifying',
      privateKey: undefined,
    });

    const fresh = await client.tokens(adminUser, adminPassword);
    t.equal(kidOf(fresh.access_token), kid);
    for (const { access_token: token } of [old, between, fresh]) {
      t.equal(await statusBy(network, token), 200, 'no request fails');
    }
    const refreshed = (await client.refresh(old.refresh_token)).json() as Tokens;
    t.equal(kidOf(refreshed.access_token), kid, 'a refresh token of the former key still works');
    await network.stop();
  },
);

t.test('the former key goes when the last token is dead that it has signed', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const [former = ''] = await kidsOf(client);
  const kid = await roll(network);
  await network.advance(minuteMs);
  network.clock.jump(367 * dayMs - minuteMs - 1);
  await network.advance(minuteMs);
  t.equal((await kidsOf(client)).length, 2);
  await network.advance(1);
  t.same(await kidsOf(client), [kid]);
  t.equal(stateOf(network, former), undefined);
  await network.stop();
});

t.test('--end-sessions ends all API sessions in the frame of the new key', async (t) => {
  const network = await bootNetwork({ bounds: { cascadeRowsMax: 3 } });
  const client = new OidcClient(network);
  const old = await client.tokens(adminUser, adminPassword);
  const legacy = await network.login(adminUser, adminPassword);
  for (let count = 0; count < 10; count++) await network.login(adminUser, adminPassword);
  const before = kidOf(old.access_token);
  const second = await roll(network);
  await network.advance(minuteMs);
  const third = await roll(network, true);
  t.equal((await network.call('GET', me, { token: legacy })).status, 200, 'not before');
  await network.advance(minuteMs);
  t.equal(await statusBy(network, old.access_token), 401);
  t.equal((await network.call('GET', me, { token: legacy })).status, 401);
  t.equal((await client.refresh(old.refresh_token)).status, 400);
  t.same(await kidsOf(client), [third], 'no former key is accepted');
  for (const kid of [before, second]) t.equal(stateOf(network, kid), undefined);
  await network.logInAdmin();
  const left = await network.must<readonly object[]>('GET', 'M:/api-sessions');
  t.equal(left.length, 1);
  await network.stop();
});

t.test('a second roll is refused while a key waits to sign', async (t) => {
  const network = await bootNetwork();
  const kid = await roll(network);
  await t.rejects(roll(network), { message: new RegExp(`^The key ${kid} was announced before`) });
  await t.rejects(roll(network), RollRefused);
  await network.advance(minuteMs);
  await t.resolves(roll(network));
  await network.stop();
});

t.test('more keys than routers should be told of are refused', async (t) => {
  const network = await bootNetwork({ bounds: { tokenKeysMax: 3 } });
  for (let count = 1; count < 3; count++) {
    await roll(network);
    await network.advance(minuteMs);
  }
  await t.rejects(roll(network), { message: /^There are 3 keys whose tokens are still good/ });
  const last = await roll(network, true);
  await network.advance(minuteMs);
  t.same(await kidsOf(new OidcClient(network)), [last]);
  await network.stop();
});

t.test('a restart finds the keys, and one that is due signs', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const old = await client.tokens(adminUser, adminPassword);
  const kid = await roll(network);
  await network.restart();
  t.equal(await statusBy(network, old.access_token), 200);
  t.equal(kidOf((await client.tokens(adminUser, adminPassword)).access_token), kidOf(old.id_token));
  network.clock.jump(minuteMs);
  await network.kill();
  await network.advance(0);
  t.equal(kidOf((await client.tokens(adminUser, adminPassword)).access_token), kid);
  t.equal(await statusBy(network, old.access_token), 200);
  await network.stop();
});

t.test('each node of a cluster has a key before it signs', async (t) => {
  const network = await bootStandbyNetwork();
  const client = new OidcClient(network);
  const old = await client.tokens(adminUser, adminPassword);
  const kid = await roll(network);
  t.ok(network.standby.env.tokenKeys.has(kid));
  await network.kill();
  t.equal(kidOf((await client.tokens(adminUser, adminPassword)).access_token), kidOf(old.id_token));
  await network.advance(minuteMs);
  t.equal(network.standby.env.tokenKeys.signer.kid, kid);
  await network.kill();
  t.equal(kidOf((await client.tokens(adminUser, adminPassword)).access_token), kid);
  t.equal(await statusBy(network, old.access_token), 200);
  await network.stop();
});

t.test('the key of a former release is taken from its file, which goes', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token: token } = await client.tokens(adminUser, adminPassword);
  const { core, env } = network;
  t.notOk(network.disk.exists(file), 'a new home has none');
  const pem = keyToPem(core.authority.firstTokenKey);
  env.store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) =>
    env.send(tx, tokenKeyKind.kind, kidOf(token), { type: 'remove', now: tx.now }),
  );
  await network.pump(env.store.journal.flush());
  network.disk.place(file, Buffer.from(pem));
  await network.restart();
  t.equal(await statusBy(network, token), 200);
  t.equal(stateOf(network, kidOf(token)), 'signing');
  await network.pump(network.env.store.journal.flush());
  t.notOk(network.disk.exists(file));
  await network.restart();
  t.equal(await statusBy(network, token), 200, 'from the record alone');
  await network.stop();
});

t.test('a file that holds a key which no record has stays', async (t) => {
  const network = await bootNetwork();
  network.disk.place(file, Buffer.from(keyToPem(await makeKey('ec-p256'))));
  await network.restart();
  t.ok(network.disk.exists(file));
  t.match(network.logged.at(-1), /a token key that is not in the log, and stays/);
  await network.stop();
});

t.test('a file that holds another key is refused', async (t) => {
  for (const [text, message] of [
    ['', /token\.key/],
    [keyToPem(await makeKey('rsa-2048')), 'token.key is not an EC key on the curve P-256.'],
  ] as const) {
    const network = await bootNetwork();
    network.disk.place(file, Buffer.from(text));
    await t.rejects(network.restart(), { message });
  }
});
