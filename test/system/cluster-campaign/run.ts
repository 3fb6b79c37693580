// A campaign against a cluster of three controllers over three NATS servers:
// `node test/system/cluster-campaign/run.ts [--rounds N] [--seed S] [--fault WORDS]`. In each round
// clients at all fronts work while one thing happens, which the seed chooses. Exit code 1: what was
// acknowledged is lost or was done twice, or a history is not linearizable. Exit code 75: there is
// no nats-server, or no Go and its modules to check histories with. `--long-session 10` uses an API
// session for ten times its idle time-out while leaders are killed.

import { parseArgs } from 'node:util';
import { type Endings, Lacking, runStep, temporaryDirectory } from '../endings.ts';
import { ClusterCampaign } from './campaign.ts';
import { type FaultName, faultNames } from './faults.ts';
import { Checker } from './linearizability/checker.ts';
import { outliveTimeouts } from './long-session.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string' },
    'long-session': { type: 'string' },
  },
});
const { rounds, seed, 'long-session': ratio } = values;
const fault = faultNamed(values.fault);
if (!(Number(rounds) >= 1)) throw new Error('--rounds is a number of at least 1');

await runStep((endings) =>
  ratio === undefined ? campaign(endings) : outliveTimeouts(endings, Number(ratio)),
);

async function campaign(endings: Endings): Promise<boolean> {
  const { checker, lacking } = checkerOf(temporaryDirectory(endings, 'edge-campaign-samples-'));
  const wanted = { rounds: Number(rounds), seed };
  const begun = await ClusterCampaign.open(endings, {
    ...wanted,
    ...(fault === undefined ? {} : { fault }),
    ...(checker === undefined ? {} : { checker }),
  });
  try {
    await begun.run();
  } catch (thrown) {
    console.log(thrown);
    console.log(`homes, histories and logs: ${begun.keep()}`);
    const only = fault === undefined ? '' : ` --fault '${fault}'`;
    const words = `--rounds ${rounds} --seed ${seed}${only}`;
    console.log(`the same again: node test/system/cluster-campaign/run.ts ${words}`);
    return false;
  }
  console.log(begun.summary);
  if (lacking !== undefined) throw lacking;
  return true;
}

function faultNamed(name: string | undefined): FaultName | undefined {
  if (name === undefined) return undefined;
  const found = faultNames.find((each) => each.includes(name));
  if (found === undefined) throw new Error(`--fault is a part of one of: ${faultNames.join(', ')}`);
  return found;
}

/** Without Go the rounds are worth their time, but the step does not count as passed. */
function checkerOf(directory: string): { readonly checker?: Checker; readonly lacking?: Lacking } {
  try {
    return { checker: Checker.open(directory) };
  } catch (thrown) {
    if (!(thrown instanceof Lacking)) throw thrown;
    return { lacking: new Lacking(`histories were not checked: ${thrown.message}`) };
  }
}
