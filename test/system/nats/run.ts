// Holds the parts of a cluster that speak with NATS against real servers:
// `node test/system/nats/run.ts [WORD…]`, with words of the names of checks. Without a word, the
// checks that take minutes are left to the nightly run. Exit code 75: there is no nats-server, and
// it could not be downloaded.

import { isNightly } from '../../campaigns.ts';
import { Endings, Lacking, runStep } from '../endings.ts';
import { type Check, isChosen, type World } from './check.ts';
import { commandChecks } from './commands.ts';
import { controllerChecks } from './controllers.ts';
import { corruptionChecks } from './corruption.ts';
import { credentialsChecks, failingCredentialsChecks } from './credentials.ts';
import { documentChecks } from './document.ts';
import { eventChecks } from './events.ts';
import { exampleChecks } from './examples.ts';
import { fabricChecks } from './fabric.ts';
import { failingNatsChecks } from './failing-nats.ts';
import { failingNodeChecks } from './failing-nodes.ts';
import { failingStreamChecks } from './failing-stream.ts';
import { failureChecks } from './failures.ts';
import { followChecks } from './follow.ts';
import { followerChecks } from './followers.ts';
import { fullStoreChecks } from './full-store.ts';
import { hostileClientChecks } from './hostile-clients.ts';
import { lostDiskChecks } from './lost-disks.ts';
import { lostNodeChecks } from './lost-nodes.ts';
import { memberChecks } from './members.ts';
import { nodeConnectionChecks } from './node-connections.ts';
import { nodeChecks } from './nodes.ts';
import { readChecks } from './reads.ts';
import { replicaChecks } from './replicas.ts';
import { resourceChecks } from './resources.ts';
import { resumedLeaderChecks } from './resumed-leader.ts';
import { startServers } from './server.ts';
import { snapshotChecks } from './snapshots.ts';
import { streamChecks } from './stream.ts';
import { streamConfigurationChecks } from './stream-configuration.ts';
import { takeoverChecks } from './takeovers.ts';
import { upgradeChecks } from './upgrades.ts';

const dataSetId = '0123456789abcdef0123456789abcdef';
const words = process.argv.slice(2);

await runStep(async (endings) => {
  let failures = 0;
  let passes = 0;
  let skips = 0;
  const hold = async ({ name, body }: Check, world: Omit<World, 'endings'>): Promise<void> => {
    const own = new Endings();
    const startMs = performance.now();
    try {
      await body({ ...world, endings: own });
      passes += 1;
      console.log(`held: ${name} (${Math.round((performance.now() - startMs) / 1000)} s)`);
    } catch (thrown) {
      if (thrown instanceof Lacking) {
        skips += 1;
        console.log(`skipped: ${name}: ${thrown.message}`);
        return;
      }
      failures += 1;
      console.log(`NOT HELD: ${name}`);
      console.log(thrown);
    } finally {
      await own.run();
    }
  };
  /** @param atOnce how many may run beside each other */
  const run = async (checks: readonly Check[], count: 1 | 3, atOnce = 1): Promise<void> => {
    const chosen = checks.filter(({ name }) => isChosen(name, words));
    if (chosen.length === 0) return;
    const servers = await startServers(endings, { count, isTls: true });
    const left = chosen.entries();
    const lane = async (): Promise<void> => {
      for (const [index, check] of left) {
        await hold(check, { servers, dataSetId, generation: index + 1, count });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  };
  await run([...streamChecks, ...followChecks, ...memberChecks], 1);
  await run([...snapshotChecks, ...resourceChecks, ...commandChecks, ...credentialsChecks], 1);
  await run(nodeChecks, 1);
  await run(exampleChecks, 1);
  if (isNightly || words.length > 0) await runLong(run);
  console.log(`${passes} held, ${failures} not held, ${skips} skipped`);
  return failures === 0 && passes > 0;
});

/**
 * Runs checks that wait for time-outs and takeovers most of the time. By day,
 * `test/system/cluster-traffic/run.ts` has controllers that take over.
 */
async function runLong(
  run: (checks: readonly Check[], count: 1 | 3, atOnce?: number) => Promise<void>,
) {
  await run([...controllerChecks, ...documentChecks, ...fabricChecks], 1);
  await run(resumedLeaderChecks, 1);
  await run(eventChecks, 1);
  await run([...readChecks, ...takeoverChecks, ...upgradeChecks, ...lostNodeChecks], 1);
  await run([...followerChecks, ...nodeConnectionChecks, ...hostileClientChecks], 1);
  const onOne = [...failingNatsChecks, ...failingCredentialsChecks];
  await run([...failingNodeChecks, ...failingStreamChecks, ...lostDiskChecks, ...onOne], 1, 2);
  // Each begins with servers of its own.
  await run([...corruptionChecks, ...fullStoreChecks], 1);
  await run(streamConfigurationChecks, 1);
  await run(failureChecks, 3);
  await run(replicaChecks, 3);
}
