// Whatever gives LSNs out again gives routers the whole model, and nothing else does
// (behaviour/control-channel#router-data-model).

import t, { type Test } from 'tap';
import { openSource } from '../../../snapshots/home/restore-source.ts';
import { restoreHome } from '../../../snapshots/home/restored-home.ts';
import { NaiveRouter } from '../../model/naive-router.ts';
import { Draw } from '../../model/posture-values.ts';
import { ModelTraffic, RouterModelRun } from '../../model/router-model-run.ts';
import { Network, type NetworkOptions } from '../../simulated/network.ts';
import { SimulatedRandom } from '../../simulated/random.ts';
import { StandbyNetwork } from '../../simulated/standby-network.ts';

async function begin<N extends Network>(create: (options: NetworkOptions) => N) {
  const traffic = new ModelTraffic();
  const network = create({ traffic: traffic.parts });
  await network.open();
  await network.logInAdmin();
  const random = new SimulatedRandom(1);
  const draw = new Draw((below) => random.bytes(4).readUInt32LE() % below);
  const run = new RouterModelRun(network, traffic, draw);
  await run.begin();
  return { run, network };
}

/** All routers connect again. @returns how many full states they got */
async function comeBack(t: Test, run: RouterModelRun): Promise<number> {
  const before = run.fulls;
  await run.network.logInAdmin();
  t.same(await run.compare(), []);
  return run.fulls - before;
}

const one = (options: NetworkOptions) => new Network(options);

t.test('a restart, a kill and a loss of power change nothing', async (t) => {
  const { run, network } = await begin(one);
  t.equal(await comeBack(t, run), run.actors.length);
  for (const way of ['restart', 'kill', 'crash'] as const) {
    run.lostController();
    await network[way]();
    t.equal(await comeBack(t, run), 0, way);
  }
  // What was changed while no router was connected is in the log of the home.
  run.lostController();
  await network.create('config-types', { name: 'meanwhile', schema: {} });
  await network.kill();
  t.equal(await comeBack(t, run), 0, 'routers get what they have missed');
  await network.stop();
});

t.test('a cut log gives LSNs out again', async (t) => {
  const { run, network } = await begin(one);
  await comeBack(t, run);
  const { lastLsn } = network.core.journal;
  await network.create('config-types', { name: 'cut off', schema: {} });
  await run.settle();
  run.lostController();
  const { config } = network;
  network.config = { ...config, recoverTo: lastLsn };
  await network.restart();
  network.config = config;
  t.equal(await comeBack(t, run), run.actors.length);
  run.lostController();
  await network.restart();
  t.equal(await comeBack(t, run), 0, 'the next start goes on');
  await network.stop();
});

t.test('a restored home is another data set', async (t) => {
  const { run, network } = await begin(one);
  await comeBack(t, run);
  run.lostController();
  await network.stop();
  const { disk } = network;
  const snapshot = disk.list('/home/snapshots').findLast((name) => name.endsWith('.snap'));
  const source = openSource(disk, {
    snapshot: `/home/snapshots/${snapshot}`,
    log: '/home/log',
    target: {},
    evaluate: () => {},
  });
  restoreHome(disk, {
    target: '/home',
    aside: '/home.before',
    source,
    newDataSetId: 'abcdef0123456789'.repeat(2),
    segmentBytes: network.config.limits.segmentBytes,
    files: [],
    nowMs: network.clock.now(),
  });
  await network.open();
  t.equal(await comeBack(t, run), run.actors.length);
  await network.stop();
});

t.test('a takeover changes nothing, and a reseed gives LSNs out again', async (t) => {
  const { run, network } = await begin((options) => {
    const network = new StandbyNetwork(options);
    network.generation = 1;
    return network;
  });
  await comeBack(t, run);
  run.lostController();
  await network.crash();
  t.equal(await comeBack(t, run), 0, 'takeover');
  await network.create('config-types', { name: 'before', schema: {} });
  await run.settle();
  run.lostController();
  await network.create('config-types', { name: 'meanwhile', schema: {} });
  await network.crash();
  t.equal(await comeBack(t, run), 0, 'the node that followed knows what they have missed');
  run.lostController();
  network.generation = 2;
  await network.crash();
  await network.crash();
  t.equal(await comeBack(t, run), run.actors.length, 'reseed');
  await network.stop();
});

t.test(
  'a takeover under 100 routers gives the model only to one that does not know it',
  async (t) => {
    const { run, network } = await begin((options) => new StandbyNetwork(options));
    while (run.actors.length < 100) await run.createRouter();
    t.equal(await comeBack(t, run), run.actors.length);
    const [first] = run.actors;
    Object.assign(first ?? {}, { naive: new NaiveRouter() });
    await network.create('config-types', { name: 'before', schema: {} });
    run.lostController();
    await network.create('config-types', { name: 'meanwhile', schema: {} });
    await network.crash();
    t.equal(await comeBack(t, run), 1);
    await network.stop();
  },
);
