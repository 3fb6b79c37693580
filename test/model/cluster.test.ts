// Random faults on three nodes and their stream: nothing confirmed is lost, nothing stale is
// answered, and in the end one leads.

import t from 'tap';
import { modelSeeds } from '../campaigns.ts';
import { runCluster } from './cluster-run.ts';

const seeds = modelSeeds({ usual: 200, nightly: 10_000 });

t.test(`${seeds.length} clusters`, async (t) => {
  const counts = new Map<string, number>();
  for (const seed of seeds) {
    const { failure, events } = await runCluster(seed);
    if (failure !== undefined) {
      t.fail(`${failure}; replay with EDGE_SEED=${seed} npm test test/model/cluster`);
      return;
    }
    for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  }
  t.pass(JSON.stringify(Object.fromEntries(counts)));
});
