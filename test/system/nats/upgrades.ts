// A rolling upgrade of whole controllers, from this build to the next one and half the way back.

import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { buildRevision } from '../../../bench/revision.ts';
import { management } from '../client.ts';
import { type Endings, Lacking } from '../endings.ts';
import { controller, type Program } from '../process.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { newField, nextBuild } from './next-build.ts';
import { until } from './server.ts';
import { Traffic } from './traffic.ts';

/** Stops a node and starts it with a build; this one when absent. */
async function replace(cluster: Cluster, index: number, program?: Program): Promise<void> {
  await cluster.nodes[index]?.process.stop();
  await cluster.start(index, { program });
  await cluster.well();
}

async function finalize(cluster: Cluster) {
  return await cluster.run(await cluster.leader(), ['finalize'], 'node');
}

/** The note in `status` on an upgrade that is not final. */
async function waits(cluster: Cluster): Promise<string> {
  const { notes } = await cluster.status(0);
  assert.equal(notes.length, 1, notes.join(' '));
  assert.match(notes[0] ?? '', / with edge-control cluster finalize\.$/);
  return notes[0] ?? '';
}

/** A node of the former release holds up the end of the upgrade. */
async function isNotFinal(cluster: Cluster, how: string): Promise<void> {
  const { code, stdout, stderr } = await finalize(cluster);
  assert.equal(code, 1, stdout);
  const formats = 'does not read what [\\d.]+-next writes \\(identity\\)';
  const advice = 'upgrade it, or remove it with edge-control cluster leave --node \\w+';
  assert.match(stderr, new RegExp(`${how} [\\d.]+, which ${formats}: ${advice}`));
}

/** A release may not be left out. */
async function isTooNew(cluster: Cluster, index: number, program: Program): Promise<void> {
  await cluster.process(index).stop();
  const refused = await cluster.refused(index, { program });
  assert.match(
    refused,
    /cannot write what all nodes of the cluster read: identity 3 \(it writes 4 and later\)/,
  );
}

/** What a rolling upgrade promises. */
export const upgradeChecks: readonly Check[] = [
  {
    name: 'upgrade: followers first, then the leader, a step back, and no step back after finalize',
    body: async (world) => {
      const next = nextBuild(world.endings);
      const cluster = await Cluster.running(world, 3);
      const traffic = new Traffic(cluster, world.endings, 2);
      const first = await cluster.leader();
      const [back = 0, other = 0] = [0, 1, 2].filter((index) => index !== first);
      await isTooNew(cluster, back, nextBuild(world.endings, true));
      for (const index of [back, other]) {
        await replace(cluster, index, next);
        assert.match(await waits(cluster), /^The nodes run ([\d.]+) and \1-next: when all run the/);
      }
      await cluster.stepDown(first);
      await cluster.start(first, { program: next });
      await cluster.well();
      assert.match(
        await waits(cluster),
        /^All nodes read newer .* \(identity 4\): end the upgrade/,
      );

      const named = { name: 'named', type: 'Default', isAdmin: false, [newField]: 'nick' };
      const create = async (index: number, body: object) =>
        await (await cluster.admin(index)).call('POST', `${management}/identities`, body);
      const early = await create(back, named);
      assert.equal(early.status, 409, JSON.stringify(early));
      assert.equal(early.error?.['code'], 'UPGRADE_NOT_FINAL');

      // The first to be upgraded goes back; it reads its own home, and what the others write.
      if ((await cluster.leader()) === back) await cluster.stepDown(back);
      await replace(cluster, back);
      await isNotFinal(cluster, 'runs');
      await cluster.process(back).stop();
      await until('the node is away', async () => (await cluster.status(other)).code === 1);
      await isNotFinal(cluster, 'is away, and ran');
      await cluster.start(back, { program: next });
      await cluster.well();
      const follower = (await cluster.leader()) === back ? other : back;
      const misplaced = await cluster.run(follower, ['finalize'], 'node');
      assert.match(misplaced.stderr, /This node does not lead/);
      const done = await finalize(cluster);
      assert.equal(done.code, 0, done.stderr);
      assert.deepEqual((await cluster.status(0)).notes, []);

      await until('the new field is kept', async () => (await create(other, named)).status === 201);
      const api = await cluster.admin(back);
      const [shown] = await api.all('identities', 'name = "named"');
      assert.equal(shown?.[newField], 'nick');
      await traffic.end(api);

      const old = (await cluster.leader()) === back ? other : back;
      await cluster.nodes[old]?.process.stop();
      const late = await cluster.refused(old);
      assert.match(late, /does not read what the cluster writes: identity 4 \(it reads 3\)/);
      await cluster.start(old, { program: next });
      await cluster.well();
    },
  },
  {
    name: 'upgrade-order: new nodes follow a leader of the build whose followers answered nothing',
    body: async (world) => {
      const cluster = await Cluster.running({ ...world, program: formerBuild(world.endings) }, 3);
      const traffic = new Traffic(cluster, world.endings, 4);
      const first = await cluster.leader();
      const followers = [0, 1, 2].filter((index) => index !== first);
      const seen = async (name: string) => {
        const atLeader = await cluster.admin(first);
        const id = await atLeader.create('services', { name, encryptionRequired: true });
        for (const index of followers) {
          const api = await cluster.admin(index);
          const { status } = await api.call('GET', `${management}/services/${id}`);
          assert.equal(status, 200, `node ${index} shows ${name}`);
        }
      };
      for (const index of followers) {
        await replace(cluster, index, controller);
        for (let n = 0; n < readsEach; n += 1) await seen(`service-${index}-${n}`);
      }
      await cluster.stepDown(first);
      await cluster.start(first, { program: controller });
      await cluster.well();
      for (let n = 0; n < readsEach; n += 1) await seen(`service-${n}`);
      const done = await finalize(cluster);
      assert.equal(done.code, 0, done.stderr);
      await traffic.end(await cluster.admin(first));
    },
  },
];

const readsEach = 20;

/** The last commit before nodes that follow answered reads. */
const formerCommit = 'e33943cb';

/** That build, from the history of this repository. @throws Lacking where that is not here */
function formerBuild(endings: Endings): Program {
  try {
    const { root, remove } = buildRevision(formerCommit, console.log);
    endings.teardown(remove);
    const [node = ''] = controller;
    return [node, '--disable-warning=ExperimentalWarning', join(root, 'src/main.ts')];
  } catch (thrown) {
    throw new Lacking(`the commit ${formerCommit} was not built: ${String(thrown)}`);
  }
}
