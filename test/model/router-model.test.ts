// Routers that subscribe to the model of the network know what the records say, after any changes,
// restarts, takeovers and lost messages (behaviour/control-channel#router-data-model).

import t, { type Test } from 'tap';
import { campaignSeed, isNightly } from '../campaigns.ts';
import { Network, type NetworkOptions } from '../simulated/network.ts';
import { SimulatedRandom } from '../simulated/random.ts';
import { StandbyNetwork } from '../simulated/standby-network.ts';
import { Draw } from './posture-values.ts';
import { ModelTraffic, RouterModelRun } from './router-model-run.ts';

/** Random changes in all, half of them on one controller and half on nodes of a cluster. */
const changes = Number(process.env['MODEL_CHANGES'] ?? (isNightly ? 10_000 : 600));
/** Changes between two comparisons. */
const changesALook = 20;
/** Far more than a change takes. */
const changeMsMax = 400;

const seed = campaignSeed('PROPERTY_SEED');

t.setTimeout(changeMsMax * changes + 60_000);

t.test('one controller', async (t) => {
  await live(t, (options) => new Network(options));
});

t.test('nodes of a cluster', async (t) => {
  await live(t, (options) => new StandbyNetwork(options));
});

async function live(t: Test, create: (options: NetworkOptions) => Network): Promise<void> {
  const traffic = new ModelTraffic();
  const network = create({ traffic: traffic.parts, freeze: false });
  await network.open();
  await network.logInAdmin();
  const random = new SimulatedRandom(seed);
  const draw = new Draw((below) => random.bytes(4).readUInt32LE() % below);
  const run = new RouterModelRun(network, traffic, draw);
  await run.begin();
  for (let change = 1; change <= changes / 2; change++) {
    await run.change();
    if (draw.below(4) === 0) run.disturb();
    for (const actor of run.actors) {
      if (draw.below(3) === 0) run.connect(actor);
      if (draw.below(3) === 0) run.deliver(actor);
    }
    if (draw.below(60) === 0) await renew(run, network);
    if (change % changesALook !== 0) continue;
    const differences = await run.compare();
    if (differences.length === 0) continue;
    t.same(differences, [], `seed ${seed}, change ${change}, after:\n${run.trace.join('\n')}`);
    break;
  }
  t.same(network.ends, [], 'no process had to end');
  await network.stop();
}

/** Another process goes on. */
async function renew(run: RouterModelRun, network: Network): Promise<void> {
  const way = run.draw.pick(['restart', 'kill', 'crash'] as const);
  run.note(`the controller: ${way}`);
  run.lostController();
  await network[way]();
  await network.logInAdmin();
}
