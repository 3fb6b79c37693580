// Holds the parts of a cluster that speak with NATS against real servers:
// `node test/system/nats/run.ts [WORD…]`, with words of the names of checks. Exit code 75: there is
// no nats-server, and it could not be downloaded.

import { Endings, runStep } from '../endings.ts';
import { type Check, isChosen } from './check.ts';
import { commandChecks } from './commands.ts';
import { controllerChecks } from './controllers.ts';
import { credentialsChecks } from './credentials.ts';
import { failingDiskChecks, failingNatsChecks } from './failing-nats.ts';
import { failingNodeChecks } from './failing-nodes.ts';
import { failingStreamChecks } from './failing-stream.ts';
import { failureChecks } from './failures.ts';
import { followChecks } from './follow.ts';
import { lostNodeChecks } from './lost-nodes.ts';
import { memberChecks } from './members.ts';
import { nodeChecks } from './nodes.ts';
import { resourceChecks } from './resources.ts';
import { resumedLeaderChecks } from './resumed-leader.ts';
import { startServers } from './server.ts';
import { snapshotChecks } from './snapshots.ts';
import { streamChecks } from './stream.ts';
import { upgradeChecks } from './upgrades.ts';

const dataSetId = '0123456789abcdef0123456789abcdef';
const words = process.argv.slice(2);

await runStep(async (endings) => {
  let failures = 0;
  let passes = 0;
  const run = async (checks: readonly Check[], count: 1 | 3): Promise<void> => {
    const chosen = checks.filter(({ name }) => isChosen(name, words));
    if (chosen.length === 0) return;
    const servers = await startServers(endings, { count, isTls: true });
    for (const [index, { name, body }] of chosen.entries()) {
      const own = new Endings();
      try {
        await body({ servers, endings: own, dataSetId, generation: index + 1, count });
        passes += 1;
        console.log(`held: ${name}`);
      } catch (thrown) {
        failures += 1;
        console.log(`NOT HELD: ${name}`);
        console.log(thrown);
      } finally {
        await own.run();
      }
    }
  };
  await run([...streamChecks, ...followChecks, ...memberChecks], 1);
  await run([...snapshotChecks, ...resourceChecks, ...commandChecks, ...credentialsChecks], 1);
  await run([...nodeChecks, ...controllerChecks, ...resumedLeaderChecks], 1);
  await run([...upgradeChecks, ...lostNodeChecks], 1);
  await run([...failingNatsChecks, ...failingNodeChecks, ...failingStreamChecks], 1);
  await run([...failureChecks, ...failingDiskChecks], 3);
  console.log(`${passes} held, ${failures} not held`);
  return failures === 0 && passes > 0;
});
