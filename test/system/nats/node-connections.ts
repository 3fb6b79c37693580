// Checks of the connections between nodes: what a client of a node that follows sees while they
// fail or are slow, while its node hangs or is behind, and what the leader's own clients see.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { connect, management } from '../client.ts';
import { type Cut, Relay } from '../cluster-campaign/relay.ts';
import { Visitor, Writer } from './busy-clients.ts';
import type { Check, World } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';
import { SlowRelay } from './slow-relay.ts';

/** How long a fault lasts: longer than any time-out between nodes. */
const faultMs = 8000;

/** How late each byte between two nodes arrives. */
const lateMs = 500;

/** How late a node hears of everything that NATS tells. */
const behindMs = 5000;

/** Requests that are under way at a node that hangs. */
const requestsAtOnce = 1000;

/** While nothing is wrong, before and after a fault. */
const calmMs = 500;

/** The promises to clients while connections between nodes fail. */
export const nodeConnectionChecks: readonly Check[] = [
  ...(['refused', 'silent', 'unanswered'] as const).map((how: Cut) => ({
    name: `node connections: ${how} for 8 s, then whole again`,
    body: async (world: World) => {
      const { cluster, relays, follower } = await relayed(world);
      await whileItFails(world, cluster, follower, async () => {
        for (const { cut } of relays) cut.cut(how);
        await setTimeout(faultMs);
        for (const { cut } of relays) cut.heal();
      });
    },
  })),
  {
    name: 'node connections: each byte is half a second late',
    body: async (world) => {
      const { cluster, relays, follower } = await relayed(world);
      await whileItFails(world, cluster, follower, async () => {
        for (const { slow } of relays) slow.delayMs = lateMs;
        await setTimeout(faultMs);
        for (const { slow } of relays) slow.delayMs = 0;
      });
    },
  },
  {
    name: 'node connections: a node hangs with a thousand requests under way',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const follower = (leader + 1) % 3;
      const { term } = await cluster.health(leader);
      const { token } = await cluster.admin(follower);
      const crowd = connect(world.endings, cluster.serving(follower), requestsAtOnce / 2);
      const asked = Array.from({ length: requestsAtOnce }, (_, n) =>
        n % 2 === 0
          ? crowd.call('GET', `${management}/services?limit=1`, { token })
          : crowd.call('GET', `${management}/identities?limit=1`, { token }),
      );
      await Promise.race(asked);
      cluster.process(follower).signal('SIGSTOP');
      const own = new Visitor(world.endings, cluster.serving(leader), token);
      const working = own.work('beside-');
      await setTimeout(faultMs);
      own.isOver = true;
      assert.ok((await working).answered > 100, 'clients of the leader notice nothing');
      cluster.process(follower).signal('SIGCONT');
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
      // A request that had to wait too long at the node is refused.
      assert.equal(count(200) + count(503), requestsAtOnce, String(new Set(statuses)));
      const { role, term: now } = await cluster.health(leader);
      assert.deepEqual([role, now], ['leading', term]);
      await cluster.well();
      const api = await cluster.admin(follower);
      assert.equal((await api.call('GET', `${management}/services?limit=1`)).status, 200);
      console.log(`${count(200)} answered, ${count(503)} refused`);
    },
  },
  {
    name: 'node connections: what a node answers is never old while it is 5 s behind',
    body: async (world) => {
      const relay = await SlowRelay.open(world.endings, () => world.servers.all[0]?.port ?? 0);
      const serversOf = (index: number) => [
        `127.0.0.1:${index === 1 ? relay.port : world.servers.all[0]?.port}`,
      ];
      const cluster = await Cluster.running({ ...world, serversOf }, 3);
      const atLeader = await cluster.admin(0);
      const api = await cluster.admin(1);
      relay.delayMs = behindMs;
      const endMs = performance.now() + 3 * behindMs;
      for (let n = 0; performance.now() < endMs; n += 1) {
        const service = { name: `late-${n}`, encryptionRequired: true };
        const id = await atLeader.create('services', service);
        assert.equal((await api.call('GET', `${management}/services/${id}`)).status, 200);
        await atLeader.ask('DELETE', `${management}/services/${id}`);
        assert.equal((await api.call('GET', `${management}/services/${id}`)).status, 404);
      }
      relay.delayMs = 0;
      await until('it answers again', async () => {
        const count = async () => (await cluster.answered(1)).get('listServices') ?? 0;
        const before = await count();
        assert.equal((await api.call('GET', `${management}/services?limit=1`)).status, 200);
        return (await count()) > before;
      });
      await cluster.well();
    },
  },
];

/** Three nodes whose connections go through relays, a cut before a slow one. */
async function relayed(world: World) {
  const relays = await Promise.all(
    [0, 1, 2].map(async (index) => {
      const cut = await Relay.open(world.endings, () => cluster.internalPort(index));
      const slow = await SlowRelay.open(world.endings, () => cut.port);
      return { cut, slow };
    }),
  );
  const advertisedPortOf = (index: number) => relays[index]?.slow.port ?? 0;
  const cluster = await Cluster.open({ ...world, advertisedPortOf });
  await cluster.begin();
  for (const index of [1, 2]) await cluster.join(index);
  await cluster.well();
  const follower = ((await cluster.leader()) + 1) % 3;
  return { cluster, relays, follower };
}

/**
 * Reads and writes at a node that follows while something fails. Reads are answered as before, no
 * connection of a client closes, and each write is answered truly.
 */
async function whileItFails(
  world: World,
  cluster: Cluster,
  follower: number,
  fail: () => Promise<void>,
): Promise<void> {
  const leader = await cluster.leader();
  const { term } = await cluster.health(leader);
  const { token, client: http } = await cluster.admin(follower);
  const writers = [0, 1].map(() => new Writer(world.endings, cluster.serving(follower), token));
  const working = writers.map((writer, n) => writer.work(`fault-${n}-`));
  let [reads, isOver] = [0, false];
  const reading = (async () => {
    for (; !isOver; reads += 1) {
      const path = `${management}/services?limit=1`;
      assert.equal((await http.call('GET', path, { token })).status, 200);
    }
  })();
  await setTimeout(calmMs);
  await fail();
  await setTimeout(calmMs);
  const before = writers.map(({ created }) => created.length);
  await until('writes go on', () =>
    writers.every(({ created }, index) => created.length > (before[index] ?? 0)),
  );
  for (const writer of writers) writer.isOver = true;
  isOver = true;
  await Promise.all([...working, reading]);
  const rows = await (await cluster.admin(leader)).all('identities', 'name contains "fault-"');
  for (const writer of writers) writer.compare(rows.map(({ name }) => String(name)));
  const { role, term: now } = await cluster.health(leader);
  assert.deepEqual([role, now], ['leading', term], 'nobody else leads');
  await cluster.well();
  const sum = (of: (writer: Writer) => number) => writers.reduce((all, one) => all + of(one), 0);
  const created = sum((writer) => writer.created.length);
  const unknown = sum((writer) => writer.unknown.length);
  const undone = sum((writer) => writer.undone.length);
  console.log(`${reads} reads; writes: ${created} done, ${unknown} unknown, ${undone} refused`);
}
