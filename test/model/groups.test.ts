// Leaders and candidates on a stream that fails in every way, by seed. What was confirmed is in the
// stream in order, once, with the chain intact, unless the stream itself has lost it, and nothing
// of a writer that was fenced is confirmed. A writer never goes on behind a number that the stream
// has skipped, nor in the stream of another generation.

import t from 'tap';
import { modelSeeds } from '../campaigns.ts';
import { GroupsRun, type Seen } from './groups-run.ts';

const seeds = modelSeeds({ usual: 200, nightly: 10_000 });
const timeoutMs = Math.max(120_000, seeds.length * 200);
t.setTimeout(timeoutMs);

t.test(`${seeds.length} seeds from ${seeds[0]}`, async (t) => {
  t.setTimeout(timeoutMs);
  const seen: Seen = {
    begun: 0,
    fenced: 0,
    resumed: 0,
    passedOver: 0,
    failed: 0,
    confirmed: 0,
    gaps: 0,
    gapsTold: 0,
    generations: 0,
  };
  for (const seed of seeds) {
    const run = new GroupsRun(seed, seen);
    try {
      await run.live();
    } catch (error) {
      t.fail(`replay: EDGE_SEED=${seed} npm test test/model/groups.test.ts`, { found: error });
    }
  }
  t.comment(JSON.stringify(seen));
  if (seeds.length < 100) return;
  for (const [what, count] of Object.entries(seen)) t.ok(count > 20, `${what}: ${count}`);
});
