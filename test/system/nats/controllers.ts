// Checks of whole controllers as nodes of a cluster: processes, homes, fronts and takeovers.

import { strict as assert } from 'node:assert';
import { type Api, management } from '../client.ts';
import { linesWith } from '../process.ts';
import { aWhile, type Check, open, type World } from './check.ts';
import { Cluster } from './cluster.ts';
import { startServers, until } from './server.ts';

/** Creates identities through a node. @returns their names */
async function create(api: Api, prefix: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  for (const name of names) {
    await api.create('identities', { name, type: 'Default', isAdmin: false });
  }
  return names;
}

/** Creates one, again and again until it is answered 201, as a client does that retries. */
async function createAtLast(api: Api, name: string): Promise<void> {
  await until(`${name} is created`, async () => {
    const body = { name, type: 'Default', isAdmin: false };
    const answer = await api
      .call('POST', `${management}/identities`, body)
      .catch(() => ({ status: 0 }));
    // An earlier attempt may have been done although its answer was lost.
    return answer.status === 201 || answer.status === 400;
  });
}

async function namesAt(api: Api): Promise<string[]> {
  const rows = await api.all('identities');
  return rows.map(({ name }) => String(name));
}

/**
 * Asserts that the leader of a term has resigned, and that the next term begins right behind: a
 * node that reads a resignation waits for nothing (test/cluster/node.test.ts).
 */
async function handedOver(world: World, cluster: Cluster, term: number): Promise<void> {
  const { dataSetId } = cluster;
  const own = { ...world, dataSetId, generation: 1 };
  const { stream } = open(own, world.servers.access('node'));
  const { first, last } = await stream.state();
  const kinds: string[] = [];
  for (let sequence = first; sequence <= last; sequence += 1) {
    const { headers } = (await stream.read(sequence)) ?? {};
    kinds.push(`${headers?.get('Edge-Kind')} ${headers?.get('Edge-Term')}`);
  }
  assert.equal(kinds[kinds.indexOf(`resign ${term}`) + 1], `term ${term + 1}`, kinds.join());
}

/** What three controllers promise together. */
export const controllerChecks: readonly Check[] = [
  {
    name: 'controllers: any node takes any client, and nothing is lost when the leader is killed',
    body: async (world) => {
      const cluster = await Cluster.open(world);
      await cluster.begin();
      await create(await cluster.admin(0), 'before', 5);
      for (const index of [1, 2]) await cluster.join(index);
      await cluster.well();
      const ports = (await cluster.advertised()).map((address) => Number(address.split(':')[1]));
      assert.deepEqual(ports.sort(), cluster.nodes.map(({ port }) => port).sort());
      const names: string[] = [];
      for (const index of [0, 1, 2]) {
        names.push(...(await create(await cluster.admin(index), `at-${index}`, 5)));
      }
      const leader = await cluster.leader();
      const others = [0, 1, 2].filter((index) => index !== leader);
      const api = await cluster.admin(others[0] ?? 0);
      const created = createAtLast(api, 'after-the-kill');
      await cluster.nodes[leader]?.process.kill();
      await created;
      // The API session and all that was acknowledged live on, and the other front has them, too.
      const found = await namesAt(api);
      for (const name of [...names, 'before-4', 'after-the-kill']) assert.ok(found.includes(name));
      assert.deepEqual((await namesAt(await cluster.admin(others[1] ?? 0))).sort(), found.sort());
      await cluster.start(leader);
      await cluster.well();
      assert.deepEqual((await namesAt(await cluster.admin(leader))).sort(), found.sort());
    },
  },
  {
    name: 'controllers: a leader steps down when it is told to, and starts again as a follower',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const other = (leader + 1) % 3;
      const refused = await cluster.run(other, ['step-down'], 'node');
      assert.match(refused.stderr, /This node does not lead/);
      const names = await create(await cluster.admin(leader), 'before', 5);
      const { term } = await cluster.health(leader);
      await cluster.stepDown(leader);
      const api = await cluster.admin(other);
      names.push(...(await create(api, 'after', 1)));
      const found = await namesAt(api);
      for (const name of names) assert.ok(found.includes(name), name);
      await handedOver(world, cluster, term);
      await cluster.start(leader);
      await cluster.well();
      assert.notEqual(await cluster.leader(), leader);
    },
  },
  {
    name: 'controllers: a node says at its start that a NATS server may not sync each message',
    body: async (world) => {
      const wanted = { count: 1, isTls: true, syncInterval: '"2m"' } as const;
      const servers = await startServers(world.endings, wanted);
      const cluster = await Cluster.open({ ...world, servers });
      await cluster.begin();
      await cluster.well(1);
      await cluster.process(0).stop();
      const { host } = new URL(servers.all[0]?.monitoring ?? '');
      // Nothing listens on port 1.
      cluster.settings[0] = { cluster: { monitoring: [host, '127.0.0.1:1'] } };
      await cluster.start(0);
      const said = () =>
        linesWith(
          cluster.process(0),
          'a NATS server may not sync each message before it confirms it',
        ).map((line) => String(line['problem']));
      await until('its log names both servers', () => said().length === 2);
      assert.match(said()[0] ?? '', new RegExp(`port ${host} lacks sync_interval: always`));
      assert.match(said()[1] ?? '', /^The monitoring port 127\.0\.0\.1:1 .* does not show /);
      await until('status names them', async () => {
        const { code, problems } = await cluster.status(0);
        return code === 1 && said().every((problem) => problems.includes(problem));
      });
    },
  },
  {
    name: 'controllers: confirmed reads and refusals wait for NATS, whatever the clocks say',
    body: async (world) => {
      const configuration = { cluster: { reads: 'confirmed' } };
      const cluster = await Cluster.open({ ...world, configuration });
      await cluster.begin();
      const api = await cluster.admin(0);
      await create(api, 'before', 3);
      const [server] = world.servers.all;
      assert.ok(server);
      const read = () => api.call('GET', `${management}/identities?limit=500`);
      const refused = () => api.call('GET', `${management}/identities/nothing`);
      assert.equal((await read()).status, 200);
      server.suspend();
      const answered: number[] = [];
      const asked = [read(), refused()].map(async (answer) => {
        answered.push((await answer).status);
      });
      try {
        await aWhile();
        assert.deepEqual(answered, [], 'the lease lasts, and nothing is answered');
      } finally {
        server.resume();
      }
      await Promise.all(asked);
      assert.deepEqual(answered.sort(), [200, 404]);
      assert.ok((await namesAt(api)).includes('before-2'));
    },
  },
  {
    name: 'controllers: a leader that is stopped hands over, and starts again as a follower',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const others = [0, 1, 2].filter((index) => index !== leader);
      const api = await cluster.admin(others[0] ?? 0);
      const names = await create(api, 'before', 5);
      const { term } = await cluster.health(leader);
      const created = createAtLast(api, 'while-it-stops');
      const { code, stderr } = await cluster.process(leader).stop();
      assert.equal(code, 0, stderr);
      await created;
      await cluster.awaitLead(others);
      await handedOver(world, cluster, term);
      await cluster.start(leader);
      await cluster.well();
      assert.equal((await cluster.health(leader)).role, 'following');
      const found = await namesAt(await cluster.admin(leader));
      for (const name of [...names, 'while-it-stops']) assert.ok(found.includes(name), name);
    },
  },
];
