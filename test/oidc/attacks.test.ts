// What an attacker tries at a login or with a token, and that nothing comes of it.

import t from 'tap';
import { authRequestKind } from '../../src/records/auth-request.ts';
import { revocationKind } from '../../src/records/revocation.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { claimsIn, OidcClient, tokensIn } from './oidc-client.ts';

t.test('whoever begins a login that somebody else completes gets no code', async (t) => {
  const network = await bootNetwork();
  const [attacker, victim] = [new OidcClient(network), new OidcClient(network)];
  const id = await attacker.begin();
  t.equal((await victim.logIn(id, adminUser, adminPassword)).status, 302);
  const path = `/oidc/authorize/callback?id=${id}`;
  for (const guess of [path, `${path}&key=`, `${path}&key=x`, `${path}&key=${'A'.repeat(43)}`]) {
    const answer = await attacker.get(guess);
    t.match(answer, { status: 400 }, guess);
    t.equal(answer.headers['location'], undefined);
  }
  t.match(await victim.code(id), /^[\w-]{43}$/);
  await network.stop();
});

t.test('a script of another site logs nobody in', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin();
  const crossSite = { 'sec-fetch-site': 'cross-site' };
  const origins = [undefined, 'null', 'https://evil.example', 'http://localhost:8081'];
  for (const origin of origins) {
    const headers = { ...crossSite, ...(origin === undefined ? {} : { origin }) };
    const { status } = await client.logIn(id, adminUser, adminPassword, {}, { headers });
    t.equal(status, 401, String(origin));
  }
  const headers = { ...crossSite, origin: 'http://localhost:8080' };
  const own = await client.logIn(id, adminUser, adminPassword, {}, { headers });
  t.equal(own.status, 302, 'that of the client itself');
  await network.stop();
});

const changes: Readonly<Record<string, (network: Network, alice: string) => Promise<unknown>>> = {
  'the identity is disabled and enabled': async (network, alice) => {
    await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
    await network.must('POST', `M:/identities/${alice}/enable`);
  },
  'its password is set anew': async (network, alice) => {
    const filter = encodeURIComponent(`identity = "${alice}"`);
    const [one] = await network.must<{ id: string }[]>('GET', `M:/authenticators?filter=${filter}`);
    const password = { username: 'alice', password: 'another-password' };
    await network.must('PUT', `M:/authenticators/${one?.id}`, password);
  },
  'the identity is deleted': (network, alice) => network.must('DELETE', `M:/identities/${alice}`),
  'its tokens are revoked': (network, alice) =>
    network.create('revocations', { id: alice, type: 'IDENTITY' }),
};

for (const [name, change] of Object.entries(changes)) {
  t.test(`a login in progress is over when ${name}`, async (t) => {
    const network = await bootNetwork();
    const client = new OidcClient(network);
    const alice = await network.createUser('alice', 'alice-password');
    const [complete, exchanging] = [await client.begin(), await client.begin()];
    for (const id of [complete, exchanging]) await client.logIn(id, 'alice', 'alice-password');
    const code = await client.code(exchanging);
    await change(network, alice);
    t.equal((await client.get(client.callbackOf(complete))).status, 400);
    t.equal((await client.exchange(code)).status, 400);
    t.equal(network.env.store.table(authRequestKind).size, 0);
    await network.stop();
  });
}

t.test('an identity takes the room of no other one', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  await network.createUser('alice', 'alice-password');
  const admin = await client.begin();
  await client.logIn(admin, adminUser, adminPassword);
  const ids: string[] = [];
  for (let i = 0; i < 101; i++) {
    await network.advance(1000);
    const id = await client.begin();
    await client.logIn(id, 'alice', 'alice-password');
    ids.push(id);
  }
  const table = network.env.store.table(authRequestKind);
  t.same(
    ids.filter((id) => table.find(id) === undefined),
    ids.slice(0, 1),
  );
  t.ok(table.find(admin));
  await network.stop();
});

t.test('a log-out takes id tokens alone', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token, refresh_token, id_token } = await client.tokens(adminUser, adminPassword);
  const hint = (token: string) => client.get(`/oidc/end_session?id_token_hint=${token}`);
  for (const token of [access_token, refresh_token]) t.equal((await hint(token)).status, 400);
  t.equal((await client.call('GET', 'M:/identities', access_token)).status, 200);
  t.equal((await hint(id_token)).status, 302);
  t.equal((await client.call('GET', 'M:/identities', access_token)).status, 401);
  await network.stop();
});

t.test('revoked access tokens leave room for revocations that matter more', async (t) => {
  const network = await bootNetwork();
  network.config = { ...network.config, limits: { ...network.config.limits, revocationsMax: 8 } };
  await network.restart();
  const client = new OidcClient(network);
  const { refresh_token } = await client.tokens(adminUser, adminPassword);
  const revoke = async () => {
    const bought = await client.exchangeToken('refresh_token', refresh_token, 'access_token');
    const { access_token } = tokensIn(bought);
    return client.post('/oidc/revoke', { token: access_token, client_id: 'native' });
  };
  const table = network.env.store.table(revocationKind);
  for (let i = 0; i < table.recordsMax / 2; i++) t.equal((await revoke()).status, 200);
  t.equal((await revoke()).status, 429);
  const id = '9f1c2c52-6f5c-4f2e-8d0b-3a6b1f9f0c11';
  await network.create('revocations', { id, type: 'API_SESSION' });
  await network.advance(31 * 60_000);
  await network.logInAdmin();
  t.equal(table.size, 1, 'they go with their tokens');
  await network.stop();
});

t.test('a revocation finds its session in whatever letters', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { access_token } = await client.tokens(adminUser, adminPassword);
  const id = String(claimsIn(access_token)['z_asid']).toUpperCase();
  await network.create('revocations', { id, type: 'API_SESSION' });
  t.equal((await client.call('GET', 'M:/identities', access_token)).status, 401);
  await network.stop();
});

t.test('an exchange does not use what was lost with its answer', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const { refresh_token } = await client.tokens(adminUser, adminPassword);
  t.equal((await client.refresh(refresh_token)).status, 200, 'the client does not get it');
  const bought = await client.exchangeToken('refresh_token', refresh_token, 'access_token');
  const { access_token } = tokensIn(bought);
  t.equal((await client.call('GET', 'M:/identities', access_token)).status, 200);
  await network.advance(60_000);
  t.equal((await client.refresh(refresh_token)).status, 200);
  await network.stop();
});
