// The session of a request, and its present rights: rights that are granted and revoked,
// contradicting headers, and attempts to reach the objects of others. privilege-matrix.txt says who
// may call what.

import t from 'tap';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import { World } from './callers.ts';
import { withSession } from './things.ts';

const get = (network: Network, path: string, headers: Readonly<Record<string, string>>) =>
  network.call('GET', path, { token: null, headers });

const refused = { status: 401, code: 'UNAUTHORIZED' };

t.test('texts that never were tokens are refused, whatever they look like', async (t) => {
  const network = await bootNetwork();
  const tokens = ['nonsense', '__proto__', 'constructor', ' ', '0', 'x'.repeat(4000), '%00', '"'];
  for (const token of [...tokens, network.admin.toUpperCase(), network.admin.slice(0, -1)]) {
    for (const header of ['zt-session', 'net-session']) {
      const answer = await get(network, 'C:/current-identity', { [header]: token });
      t.match(answer, refused, `${header}: ${token.slice(0, 20)}`);
      t.match(answer.headers['www-authenticate'], 'error="invalid"');
    }
  }
  await network.stop();
});

t.test('a session is found by its token in its two headers, and nowhere else', async (t) => {
  const network = await bootNetwork();
  const { admin } = network;
  const [session] = await network.must<{ id: string }[]>('GET', 'M:/api-sessions');
  const elsewhere = {
    authorization: `Bearer ${admin}`,
    authentication: `Bearer ${admin}`,
    cookie: `zt-session=${admin}; net-session=${admin}`,
    'session-token': admin,
    'x-zt-session': admin,
    'zt-session ': admin,
  };
  for (const [name, value] of Object.entries(elsewhere)) {
    const answer = await get(network, 'M:/identities', { [name]: value });
    t.match(answer, refused, name);
    t.match(answer.headers['www-authenticate'], 'error="missing"', name);
  }
  t.match(await get(network, `M:/identities?zt-session=${admin}`, {}), refused, 'a query');
  const byId = await get(network, 'M:/identities', { 'zt-session': session?.id ?? '' });
  t.match(byId, refused, 'the id of a session is no token');
  await network.stop();
});

t.test('if two headers disagree, zt-session decides', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const alice = await network.login('alice', 'alice-password');
  const { admin } = network;
  const both = (zt: string, net: string) =>
    get(network, 'M:/identities', { 'zt-session': zt, 'net-session': net });
  t.match(await both(admin, alice), { status: 200 });
  t.match(await both(admin, 'nonsense'), { status: 200 });
  t.match(await both(alice, admin), refused, 'not the better of two');
  t.match(await both('nonsense', admin), refused, 'not the only one that is good');
  t.match(await both('', admin), { status: 200 }, 'an empty header is none');
  t.match(await get(network, 'M:/identities', { 'zt-session': `${alice}, ${admin}` }), refused);
  await network.stop();
});

t.test('rights change under a live session', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const list = () => network.call('GET', 'M:/identities', { token });
  t.match(await list(), refused);
  await network.must('PATCH', `M:/identities/${alice}`, { isAdmin: true });
  t.match(await list(), { status: 200 });
  await network.must('PATCH', 'M:/auth-policies/default', { secondary: { requireTotp: true } });
  t.match(await list(), refused, 'a factor is owed at once (behaviour/api-sessions#per-request)');
  t.match(await network.call('GET', 'M:/identities'), refused, 'by the default admin as well');
  t.match(await network.call('GET', 'C:/current-api-session', { token }), { status: 200 });
  t.match(await network.call('POST', 'C:/sessions', { token, body: '{"broken' }), refused);
  await network.stop();
});

t.test('an identity that was disabled and enabled has to log in again', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'alice-password', { isAdmin: true });
  const token = await network.login('alice', 'alice-password');
  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 1 });
  t.match(await network.call('GET', 'M:/identities', { token }), refused);
  await network.advance(61_000);
  t.match(await network.call('GET', 'M:/identities', { token }), refused);
  const again = await network.login('alice', 'alice-password');
  t.match(await network.call('GET', 'M:/identities', { token: again }), { status: 200 });
  await network.stop();
});

t.test('no spelling of a path or a method evades the check', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const alice = await network.login('alice', 'alice-password');
  const base = '/edge/management/v1';
  const spellings = [
    `${base}/identities`,
    `${base}/identities/`,
    `${base}//identities`,
    `${base}/./identities`,
    `${base}/x/../identities`,
    `${base}/%69dentities`,
    `${base}/identities%2F`,
    `${base}/IDENTITIES`,
    `${base}/identities;x`,
    `${base}/identities%00`,
    `/${base}/identities`,
    '/edge/client/v1/../../management/v1/identities',
    '/edge/v1/identities',
    '/identities',
    '/edge/management/v1identities',
    '/edge/management/identities',
    '/management/v1/identities',
  ];
  for (const path of spellings) {
    for (const method of ['GET', 'HEAD', 'get', 'TRACE']) {
      for (const token of [null, alice]) {
        const { status, body } = await network.call(method, path, { token });
        t.ok([401, 404, 405].includes(status), `${method} ${path}: ${status} ${body}`);
      }
    }
  }
  const preflight = await network.call('OPTIONS', `${base}/identities`, { token: null });
  t.match(preflight, { status: 200, body: Buffer.alloc(0) }, 'a preflight shows nothing');
  await network.stop();
});

t.test("no query shows what is another's", async (t) => {
  const world = await World.boot();
  const { network } = world;
  const owner = await withSession(world);
  const { party } = owner;
  const secrets = [party.id, party.authenticatorId, party.sessionId, party.token ?? ''];
  const others = [...secrets, owner.serviceId, owner.routerId, owner.sessionId];
  const { token } = await world.newParty();
  const queries = [
    'limit=-1',
    'limit=500&offset=0',
    'filter=true',
    'filter=true%20or%20true',
    `asIdentity=${party.id}`,
    `asIdentity=${party.name}`,
    `identityId=${party.id}`,
    'roleFilter=%23all',
    `roleFilter=@${owner.serviceId}`,
    'configTypes=all',
    ...others.map((id) => `filter=id="${id}"`),
  ];
  const lists = [
    'C:/services',
    'C:/sessions',
    'C:/current-identity/edge-routers',
    'C:/controllers',
    'C:/current-identity/authenticators',
    'M:/current-identity/authenticators',
    'C:/current-api-session/certificates',
    'C:/current-identity',
    'C:/current-api-session',
    'C:/external-jwt-signers',
    'M:/identity-types',
    `C:/services/${owner.serviceId}`,
  ];
  for (const list of lists) {
    for (const query of queries) {
      const answer = await network.call('GET', `${list}?${query}`, { token });
      const { data, cause, pagination } = answer;
      const text = JSON.stringify({ data, pagination, cause: { ...cause, value: '' } });
      const shown = others.filter((id) => text.includes(id) && !list.includes(id));
      t.same(shown, [], `${list}?${query}`);
      if (query.startsWith('filter=id=')) t.notOk(pagination?.totalCount, `${list}?${query}`);
    }
  }
  await network.stop();
});

t.test('references to own objects from others are checked as well', async (t) => {
  const world = await World.boot();
  const { network } = world;
  const owner = await withSession(world);
  const more = { identityRoles: ['#all'], serviceRoles: [`@${owner.serviceId}`] };
  const policy = { name: 'everybody', type: 'Dial', semantic: 'AnyOf', ...more };
  await network.create('service-policies', policy);
  const stranger = await world.newParty();
  const ownersToken = await network.must<{ token: string }>(
    ...(['POST', 'C:/sessions', { serviceId: owner.serviceId }, owner.party.token ?? ''] as const),
  );
  const routers = `C:/services/${owner.serviceId}/edge-routers`;
  const headers = { 'session-token': ownersToken.token };
  t.match(await network.call('GET', routers, { token: owner.party.token, headers }), {
    status: 200,
  });
  t.match(await network.call('GET', routers, { token: stranger.token, headers }), refused);
  await network.stop();
});

t.test('a full queue of hashes is 429 wherever a password is set', async (t) => {
  const network = await bootNetwork({ limits: { authenticationsWaitingMax: 0 } });
  const alice = await network.createUser('alice', 'alice-password');
  const bob = await network.create('identities', { name: 'bob', type: 'Default', isAdmin: false });
  const { authenticators } = await network.must<{ authenticators: { updb: { id: string } } }>(
    'GET',
    `M:/identities/${alice}`,
  );
  network.hasher.hold();
  const login = { username: 'alice', password: 'alice-password' };
  const path = 'C:/authenticate?method=password';
  const running: Promise<unknown>[] = [];
  // As many as run at once on this machine, and one that finds no place.
  for (let refused = false; !refused; ) {
    const held = network.hasher.heldCount;
    running.push(network.call('POST', path, { body: login, token: null }));
    await network.clock.settle();
    refused = network.hasher.heldCount === held;
  }
  const requests = [
    network.call('POST', path, { body: login, token: null }),
    network.call('POST', 'M:/authenticators', {
      body: { ...login, username: 'bobby', method: 'updb', identityId: bob },
    }),
    network.call('PUT', `M:/authenticators/${authenticators.updb.id}`, { body: login }),
    network.call('PATCH', `M:/authenticators/${authenticators.updb.id}`, {
      body: { password: 'other-password' },
    }),
  ];
  for (const request of requests) {
    t.match(await request, { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  }
  network.hasher.release();
  await Promise.all(running);
  t.same(network.logged, []);
  await network.stop();
});
