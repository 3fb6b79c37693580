// Two of three nodes are lost with their homes: the last one leads by force, and goes on alone.

import { strict as assert } from 'node:assert';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect, logIn } from '../client.ts';
import { temporaryDirectory } from '../endings.ts';
import { linesWith, runToEnd, serve } from '../process.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

/** What the last node promises. */
export const lostNodeChecks: readonly Check[] = [
  {
    name: 'lost: two of three nodes and homes, and the last one leads by force',
    body: async (world) => {
      const { endings } = world;
      const cluster = await Cluster.running(world, 3);
      const api = await cluster.admin(0);
      for (const name of ['one', 'two']) await api.create('identities', identity(name));

      const leader = await cluster.leader();
      const last = (leader + 1) % 3;
      const lost = [0, 1, 2].filter((index) => index !== last);
      const home = cluster.home(last);
      const resetAt = () =>
        runToEnd(endings, ['admin', 'reset', '--home', home], {}, 'another password');
      assert.match((await resetAt()).stderr, /This node does not lead: node \w+ does/);
      await cluster.nodes[last]?.process.stop();
      const early = await cluster.refused(last, { flags: ['--force'] });
      assert.match(early, /--force is for a node whose others are lost, but 3 of 3 nodes/);
      const ids = lost.map((index) => cluster.nodeId(index));
      for (const index of lost) {
        await cluster.nodes[index]?.process.kill();
        rmSync(cluster.home(index), { recursive: true });
      }
      await needsForce(cluster, last);
      // Until the others are known to be away.
      await until('it is forced', async () => {
        await cluster.start(last, { flags: ['--force'] });
        return true;
      });
      const alone = await cluster.admin(last);
      await alone.create('identities', identity('three'));
      assert.match(
        cluster.nodes[last]?.process.stderr ?? '',
        /may lead without hearing a majority/,
      );
      for (const id of ids) {
        const left = await cluster.run(last, ['leave', '--node', id], 'node');
        assert.equal(left.code, 0, left.stderr);
      }
      await cluster.nodes[last]?.process.stop();
      const reset = await resetAt();
      assert.equal(reset.code, 2);
      assert.match(reset.stderr, /is stopped and belongs to a cluster/);

      const backup = join(temporaryDirectory(endings, 'edge-backup-'), 'backup');
      const taken = await runToEnd(endings, ['snapshot', '--home', home, '--output', backup]);
      assert.equal(taken.code, 0, taken.stderr);
      const restored = join(temporaryDirectory(endings, 'edge-restored-'), 'home');
      const made = await runToEnd(endings, ['restore', backup, '--home', restored]);
      assert.equal(made.code, 0, made.stderr);
      const single = await serve(endings, restored, ['--ctrl-listen', 'none']);
      const there = await (await logIn(connect(endings, single))).all('identities');
      const names = new Set(there.map(({ name }) => name));
      for (const name of ['one', 'two', 'three']) assert.ok(names.has(name), name);

      // Those that have left are no nodes any more, so one of one is a majority.
      await cluster.start(last);
      await (await cluster.admin(last)).create('identities', identity('four'));
    },
  },
];

/** One of three nodes does not lead by itself, and says why. */
async function needsForce(cluster: Cluster, last: number): Promise<void> {
  await cluster.start(last);
  const why = 'only 1 of 3 nodes were heard';
  const message = 'the node of the cluster has trouble';
  await until('the log of the node says why it does not lead', () =>
    linesWith(cluster.process(last), message).some(({ trouble }) => trouble === why),
  );
  await until('its health says why', async () => {
    const { status, role, failing } = await cluster.health(last);
    assert.deepEqual([status, role], [503, 'following']);
    return failing.get('cluster') === `no node leads (${why}): see the other nodes`;
  });
  // The entry of the one that led counts until it is 10 s old.
  await until('status says that no node leads', async () => {
    const { code, problems } = await cluster.status(last);
    return code === 1 && problems.includes('No node leads: nothing is served.');
  });
  assert.ok(!cluster.hasLed(last));
  assert.equal((await cluster.process(last).stop()).code, 0);
}
