// Checks of reads at nodes that follow: who answers them, and that what was taken away is gone.

import { strict as assert } from 'node:assert';
import { Client as HttpClient } from 'undici';
import { Api, client, connect, createUser, logIn, management } from '../client.ts';
import type { Serving } from '../process.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';

const me = `${client}/current-api-session`;

/** Reads of each kind at each node. */
const readsEach = 50;

/** Times that something is taken away while a client at another node reads. */
const removals = 20;

/** Sessions of an identity that is deleted: 20 slices. */
const cascadeSessions = 10_000;

/** One identity may open them all, as fast as it can. */
const limits = { apiSessionsPerIdentityMax: cascadeSessions + 1, writesPerSecondMax: 0 };

/** Requests under way at a time. */
const lanes = 32;

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
  {
    name: 'reads: no node knows an identity that is disabled',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const atLeader = await cluster.admin(leader);
      const id = await createUser(atLeader, 'alice', password);
      for (let n = 0; n < removals; n += 1) {
        const node = cluster.nodes[(leader + 1 + (n % 2)) % 3];
        assert.ok(node);
        const api = await logIn(connect(world.endings, node), 'alice', password);
        const poll = polled(api, me, 401);
        await poll.begun;
        await atLeader.ask('POST', `${management}/identities/${id}/disable`, {
          durationMinutes: 0,
        });
        assert.equal((await api.call('GET', me)).status, 401);
        await poll.ended;
        await atLeader.ask('POST', `${management}/identities/${id}/enable`);
      }
    },
  },
  {
    name: 'follower-cascade: a node that follows shows nothing of what ends in slices',
    body: async (world) => {
      const cluster = await Cluster.running({ ...world, configuration: { limits } }, 3);
      const leader = await cluster.leader();
      const [follower = 0] = [0, 1, 2].filter((index) => index !== leader);
      const atLeader = await cluster.admin(leader);
      const id = await createUser(atLeader, 'alice', password);
      const opened = connect(world.endings, cluster.serving(leader), lanes);
      const tokens: string[] = [];
      await inLanes(cascadeSessions, async () => {
        tokens.push((await logIn(opened, 'alice', password)).token);
      });
      const http = connect(world.endings, cluster.serving(follower), lanes);
      const statusOf = async (number: number) =>
        (await http.call('GET', me, { token: tokens[number] })).status;
      const admin = await cluster.admin(follower);
      const gone = async () => {
        const rows = await admin.all('authenticators');
        assert.ok(rows.every(({ identityId }) => identityId !== id));
      };
      // Each connection is open before.
      await inLanes(lanes, async (number) => assert.equal(await statusOf(number), 200));
      await atLeader.ask('DELETE', `${management}/identities/${id}`);
      const [{ lsn }] = await Promise.all([
        cluster.health(leader),
        gone(),
        inLanes(cascadeSessions, async (number) =>
          assert.equal(await statusOf(cascadeSessions - 1 - number), 401),
        ),
      ]);
      const slices = (await cluster.health(leader)).lsn - lsn;
      assert.ok(slices > 0, 'the first were asked for before the last slice');
      console.log(`${slices} slices were left when the first were asked for`);
    },
  },
  {
    name: 'visible-services-follower: each node shows the services that policies give',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const leader = await cluster.leader();
      const atLeader = await cluster.admin(leader);
      await createUser(atLeader, 'alice', password);
      await atLeader.create('services', { name: 'printer', encryptionRequired: true });
      const { token, sessionId } = await logIn(
        connect(world.endings, cluster.serving(0)),
        'alice',
        password,
      );
      const users = cluster.nodes.map(
        (node) => new Api(connect(world.endings, node), token, sessionId),
      );
      const updates = new Set<string>();
      let last = '';
      const look = async (count: number) => {
        for (const user of users) {
          const { meta } = await user.call('GET', `${client}/services`);
          const { totalCount } = meta['pagination'] as { readonly totalCount: number };
          assert.equal(totalCount, count);
          const told = await user.ask('GET', `${client}/current-api-session/service-updates`);
          const changedAt = String(told['lastChangeAt']);
          assert.ok(changedAt >= last, `${changedAt} after ${last}`);
          last = changedAt;
          updates.add(changedAt);
        }
      };
      await look(0);
      for (let n = 0; n < removals; n += 1) {
        const policy = await atLeader.create('service-policies', {
          name: `dial-${n}`,
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: ['#all'],
          serviceRoles: ['#all'],
        });
        await look(1);
        await atLeader.ask('DELETE', `${management}/service-policies/${policy}`);
        await look(0);
      }
      assert.equal(updates.size, 1 + 2 * removals, 'one time for each change, on all nodes');
    },
  },
  {
    name: 'instance-id: all nodes name the same instance, and another one in the next term',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const seen = new Set<string>();
      for (let term = 0; term < 3; term += 1) {
        const told = await Promise.all(cluster.nodes.map(instanceOf));
        assert.equal(new Set(told).size, 1, told.join());
        assert.ok(told[0]);
        seen.add(told[0]);
        const leader = await cluster.leader();
        await cluster.stepDown(leader);
        await cluster.start(leader);
        await cluster.well();
      }
      assert.equal(seen.size, 3);
    },
  },
];

const password = 'alice-password';

/** Calls `each` with all numbers below `count`, so many at a time. */
async function inLanes(count: number, each: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await each(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The instance that a node names in the header of its answers. */
async function instanceOf({ url, ca }: Serving): Promise<string> {
  const http = new HttpClient(url, { connect: { ca } });
  try {
    const { headers, body } = await http.request({ method: 'GET', path: `${client}/version` });
    await body.dump();
    return String(headers['ziti-instance-id']);
  } finally {
    await http.destroy();
  }
}

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
