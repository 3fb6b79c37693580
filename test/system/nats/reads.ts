// Checks of reads at nodes that follow: who answers them, and that what was taken away is gone.

import { strict as assert } from 'node:assert';
import { type Api, client, connect, logIn, management } from '../client.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';

const me = `${client}/current-api-session`;

/** Reads of each kind at each node. */
const readsEach = 50;

/** Times that something is taken away while a client at another node reads. */
const removals = 20;

/** What followers answer. */
export const readChecks: readonly Check[] = [
  {
    name: 'reads: each node answers its own clients, who see what was changed before',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const atLeader = await cluster.admin(leader);
      for (const follower of [0, 1, 2].filter((index) => index !== leader)) {
        const api = await cluster.admin(follower);
        const before = await cluster.answered(leader);
        for (let n = 0; n < readsEach; n += 1) {
          const name = `service-${follower}-${n}`;
          const id = await atLeader.create('services', { name, encryptionRequired: true });
          const { status, data } = await api.call('GET', `${management}/services/${id}`);
          assert.deepEqual([status, data['name']], [200, name]);
          assert.equal((await api.call('GET', me)).status, 200);
        }
        const [after, own] = [await cluster.answered(leader), await cluster.answered(follower)];
        for (const operation of ['detailService', 'getCurrentAPISession']) {
          assert.equal(own.get(operation), readsEach, operation);
          assert.equal(after.get(operation), before.get(operation), 'the leader answered none');
        }
      }
    },
  },
  {
    name: 'reads: no node answers a session that has ended, or shows what was deleted',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const atLeader = await cluster.admin(leader);
      const follower = (leader + 1) % 3;
      const node = cluster.nodes[follower];
      assert.ok(node);
      for (let n = 0; n < removals; n += 1) {
        const api = await logIn(connect(world.endings, node));
        const id = await atLeader.create('configs', await aConfig(atLeader, `config-${n}`));
        const config = `${management}/configs/${id}`;
        const polls = [polled(api, config, 404), polled(api, me, 401)] as const;
        for (const poll of polls) await poll.begun;
        await atLeader.ask('DELETE', config);
        assert.equal((await api.call('GET', config)).status, 404);
        await atLeader.ask('DELETE', `${management}/api-sessions/${api.sessionId}`);
        assert.equal((await api.call('GET', me)).status, 401);
        await polls[1].ended;
        await polls[0].ended;
      }
    },
  },
];

async function aConfig(api: Api, name: string) {
  const [type] = await api.all('config-types', 'name = "host.v1"');
  const data = { address: 'localhost', port: 1, protocol: 'tcp' };
  return { name, configTypeId: type?.['id'], data };
}

/** Reads until the answer is `status`, or 401, and never 200 afterwards. */
function polled(api: Api, path: string, status: number) {
  let tellBegun = () => {};
  const begun = new Promise<void>((resolve) => {
    tellBegun = resolve;
  });
  const ended = (async () => {
    await until(`${path} is gone`, async () => {
      const answer = await api.call('GET', path);
      tellBegun();
      return answer.status === status || answer.status === 401;
    });
    for (let n = 0; n < 5; n += 1) assert.notEqual((await api.call('GET', path)).status, 200);
  })();
  return { begun, ended };
}
