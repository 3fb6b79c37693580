// Checks of whole controllers whose log is not purged, or finds no room: what is refused, what goes
// on, and that each remedy works.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { type Api, management } from '../client.ts';
import { metricsUrlOf } from '../process.ts';
import type { Check, World } from './check.ts';
import { Cluster } from './cluster.ts';
import { Filler } from './filler.ts';
import { type NatsServers, startServers, until } from './server.ts';
import { Writes } from './writes.ts';

/** Whose limit is met: that of the account, or `max_file_store` of each server. */
type Limit = 'the account' | 'max_file_store';

const limits: readonly Limit[] = ['the account', 'max_file_store'];

/** Characters in a record. */
const recordCharacters = 200_000;

/** Room for the log of a node that only changes one record, several times over. */
const changedBytesMax = 60_000_000;

/** Room that is soon full of records. */
const createdBytesMax = 60_000_000;

/**
 * How long the room lasts at least, however fast the machine is: a dead node counts as heard for
 * 10 s, and then another one has to share a snapshot.
 */
const roomLastsMs = 20_000;

/** A dead node is not heard any more after 10 s, and room is made every 30 s. */
const remedyMsMax = 90_000;

/** Waiting writes are answered early, so that a check need not wait for them. */
const configuration = { limits: { stalledWriteAnswerMs: 300 } };

/** What holds while a follower does not share, and while NATS has no room. */
export const fullStoreChecks: readonly Check[] = [
  ...limits.flatMap((limit) => [...deadFollower(limit), ...fullStore(limit)]),
  {
    name: 'full store: somebody else takes all room, and gives it back',
    body: async (world) => {
      const { cluster, servers } = await running(world, 'the account', createdBytesMax);
      const leader = await cluster.leader();
      const api = await cluster.admin(leader);
      const writes = new Writes();
      await writes.createAtLast(api);
      const filler = await Filler.open(servers);
      await filler.fill();
      await until('the leader is isolated', async () => {
        return (await cluster.health(leader)).role === 'isolated';
      });
      const { problems } = await cluster.status(leader);
      assert.match(problems[0] ?? '', /^The account at NATS keeps \d+ of \d+ bytes .* too little/);
      await filler.remove();
      await cluster.well();
      await writes.createAtLast(await cluster.admin(leader));
      await writes.lookUp(await cluster.admin(leader));
    },
  },
];

/** The log is shared and purged without the follower whose task that was. */
function deadFollower(limit: Limit): readonly Check[] {
  return [
    {
      name: `dead follower: the others share, and it leaves; limit of ${limit}`,
      body: async (world) => {
        const { cluster } = await running(world, limit, changedBytesMax);
        const dead = await lowestFollower(cluster);
        await cluster.process(dead).kill();
        const from = await changesAll(cluster, dead);
        const left = await cluster.run(from, ['leave', '--node', cluster.nodeId(dead)], 'node');
        assert.equal(left.code, 0, left.stderr);
        await cluster.well(2, from);
        await new Writes().createAtLast(await cluster.admin(from));
      },
    },
    {
      name: `dead follower: the others share, and it is started again; limit of ${limit}`,
      body: async (world) => {
        const { cluster } = await running(world, limit, changedBytesMax);
        const dead = await lowestFollower(cluster);
        await cluster.process(dead).kill();
        await changesAll(cluster, dead);
        await cluster.start(dead);
        await cluster.well();
        await new Writes().createAtLast(await cluster.admin(dead));
      },
    },
  ];
}

/** Records have taken the room that is not kept for other things. */
function fullStore(limit: Limit): readonly Check[] {
  return [
    {
      name: `full store: creations are refused, the rest goes on; limit of ${limit}`,
      body: async (world) => {
        const { cluster } = await running(world, limit, createdBytesMax);
        const leader = await cluster.leader();
        await fills(cluster, leader);
        await goesOnWithoutRoom(cluster, leader);
      },
    },
    {
      name: `full store: a node leaves, and the limit is raised; limit of ${limit}`,
      body: async (world) => {
        const { cluster, servers } = await running(world, limit, createdBytesMax);
        const leader = await cluster.leader();
        await fills(cluster, leader);
        const dead = (leader + 1) % 3;
        await cluster.process(dead).kill();
        await until('the node leaves', async () => {
          const left = await cluster.run(leader, ['leave', '--node', cluster.nodeId(dead)], 'node');
          assert.equal(left.code, 0, left.stderr);
          return true;
        });
        await raise(servers, limit);
        await cluster.well(2, leader);
        await new Writes().createAtLast(await cluster.admin(leader));
      },
    },
    {
      name: `full store: the leader is killed and started again; limit of ${limit}`,
      body: async (world) => {
        const { cluster, servers } = await running(world, limit, createdBytesMax);
        const leader = await cluster.leader();
        await fills(cluster, leader);
        await cluster.process(leader).kill();
        const next = await cluster.awaitLead([0, 1, 2].filter((index) => index !== leader));
        await cluster.start(leader);
        await until('it follows', async () => (await cluster.health(leader)).role === 'following');
        await goesOnWithoutRoom(cluster, next);
        await raise(servers, limit);
        await cluster.well();
        await new Writes().createAtLast(await cluster.admin(leader));
      },
    },
    {
      name: `full store: records are deleted, and there is room again; limit of ${limit}`,
      body: async (world) => {
        const { cluster } = await running(world, limit, createdBytesMax);
        const leader = await cluster.leader();
        const api = await cluster.admin(leader);
        const writes = await fills(cluster, leader);
        const rows = await api.all('identities', 'name contains "identity-"');
        for (const { id } of rows.slice(0, (rows.length * 3) / 4)) {
          assert.equal((await api.call('DELETE', `${management}/identities/${id}`)).status, 200);
        }
        await until('a record is created', () => isCreated(writes, api), remedyMsMax);
        await cluster.well();
      },
    },
  ];
}

interface Running {
  readonly cluster: Cluster;
  readonly servers: NatsServers;
}

/** Three nodes over servers with this limit: one with an account, or three as in the example. */
async function running({ endings }: World, limit: Limit, bytesMax: number): Promise<Running> {
  const isServer = limit === 'max_file_store';
  const count = isServer ? 3 : 1;
  const bounded = isServer ? { serverBytesMax: bytesMax } : { accountBytesMax: bytesMax };
  const servers = await startServers(endings, { count, isTls: true, ...bounded });
  const monitoring = servers.all.map((server) => new URL(server.monitoring).host);
  const cluster = await Cluster.running(
    {
      servers,
      endings,
      count,
      configuration: { ...configuration, cluster: { monitoring } },
      // Once there is room again, a follower may lead before the isolated leader does.
      isSupervised: true,
    },
    3,
  );
  return { cluster, servers };
}

/** The follower whose task it is to share snapshots. */
async function lowestFollower(cluster: Cluster): Promise<number> {
  const leader = await cluster.leader();
  const [first = 0, second = 0] = [0, 1, 2].filter((index) => index !== leader);
  return cluster.nodeId(first) < cluster.nodeId(second) ? first : second;
}

/** Changes one record until the log has been full several times. @returns a node that is there */
async function changesAll(cluster: Cluster, dead: number): Promise<number> {
  const from = (dead + 1) % 3;
  const api = await cluster.admin(from);
  const body = { name: 'changed', type: 'Default', isAdmin: false };
  const id = await api.create('identities', body);
  for (let bytes = 0; bytes < 2 * changedBytesMax; bytes += recordCharacters) {
    const appData = { filler: 'x'.repeat(recordCharacters) };
    const answer = await api.call('PATCH', `${management}/identities/${id}`, { appData });
    assert.equal(answer.status, 200, `${bytes} bytes: ${answer.status}`);
    await setTimeout((roomLastsMs * recordCharacters) / changedBytesMax);
  }
  return from;
}

/** Creates records until there is no room for more. @returns what was written */
async function fills(cluster: Cluster, leader: number): Promise<Writes> {
  const api = await cluster.admin(leader);
  const writes = new Writes();
  await until('a creation is refused', async () => {
    const { status, code } = await writes.create(api, recordCharacters);
    if (status === 201) return false;
    assert.deepEqual([status, code], [429, 'STORAGE_LIMIT_REACHED']);
    return true;
  });
  return writes;
}

/** Creations are refused; everything else goes on, and each node and `status` say why. */
async function goesOnWithoutRoom(cluster: Cluster, leader: number): Promise<void> {
  const api = await cluster.admin(leader);
  const writes = new Writes();
  const [row] = await api.all('identities', 'name contains "identity-"');
  const path = `${management}/identities/${row?.['id']}`;
  const change = await api.call('PATCH', path, { appData: { changed: true } });
  assert.equal(change.status, 200);
  assert.equal((await api.call('DELETE', path)).status, 200);
  assert.equal((await writes.create(api)).code, 'STORAGE_LIMIT_REACHED');
  const { problems } = await cluster.status(leader);
  assert.match(problems.join('\n'), /keeps \d+ of \d+ bytes at most, which is too little/);
  const { role, failing } = await cluster.health(leader);
  assert.equal(role, 'leading');
  assert.match(failing.get('cluster-store') ?? '', / keeps \d+ of .* the stream takes \d+ bytes/);
  const metrics = await (
    await fetch(`${await metricsUrlOf(cluster.process(leader))}/metrics`)
  ).text();
  assert.match(metrics, /^edge_control_cluster_store_short 1$/m);
  assert.match(metrics, /^edge_control_cluster_stream_bytes \d+$/m);
  assert.match(metrics, /^edge_control_cluster_shared_snapshot_age_seconds \d/m);
}

async function isCreated(writes: Writes, api: Api): Promise<boolean> {
  const { status, code } = await writes.create(api);
  if (status === 201) return true;
  assert.equal(code, 'STORAGE_LIMIT_REACHED');
  return false;
}

/** Gives more room, as an operator does. */
async function raise(servers: NatsServers, limit: Limit): Promise<void> {
  const setting = limit === 'the account' ? /max_file: \d+/ : /max_file_store: \d+/;
  for (const server of servers.all) {
    await server.reconfigure((text) =>
      text.replace(setting, (line) => line.replace(/\d+/, '2000000000')),
    );
  }
}
