// Checks of whole controllers whose streams are configured otherwise than they were made.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import {
  keyValueStream,
  logStream,
  membersBucket,
  objectStream,
  snapshotsBucket,
} from '../../../src/cluster/nats/names.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import type { Check } from './check.ts';
import { Cluster, type ClusterWanted } from './cluster.ts';
import { type NatsServers, startServers, until } from './server.ts';
import { Writes } from './writes.ts';

/** A node looks at the stream every 5 s, and at its silence for 3 s before it stands. */
const lookedMs = 12_000;

/** What holds while a stream is configured otherwise. */
export const streamConfigurationChecks: readonly Check[] = [
  {
    name: 'stream configuration: a harmless field is a problem of status, and of nobody else',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      await configure(cluster, world.servers, { allow_direct: true, description: 'ours' });
      await until('status names the field', async () => {
        const { code, problems } = await cluster.status(0);
        const said = problems.filter((problem) => /allow_direct is true/.test(problem));
        return code === 1 && said.length === 3 && /lead nevertheless\.$/.test(said[2] ?? '');
      });
      await setTimeout(lookedMs);
      const leader = await cluster.leader();
      await followsAndRelays(cluster, leader);
      // A node that stands looks at the stream, too.
      await cluster.process(leader).kill();
      const next = await cluster.awaitLead([0, 1, 2].filter((index) => index !== leader));
      await cluster.start(leader);
      await followsAndRelays(cluster, next);
      await configure(cluster, world.servers, { allow_direct: false });
      await cluster.well();
    },
  },
  {
    name: 'stream configuration: an unsafe field keeps nodes from leading, and from nothing else',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const nanos = 365 * 24 * 3_600_000_000_000;
      await configureLog(cluster, world.servers, { max_age: nanos });
      const leader = await cluster.leader();
      await until('status and health name the field', async () => {
        const { problems } = await cluster.status(leader);
        const { failing } = await cluster.health(leader);
        const isSaid = problems.some((problem) =>
          /max_age is \d+, and has to be 0\. Until then no node begins to lead\.$/.test(problem),
        );
        return isSaid && /max_age is \d+ and has to be 0/.test(failing.get('cluster-store') ?? '');
      });
      await setTimeout(lookedMs);
      await followsAndRelays(cluster, leader);
      const others = [0, 1, 2].filter((index) => index !== leader);
      await cluster.process(leader).kill();
      await setTimeout(lookedMs);
      for (const index of others) {
        assert.equal(cluster.hasLed(index), false);
        // Each second it stands for a moment, in which it looks at the stream.
        await until('its health says why it does not lead', async () => {
          const { role, failing } = await cluster.health(index);
          const said = /no node leads \(the stream .* max_age is/.test(
            failing.get('cluster') ?? '',
          );
          return role === 'following' && said;
        });
      }
      await configureLog(cluster, world.servers, { max_age: 0 });
      await cluster.awaitLead(others);
      await cluster.start(leader);
      await cluster.well();
    },
  },
  {
    name: 'stream configuration: from 3 to 5 replicas, as the documents say',
    body: async ({ endings }) => {
      const servers = await startServers(endings, { count: 5, isTls: true });
      const wanted: { count: 3 | 5 } & Omit<ClusterWanted, 'count'> = {
        servers,
        endings,
        count: 3,
      };
      const cluster = await Cluster.running(wanted, 3);
      const writes = new Writes();
      await writes.createAtLast(await cluster.admin(0));
      await configure(cluster, servers, { num_replicas: 5 });
      await until('status names the number', async () => {
        const { problems } = await cluster.status(0);
        const said = problems.filter((problem) =>
          /num_replicas is 5, and has to be 3/.test(problem),
        );
        return said.length === 3 && problems.length === 3;
      });
      const leader = await cluster.leader();
      await followsAndRelays(cluster, leader);
      wanted.count = 5;
      for (const index of [0, 1, 2]) {
        assert.equal((await cluster.process(index).stop()).code, 0);
        await cluster.start(index);
        await cluster.well();
      }
      const api = await cluster.admin(0);
      await writes.createAtLast(api);
      await writes.lookUp(api);
    },
  },
];

/** Every node is what it was, and each takes a write. */
async function followsAndRelays(cluster: Cluster, leader: number): Promise<void> {
  const writes = new Writes();
  for (const index of [0, 1, 2]) {
    await until('each node leads or follows', async () => {
      const { role } = await cluster.health(index);
      return role === (index === leader ? 'leading' : 'following');
    });
    await writes.createAtLast(await cluster.admin(index));
  }
  await writes.lookUp(await cluster.admin(leader));
}

async function configureLog(cluster: Cluster, servers: NatsServers, change: object): Promise<void> {
  const { dataSetId } = cluster;
  await update(servers, [logStream({ dataSetId, generation: 1 })], change);
}

/** Changes all three streams of a cluster. */
async function configure(cluster: Cluster, servers: NatsServers, change: object): Promise<void> {
  const dataSet = { dataSetId: cluster.dataSetId, generation: 1 };
  const members = keyValueStream(membersBucket(dataSet));
  const snapshots = objectStream(snapshotsBucket(dataSet));
  await update(servers, [members, snapshots, logStream(dataSet)], change);
}

async function update(
  servers: NatsServers,
  streams: readonly string[],
  change: object,
): Promise<void> {
  const link = new NatsLink(servers.access('init'), systemClock, 'check');
  try {
    for (const stream of streams) {
      await until(`${stream} is changed`, async () => {
        await link.ask(({ api }) => api.streams.update(stream, change));
        return true;
      });
    }
  } finally {
    await link.close();
  }
}
