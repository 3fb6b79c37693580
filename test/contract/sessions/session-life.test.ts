// API sessions over time: they end when they have been idle for the time-out, not before, also
// across stops and crashes.

import t from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { identityKind } from '../../../src/records/identity.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const minuteMs = 60_000;
const timeoutMs = 30 * minuteMs;
const flushMs = 90_000;

async function isAlive(network: Network, token: string): Promise<boolean> {
  return (await network.call('GET', 'C:/current-api-session', { token })).status === 200;
}

/** Rows of a kind that are there, seen by readers or not. */
function rowsOf(network: Network, kind: string): number {
  return [...network.env.store.tableNamed(kind).all()].length;
}

/** API sessions that are not the administrator's. */
function aliceRows(network: Network): number {
  const identities = network.env.store.table(identityKind);
  const sessions = network.env.store.table(apiSessionKind);
  return [...sessions.all()].filter(
    ({ record }) => identities.find(record.identityId)?.record.isAdmin === false,
  ).length;
}

t.test('a session ends to the millisecond, its row at once', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  await network.advance(timeoutMs - 1);
  t.equal(await isAlive(network, token), true);
  await network.advance(timeoutMs - 1);
  t.equal(rowsOf(network, 'apiSession'), 1, 'the one of the administrator rested and is gone');
  await network.advance(1);
  t.equal(await isAlive(network, token), false);
  t.equal(rowsOf(network, 'apiSession'), 0);
  await network.stop();
});

t.test('a session is dead on time although its deadline was not handed out yet', async (t) => {
  const network = await bootNetwork();
  network.clock.jump(timeoutMs);
  t.equal(await isAlive(network, network.admin), false);
  await network.stop();
});

t.test('a request that is refused is activity as well, one without the token is not', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const [busy, idle] = [
    await network.login('alice', 'alice-password'),
    await network.login('alice', 'alice-password'),
  ];
  await network.advance(20 * minuteMs);
  const answer = await network.call('GET', 'C:/services/none', { token: busy });
  t.equal(answer.status, 404);
  await network.advance(20 * minuteMs);
  t.equal(await isAlive(network, busy), true);
  t.equal(await isAlive(network, idle), false);
  await network.stop();
});

t.test('a crash ends no busy session early: stamps not yet written are made up for', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  // A client that polls, as SDKs do; the last stamps are in memory alone when power is lost.
  for (let i = 0; i < 11; i++) {
    await network.advance(15_000);
    t.equal(await isAlive(network, token), true);
  }
  const touchedAt = network.clock.now();
  await network.crash();
  await network.advance(timeoutMs - 1);
  t.ok(network.clock.now() < touchedAt + timeoutMs);
  t.equal(aliceRows(network), 1, 'still there when it would end by its true stamp');
  await network.advance(flushMs);
  t.equal(aliceRows(network), 0, 'and not much longer');
  t.equal(await isAlive(network, token), false);
  await network.stop();
});

t.test('a flush gives others their turn between two of its frames', async (t) => {
  const network = await bootNetwork({ bounds: { activityFlushRowsMax: 2 } });
  await network.createUser('alice', 'alice-password');
  const tokens: string[] = [];
  for (let n = 0; n < 5; n++) tokens.push(await network.login('alice', 'alice-password'));
  await network.advance(1000);
  for (const token of tokens) t.ok(await isAlive(network, token));
  const { activity, clock } = network.env;
  const dirty = activity.dirtyCount;
  t.ok(dirty >= 5);
  const soon = clock.soon.bind(clock);
  const leftAtTurns: number[] = [];
  clock.soon = (task) => {
    leftAtTurns.push(activity.dirtyCount);
    soon(task);
  };
  await network.advance(flushMs);
  for (let left = dirty - 2; left > 0; left -= 2) t.ok(leftAtTurns.includes(left), `${left} left`);
  t.equal(activity.dirtyCount, 0);
  await network.stop();
});

t.test('nor one that woke up just before', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  await network.advance(29 * minuteMs);
  t.equal(await isAlive(network, token), true);
  await network.crash();
  await network.advance(10 * minuteMs);
  t.equal(await isAlive(network, token), true);
  await network.stop();
});

t.test('time goes on while the controller is down', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  await network.stop();
  network.clock.jump(timeoutMs + flushMs);
  network.disk = network.disk.kill();
  await network.open();
  t.equal(await isAlive(network, token), false);
  await network.advance(1);
  t.equal(rowsOf(network, 'apiSession'), 0);
  await network.stop();
});

t.test('a clean stop writes every stamp', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  await network.advance(1000);
  t.equal(await isAlive(network, token), true);
  await network.restart();
  t.match(await network.must('GET', 'C:/current-api-session', undefined, token), {
    lastActivityAt: '2026-01-01T00:00:01.000Z',
  });
  await network.stop();
});

t.test('log-out, deletion and disabling end the sessions of an API session', async (t) => {
  const network = await bootNetwork();
  const service = await openTo(network);
  const alice = await network.createUser('alice', 'alice-password');
  const endings = [
    (token: string) => network.call('DELETE', 'C:/current-api-session', { token }),
    async (token: string) => {
      const { id } = await network.must<{ id: string }>(
        'GET',
        'C:/current-api-session',
        undefined,
        token,
      );
      return network.call('DELETE', `M:/api-sessions/${id}`);
    },
    () => network.call('POST', `M:/identities/${alice}/disable`, { body: { durationMinutes: 0 } }),
  ];
  for (const end of endings) {
    const token = await network.login('alice', 'alice-password');
    const { id } = await network.must<{ id: string }>(
      ...(['POST', 'C:/sessions', { serviceId: service }, token] as const),
    );
    t.equal((await network.call('GET', `M:/sessions/${id}`)).status, 200);
    t.equal((await end(token)).status, 200);
    t.equal((await network.call('GET', `M:/sessions/${id}`)).status, 404);
    t.equal(rowsOf(network, 'session'), 0);
    t.equal(await isAlive(network, token), false);
  }
  await network.stop();
});

t.test('what was acknowledged outlives a crash', async (t) => {
  const network = await bootNetwork();
  const service = await openTo(network);
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const body = { serviceId: service };
  const { id } = await network.must<{ id: string }>('POST', 'C:/sessions', body, token);
  await network.crash();
  t.equal(await isAlive(network, token), true);
  t.match(await network.must('GET', `C:/sessions/${id}`, undefined, token), { id });
  const again = await network.must<{ id: string }>('POST', 'C:/sessions', body, token);
  t.equal(again.id, id, 'the same request still answers the same session');
  await network.call('DELETE', 'C:/current-api-session', { token });
  await network.crash();
  t.equal(await isAlive(network, token), false);
  t.equal((await network.call('GET', `M:/sessions/${id}`)).status, 404);
  await network.stop();
});

/** A service that everybody may dial through one router; answers its id. */
async function openTo(network: Network): Promise<string> {
  await network.create('edge-routers', { name: 'edge-1' });
  const [semantic, all] = ['AnyOf', ['#all']];
  await network.create('edge-router-policies', {
    name: 'p',
    semantic,
    identityRoles: all,
    edgeRouterRoles: all,
  });
  await network.create('service-edge-router-policies', {
    name: 'p',
    semantic,
    serviceRoles: all,
    edgeRouterRoles: all,
  });
  await network.create('service-policies', {
    name: 'p',
    type: 'Dial',
    semantic,
    identityRoles: all,
    serviceRoles: all,
  });
  return network.create('services', { name: 's', encryptionRequired: true });
}
