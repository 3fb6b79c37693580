// Large cascades: over at once for every reader, carried out in slices, finished after a crash.

import t, { type Test } from 'tap';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const apiSessionCount = 1200;

/** Rows of a kind that are there, seen by readers or not. */
function rowsOf(network: Network, kind: string): number {
  return [...network.env.store.tableNamed(kind).all()].length;
}

/** Its identities hold more, and make it faster, than the defaults let them. */
function bootLarge(): Promise<Network> {
  const limits = { apiSessionsPerIdentityMax: 10_000, writesPerSecondMax: 0 };
  return bootNetwork({ freeze: false, limits, bounds: { cascadeRowsMax: 500 } });
}

interface Crowd {
  readonly identity: string;
  readonly tokens: readonly string[];
}

/** An identity that is logged in very often. */
async function crowd(network: Network, count = apiSessionCount): Promise<Crowd> {
  const identity = await network.createUser('alice', 'alice-password');
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) tokens.push(await network.login('alice', 'alice-password'));
  return { identity, tokens };
}

async function totalOf(network: Network, path: string): Promise<number | undefined> {
  return (await network.call('GET', `${path}?limit=1`)).pagination?.totalCount;
}

/** Some tokens of a crowd, first and last among them, must be dead. */
async function areDead(t: Test, network: Network, { tokens }: Crowd): Promise<void> {
  for (const i of [0, 1, 499, 500, 501, tokens.length - 1]) {
    const token = tokens[i] ?? 'none';
    t.equal((await network.call('GET', 'C:/current-api-session', { token })).status, 401);
  }
}

t.test('an identity with 1,200 API sessions is deleted', async (t) => {
  const network = await bootLarge();
  const all = await crowd(network);
  const list = await network.must<{ id: string; identityId: string }[]>(
    'GET',
    'M:/api-sessions?limit=-1',
  );
  const own = list.filter(({ identityId }) => identityId === all.identity);
  t.equal(own.length, apiSessionCount);

  await network.must('DELETE', `M:/identities/${all.identity}`);
  t.ok(rowsOf(network, 'apiSession') > 500, 'the rows wait for their slices');
  t.equal(await totalOf(network, 'M:/api-sessions'), 1);
  t.equal((await network.must<[]>('GET', 'M:/api-sessions?limit=-1')).length, 1);
  t.match(await network.must('GET', 'M:/summary'), { apiSessions: 1 });
  t.equal(await totalOf(network, 'M:/authenticators'), 1);
  for (const one of [own[0], own.at(-1)]) {
    t.equal((await network.call('GET', `M:/api-sessions/${one?.id}`)).status, 404);
    t.equal((await network.call('DELETE', `M:/api-sessions/${one?.id}`)).status, 404);
  }
  await areDead(t, network, all);

  const seen: number[] = [];
  for (let turns = 0; turns < 20 && rowsOf(network, 'followUp') > 0; turns++) {
    network.clock.turn();
    seen.push(rowsOf(network, 'apiSession'));
  }
  t.equal(rowsOf(network, 'apiSession'), 1);
  for (let i = 1; i < seen.length; i++) {
    t.ok((seen[i - 1] ?? 0) - (seen[i] ?? 0) <= 500, 'no slice takes more than its rows');
  }
  await network.crash();
  t.equal(rowsOf(network, 'apiSession'), 1);
  t.equal(rowsOf(network, 'authenticator'), 1);
  await network.stop();
});

t.test('a crash in between, and recovery finishes it', async (t) => {
  const network = await bootLarge();
  const all = await crowd(network);
  await network.must('DELETE', `M:/identities/${all.identity}`);
  t.ok(rowsOf(network, 'apiSession') > 1);
  await network.crash();
  t.equal(rowsOf(network, 'followUp'), 0);
  t.equal(rowsOf(network, 'apiSession'), 1);
  await areDead(t, network, all);
  await network.crash();
  t.equal(rowsOf(network, 'apiSession'), 1, 'what recovery did is durable');
  await network.stop();
});

t.test('names are free again while rows still wait', async (t) => {
  const network = await bootLarge();
  const all = await crowd(network, 600);
  await network.must('DELETE', `M:/identities/${all.identity}`);
  t.ok(rowsOf(network, 'apiSession') > 1);
  const again = await network.createUser('alice', 'alice-password');
  t.not(again, all.identity);
  await network.login('alice', 'alice-password');
  await areDead(t, network, all);
  await network.stop();
});

t.test('disabling 1,200 API sessions and enabling again brings none of them back', async (t) => {
  const network = await bootLarge();
  const all = await crowd(network);
  const path = `M:/identities/${all.identity}`;
  await network.must('POST', `${path}/disable`, { durationMinutes: 0 });
  t.ok(rowsOf(network, 'apiSession') > 1);
  t.equal(await totalOf(network, 'M:/api-sessions'), 1);
  t.match(await network.must('GET', path), { hasApiSession: false });
  await areDead(t, network, all);
  await network.must('POST', `${path}/enable`);
  await areDead(t, network, all);
  t.match(await network.must('GET', path), { hasApiSession: false });
  // Nobody waits for the slices, and none of their rows is there for a reader.
  t.equal(await totalOf(network, 'M:/api-sessions'), 1);
  await network.login('alice', 'alice-password');
  t.equal(await totalOf(network, 'M:/api-sessions'), 2);
  await network.advance(0);
  t.equal(rowsOf(network, 'apiSession'), 2, 'the new one is left');
  await network.stop();
});

t.test('a lock-out ends 1,200 API sessions, and its lapse brings none back', async (t) => {
  const network = await bootLarge();
  const primary = { updb: { maxAttempts: 1, lockoutDurationMinutes: 1 } };
  await network.must('PATCH', 'M:/auth-policies/default', { primary });
  const all = await crowd(network);
  const body = { username: 'alice', password: 'wrong-password' };
  await network.call('POST', 'C:/authenticate?method=password', { body, token: null });
  t.ok(rowsOf(network, 'apiSession') > 1);
  await areDead(t, network, all);
  await network.crash();
  await areDead(t, network, all);
  await network.advance(60_000);
  await areDead(t, network, all);
  t.equal(rowsOf(network, 'apiSession'), 1);
  await network.stop();
});

interface Dialed extends Crowd {
  readonly policy: string;
  readonly sessions: readonly string[];
}

const serviceCount = 50;

/** 40 API sessions with 50 sessions each: 2,000 that one policy allows. */
async function dialed(network: Network, services = serviceCount, dialers = 40): Promise<Dialed> {
  const all = ['#all'];
  await network.create('edge-routers', { name: 'edge-1' });
  await network.create('edge-router-policies', {
    name: 'p',
    semantic: 'AnyOf',
    identityRoles: all,
    edgeRouterRoles: all,
  });
  await network.create('service-edge-router-policies', {
    name: 'p',
    semantic: 'AnyOf',
    serviceRoles: all,
    edgeRouterRoles: all,
  });
  const policy = await network.create('service-policies', {
    name: 'p',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: all,
    serviceRoles: all,
  });
  const ids: string[] = [];
  for (let i = 0; i < services; i++) {
    ids.push(await network.create('services', { name: `s${i}`, encryptionRequired: true }));
  }
  const { identity, tokens } = await crowd(network, dialers);
  const sessions: string[] = [];
  for (const token of tokens) {
    for (const serviceId of ids) {
      const made = await network.must<{ id: string }>('POST', 'C:/sessions', { serviceId }, token);
      sessions.push(made.id);
    }
  }
  return { identity, tokens, policy, sessions };
}

async function areGone(t: Test, network: Network, { sessions, tokens }: Dialed): Promise<void> {
  const [token = ''] = tokens;
  t.equal(await totalOf(network, 'M:/sessions'), 0);
  t.equal((await network.must<[]>('GET', 'M:/sessions?limit=-1')).length, 0);
  const own = await network.call('GET', 'C:/sessions?limit=-1', { token });
  t.match([own.pagination?.totalCount, own.data], [0, []]);
  for (const i of [0, 499, 500, sessions.length - 1]) {
    t.equal((await network.call('GET', `M:/sessions/${sessions[i]}`)).status, 404);
    t.equal((await network.call('DELETE', `C:/sessions/${sessions[i]}`, { token })).status, 404);
  }
}

t.test('2,000 sessions lose their access through one policy', async (t) => {
  const network = await bootLarge();
  const before = await dialed(network);
  t.equal(await totalOf(network, 'M:/sessions'), 2000);
  await network.must('DELETE', `M:/service-policies/${before.policy}`);
  t.ok(rowsOf(network, 'session') > 1000, 'the rows wait for their slices');
  await areGone(t, network, before);
  await network.clock.settle();
  t.equal(rowsOf(network, 'session'), 0);
  t.equal(rowsOf(network, 'followUp'), 0);
  await areGone(t, network, before);
  await network.crash();
  t.equal(rowsOf(network, 'session'), 0);
  await network.stop();
});

t.test('2,000 sessions below 40 API sessions go with their identity, in slices', async (t) => {
  const network = await bootLarge();
  const before = await dialed(network);
  const sizes: number[] = [];
  let last = rowsOf(network, 'session') + rowsOf(network, 'apiSession');
  network.env.store.follow(() => {
    const now = rowsOf(network, 'session') + rowsOf(network, 'apiSession');
    sizes.push(last - now);
    last = now;
  });
  await network.must('DELETE', `M:/identities/${before.identity}`);
  t.ok(rowsOf(network, 'session') > 1000, 'the rows wait for their slices');
  await areGone(t, network, { ...before, tokens: [network.admin] });
  await areDead(t, network, { ...before, tokens: before.tokens });
  await network.clock.settle();
  t.equal(rowsOf(network, 'session'), 0);
  t.equal(rowsOf(network, 'apiSession'), 1);
  t.equal(rowsOf(network, 'followUp'), 0);
  t.ok(sizes.length >= 5 && Math.max(...sizes) <= 501, `slices of ${sizes.join(', ')}`);
  await network.crash();
  t.equal(rowsOf(network, 'session'), 0);
  await network.stop();
});

t.test('a service with 2,000 sessions goes', async (t) => {
  const network = await bootLarge();
  const before = await dialed(network, 1, 2000);
  const [service] = await network.must<{ id: string }[]>('GET', 'M:/services');
  await network.must('DELETE', `M:/services/${service?.id}`);
  t.ok(rowsOf(network, 'session') > 1000);
  await areGone(t, network, before);
  await network.crash();
  t.equal(rowsOf(network, 'session'), 0);
  await network.stop();
});

t.test('a crash while 2,000 sessions end, then the right is given again', async (t) => {
  const network = await bootLarge();
  const before = await dialed(network);
  const path = `M:/service-policies/${before.policy}`;
  await network.must('PATCH', path, { identityRoles: [] });
  t.ok(rowsOf(network, 'session') > 1000);
  await network.crash();
  t.equal(rowsOf(network, 'session'), 0);
  await areGone(t, network, before);
  await network.must('PATCH', path, { identityRoles: ['#all'] });
  await areGone(t, network, before);
  await network.stop();
});

t.test('a right given again at once brings no session back', async (t) => {
  const network = await bootLarge();
  const before = await dialed(network);
  const [token = ''] = before.tokens;
  const path = `M:/service-policies/${before.policy}`;
  await network.must('PATCH', path, { identityRoles: [] });
  t.ok(rowsOf(network, 'followUp') > 0);
  await network.must('PATCH', path, { identityRoles: ['#all'] });
  await areGone(t, network, before);
  const services = await network.must<{ id: string }[]>(
    'GET',
    'C:/services?limit=-1',
    undefined,
    token,
  );
  t.equal(services.length, serviceCount);
  const body = { serviceId: services[0]?.id };
  const { id } = await network.must<{ id: string }>('POST', 'C:/sessions', body, token);
  t.notOk(before.sessions.includes(id), 'a new one');
  t.equal(await totalOf(network, 'M:/sessions'), 1);
  await network.crash();
  t.equal(await totalOf(network, 'M:/sessions'), 1);
  await network.stop();
});
