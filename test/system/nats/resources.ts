// Checks of making and comparing the streams, on one real server.

import { strict as assert } from 'node:assert';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { NatsClusterAccess } from '../../../src/cluster/nats/access.ts';
import { type NatsAccess, NatsLink } from '../../../src/cluster/nats/link.ts';
import { keyValueStream, logStream, membersBucket } from '../../../src/cluster/nats/names.ts';
import { dataSetsAt } from '../../../src/cluster/nats/resources.ts';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import { createFetch } from '../../../src/platform/fetch.ts';
import type { HostPort } from '../../../src/settings/setting-type.ts';
import { type Check, created, dataSetOf, open, type World } from './check.ts';
import { type NatsServer, startServers } from './server.ts';

/** What `NatsResources` promises. */
export const resourceChecks: readonly Check[] = [
  {
    name: 'the server has exactly the configuration that was asked for',
    body: async (world) => {
      const { resources, stream, configurationFault } = await created(world);
      assert.deepEqual(await resources.compare(), []);
      assert.equal(configurationFault((await stream.state()).configuration), undefined);
    },
  },
  {
    name: 'room at NATS is computed with the copies of the stream, not with those of the setting',
    body: async (world) => {
      await created(world);
      // While a cluster grows, the setting still has the former number.
      const node = open({ ...world, count: 3 }, world.servers.access('node'));
      const { bounds } = await node.store();
      assert.deepEqual(
        bounds.map(({ of, copies }) => [of, copies]),
        [['The account at NATS', 1]],
      );
    },
  },
  {
    name: 'a generation is made once, and only by the credential for that',
    body: async (world) => {
      const node = open(world, world.servers.access('node'));
      await assert.rejects(node.resources.create(), StreamUnreachable);
      await created(world);
      const { resources } = open(world, world.servers.access('init'));
      await assert.rejects(resources.create(), { name: 'GenerationTaken' });
      await assert.rejects(node.resources.remove(), StreamUnreachable);
      assert.deepEqual(await node.resources.compare(), []);
      await resources.remove();
      const missing = await node.resources.compare();
      assert.equal(missing.length, 3);
      assert.ok(missing.every((sentence) => /^Stream \w+ is missing\.$/.test(sentence)));
    },
  },
  {
    name: 'each field that was changed is named',
    body: async (world) => {
      const { resources } = await created(world);
      const link = initLink(world);
      const [log, members] = [logStream(dataSetOf(world)), membersBucket(dataSetOf(world))];
      await link.ask(async ({ api }) => {
        await api.streams.update(log, { max_msgs: 100, max_age: 3_600_000_000_000 });
        await api.streams.update(keyValueStream(members), { max_msgs_per_subject: 5 });
        const { config } = await api.streams.info(log);
        await api.streams.update(log, { ...config, republish: { src: '>', dest: 'out.>' } });
      });
      assert.deepEqual(await resources.compare(), [
        `Stream KV_${members}: max_msgs_per_subject is 5, and has to be 1.`,
        `Stream ${log}: max_age is 3600000000000, and has to be 0. Until then no node begins to lead.`,
        `Stream ${log}: max_msgs is 100, and has to be -1. Until then no node begins to lead.`,
        `Stream ${log}: republish is {"src":"\\u003e","dest":"out.\\u003e"}, and has to be absent. The nodes follow, relay and lead nevertheless.`.replaceAll(
          '\\u003e',
          '>',
        ),
      ]);
    },
  },
  {
    name: 'more copies than there are servers are refused with what to do',
    body: async (world) => {
      const dataSet = { ...dataSetOf(world), generation: 300 };
      const replicas = world.count + 2;
      await assert.rejects(accessOf(world, {}, [], replicas).create(dataSet, replicas), {
        name: 'StartProblem',
        message: new RegExp(`^cluster.replicas is ${replicas}, and NATS has no place .*: start `),
      });
      const there = await accessOf(world).streams();
      assert.ok(there.every(({ generation }) => generation !== dataSet.generation));
    },
  },
  {
    name: 'generations are found, the newest first',
    body: async (world) => {
      await created(world);
      await created({ ...world, generation: 100 });
      const link = initLink(world);
      await link.ask(({ api }) => api.streams.add({ name: 'OTHER', subjects: ['edge.x.y.log'] }));
      const found = await dataSetsAt(link);
      assert.equal(found[0]?.generation, 100);
      assert.ok(found.some(({ generation }) => generation === world.generation));
      assert.ok(found.every(({ dataSetId }) => dataSetId === world.dataSetId));
    },
  },
  {
    name: 'a node cannot delete a message of the log',
    body: async (world) => {
      const { stream } = await created(world);
      await stream.publish({ headers: new Map(), body: Buffer.from('x') }, 0);
      const name = logStream(dataSetOf(world));
      for (const user of ['node', 'init'] as const) {
        const link = new NatsLink(world.servers.access(user), systemClock, 'check');
        world.endings.teardown(() => link.close());
        await assert.rejects(
          link.ask(({ api }) => api.streams.deleteMessage(name, 1)),
          StreamUnreachable,
        );
      }
      assert.ok(await stream.read(1));
    },
  },
  {
    name: 'a command makes a data set, finds it, opens it and removes it',
    body: async (world) => {
      const access = accessOf(world);
      const dataSet = { ...dataSetOf(world), generation: 200 };
      await assert.rejects(access.open(dataSet, 'ab'.repeat(32)), StreamUnreachable);
      await access.create(dataSet, 1);
      assert.deepEqual((await access.streams())[0], dataSet);
      const { stream, members, snapshots, faults } = await access.open(dataSet, 'ab'.repeat(32));
      assert.deepEqual(await faults(), []);
      assert.equal((await stream.state()).last, 0);
      assert.deepEqual([await members.list(), await snapshots.list()], [[], []]);
      await access.remove(dataSet);
      assert.equal((await faults()).length, 3);
    },
  },
  {
    name: 'each server that cannot hold a log safely has a sentence',
    body: async (world) => {
      const [server] = world.servers.all;
      assert.ok(server);
      const own = `127.0.0.1:${server.port}`;
      assert.deepEqual(await accessOf(world, {}, [portOf(server)]).serverFaults(), []);
      // Nothing listens on port 1.
      const [fault, ...others] = await accessOf(world, {
        servers: [own, '127.0.0.1:1'],
      }).serverFaults();
      assert.match(fault ?? '', /^NATS server 127\.0\.0\.1:1: no connection to NATS: .*refused/);
      assert.equal(others.length, 0);
      const large = accessOf(world, { payloadBytesMin: 10_000_000 });
      assert.deepEqual(await large.serverFaults(), [
        `NATS server ${own}: max_payload is 8388608, and has to be at least 10000000.`,
      ]);
      const nobody = accessOf(world, { servers: ['127.0.0.1:1'] });
      await assert.rejects(nobody.serverFaults(), StreamUnreachable);
    },
  },
  {
    name: 'a server that syncs later is told apart from one that syncs always',
    body: async (world) => {
      const { servers, endings } = world;
      await created(world);
      const faultsAt = async (server: NatsServer | undefined) => {
        assert.ok(server);
        const access = accessOf(world, {}, [portOf(server)]);
        const { faults } = await access.open(dataSetOf(world), 'ab'.repeat(32));
        // `init` refuses what `status` names.
        assert.deepEqual(await access.serverFaults(), await faults());
        return await faults();
      };
      assert.deepEqual(await faultsAt(servers.all[0]), []);
      const wanted = { count: 1, syncInterval: '"2m"' } as const;
      const [late] = (await startServers(endings, wanted)).all;
      const [sentence, ...others] = await faultsAt(late);
      assert.match(sentence ?? '', /lacks sync_interval: always/);
      assert.deepEqual(others, []);
      await late?.stop();
      const [unseen] = await faultsAt(late);
      assert.match(unseen ?? '', /^The monitoring port .* does not show .*ECONNREFUSED/);
    },
  },
];

function portOf({ monitoring }: NatsServer): HostPort {
  const { hostname, port } = new URL(monitoring);
  return { host: hostname, port: Number(port) };
}

function accessOf(
  world: World,
  parts: Partial<NatsAccess> = {},
  monitoring: readonly HostPort[] = [],
  replicas: number = world.count,
) {
  const opened = new NatsClusterAccess(
    { ...world.servers.access('init'), ...parts },
    {
      clock: systemClock,
      random: systemRandom,
      disk: nodeDisk,
      fetch: createFetch({ clock: systemClock }),
      monitoring,
      replicas,
    },
  );
  world.endings.teardown(() => opened.close());
  return opened;
}

function initLink(world: World): NatsLink {
  const link = new NatsLink(world.servers.access('init'), systemClock, 'check');
  world.endings.teardown(() => link.close());
  return link;
}
