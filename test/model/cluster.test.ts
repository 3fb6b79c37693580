// Random faults on three nodes and their stream: nothing confirmed is lost, nothing stale is
// answered, and in the end one leads, in a new generation if the stream is broken.

import t from 'tap';
import { modelSeeds } from '../campaigns.ts';
import { runCluster } from './cluster-run.ts';

const seeds = modelSeeds({ usual: 40, nightly: 10_000 });
const timeoutMs = Math.max(240_000, seeds.length * 400);
t.setTimeout(timeoutMs);

t.test(`${seeds.length} seeds from ${seeds[0]}`, async (t) => {
  t.setTimeout(timeoutMs);
  const counts = new Map<string, number>();
  let reads = 0;
  const longest = { answered: 0, unanswered: 0 };
  for (const seed of seeds) {
    const { confirmedReads, failure, events, stale } = await runCluster(seed);
    reads += confirmedReads;
    longest.answered = Math.max(longest.answered, stale.answered);
    longest.unanswered = Math.max(longest.unanswered, stale.unanswered);
    if (failure !== undefined) {
      t.fail(`${failure}; replay: EDGE_SEED=${seed} npm test test/model/cluster.test.ts`);
    }
    for (const event of events) {
      const [fault = ''] = event.split(' ');
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
  }
  t.comment(JSON.stringify(Object.fromEntries(counts)), `${reads} confirmed reads`);
  t.ok(reads > 10 * seeds.length, `${reads} reads were confirmed`);
  t.comment('the longest stale answers, in ms:', JSON.stringify(longest));
  if (seeds.length < 80) return;
  // As often as in every thirteenth life, and no more than that.
  const least = Math.min(10, seeds.length / 13);
  for (const [kind, ms] of Object.entries(longest)) t.ok(ms > 500, `stale for ${ms} ms: ${kind}`);
  for (const [fault, count] of counts) t.ok(count > least, `${fault}: ${count}`);
});
