// The posture model on two nodes: the one that follows is at any time what a recovery would be, and
// after each takeover the model goes on with it.

import t from 'tap';
import type { Core } from '../../src/assembly/core.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { identityKind } from '../../src/records/identity.ts';
import { serviceKind } from '../../src/records/service.ts';
import { isNightly, modelSeeds } from '../campaigns.ts';
import { run as checkData, linesOf } from '../integrity/scene.ts';
import { bootStandbyNetwork, type StandbyNetwork } from '../simulated/standby-network.ts';
import { begin, compare, weighSteps } from './posture-model.ts';
import type { Run } from './posture-run.ts';

const seeds = modelSeeds({ usual: 2, nightly: 8 });
/** Steps of a seed, with a takeover among them. */
const stepsCount = Number(process.env['EDGE_STEPS'] ?? (isNightly ? 400 : 180));
/** Steps between two looks at the node that follows. */
const stepsALook = 20;
/** Far more than a step takes. */
const stepMsMax = 800;

t.setTimeout(stepMsMax * stepsCount * seeds.length);

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    let network: StandbyNetwork | undefined;
    const run = await begin(seed, async (options) => {
      // The model ends sessions as a controller does that stands alone.
      network = await bootStandbyNetwork({ ...options, bounds: { unheardMs: 0 } });
      return network;
    });
    if (network === undefined) throw new Error('no network');
    const drawStep = weighSteps(run.draw);
    let step = 0;
    for (; step < stepsCount && run.differences.length === 0; step++) {
      await run.advance(1 + run.draw.below(40));
      await drawStep()(run);
      if (run.differences.length === 0) await compare(run, step);
      if (step % stepsALook === 0) await compareNodes(run, network);
      if (step % 150 === 149) await takeOver(run, network);
    }
    if (run.differences.length > 0) run.differences.push(`step ${step}, after:`, ...run.trace);
    t.same(run.differences, [], `replay: EDGE_SEED=${seed} npm test test/model/takeover.test.ts`);
    t.same(network.ends, [], 'no process had to end');
    await network.crash();
    t.same(linesOf(await checkData(network, false)), [], 'all that is derived fits the records');
    await network.stop();
  });
}

/** A takeover in a moment like any other, without time that goes by. */
async function takeOver(run: Run, network: StandbyNetwork): Promise<void> {
  run.note('takeover');
  await network.crash();
  run.world.passTime(network.clock.now());
  run.world.restarted();
  await compare(run, 0);
}

/** The node that follows against one that has recovered the same frames. */
async function compareNodes(run: Run, network: StandbyNetwork): Promise<void> {
  const { standby } = network;
  await network.recovered((recovered) => {
    for (const [what, show] of Object.entries(shown)) {
      run.same(`${what} of the node that follows`, show(standby), show(recovered));
    }
  });
}

/** What a node has in memory, in an order that does not depend on slots. */
const shown: Readonly<Record<string, (core: Core) => unknown>> = {
  position: ({ journal }) => [journal.lastLsn, journal.durableLsn, journal.lastTimeMs],
  records: ({ env }) => [...env.store.records()].map((one) => JSON.stringify(one)).sort(),
  access: ({ env }) => {
    const services = [...env.store.table(serviceKind).all()];
    return [...env.store.table(identityKind).all()]
      .flatMap(({ id, slot }) =>
        services.map((service) => {
          const rights = [
            env.access.mayDial(slot, service.slot),
            env.access.mayBind(slot, service.slot),
            env.access.routers.hasUsable(slot, service.slot),
          ];
          return `${id} ${service.id} ${rights}`;
        }),
      )
      .sort();
  },
  deadlines: ({ deadlines }) =>
    [...deadlines.waiting()]
      .map(({ kind, id }) => `${kind} ${id} ${deadlines.at(kind, id)}`)
      .sort(),
  activity: ({ env }) =>
    [...env.store.table(apiSessionKind).all()]
      .map(({ id, slot }) => `${id} ${env.activity.lastActivityAt(slot)}`)
      .sort(),
  states: ({ env }) => [...env.inspection.counted()].map((one) => JSON.stringify(one)).sort(),
  volatile: ({ env }) => [...env.store.tables()].filter((one) => one.isVolatile && one.size > 0),
};
