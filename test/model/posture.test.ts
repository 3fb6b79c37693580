// Posture, policies and membership against a naive world through random changes by HTTP, 10,000 at
// night:
// who sees what, who is granted a session, which sessions live on, whose clients are told.

import t from 'tap';
import { isNightly, modelSeeds } from '../campaigns.ts';
import { bootNetwork } from '../simulated/network.ts';
import { begin, compare, weighSteps } from './posture-model.ts';

/** The first two differ in what `begin` makes of them. */
const seeds = modelSeeds({ usual: 2, nightly: 8 });
/** Steps of a seed. */
const stepsCount = Number(process.env['EDGE_STEPS'] ?? (isNightly ? 1250 : 300));

/** Far more than a step takes. */
const stepMsMax = 400;

t.setTimeout(stepMsMax * stepsCount * seeds.length);

/** How often something happened, by what it was, in all runs. */
const met = new Map<string, number>();

/** What the runs must come across; a run that never does would pass for no reason. */
const wanted = [
  ...['Dial', 'Bind'].flatMap((type) => [
    `${type} session: 201`,
    `${type} session, invisible: 404 NOT_FOUND`,
    `${type} session, no right: 400 COULD_NOT_VALIDATE`,
    `${type} session, posture: 400 INVALID_POSTURE`,
  ]),
  'Dial session, no router: 400 NO_EDGE_ROUTERS_AVAILABLE',
  'ended by access',
  'ended by posture',
  'ended by time',
  'the same session: 201',
  'prove: 200',
  'prove with a wrong or used code: 401 MFA_INVALID_TOKEN',
  'remove MFA: 200',
  'verify: 200',
  'verify with a wrong code: 401 MFA_INVALID_TOKEN',
  "administrator's removal: 200",
  'respond: 200',
  'respond: 201',
  'prompted services',
  'log in while disabled: 401 INVALID_AUTH',
  'session while partial: 401 UNAUTHORIZED',
  'restart',
  'crash',
  'silence',
  'clock',
  'turned back',
];

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    const run = await begin(seed, bootNetwork);
    const drawStep = weighSteps(run.draw);
    let step = 0;
    for (; step < stepsCount && run.differences.length === 0; step++) {
      await run.advance(1 + run.draw.below(40));
      await drawStep()(run);
      if (run.differences.length === 0) await compare(run, step);
    }
    if (run.differences.length > 0) run.differences.push(`step ${step}, after:`, ...run.trace);
    t.same(run.differences, [], `replay: EDGE_SEED=${seed} npm test test/model/posture.test.ts`);
    for (const [why, times] of Object.entries(run.world.ended)) run.count(`ended by ${why}`, times);
    for (const [what, times] of run.counts) met.set(what, (met.get(what) ?? 0) + times);
    await run.network.stop();
  });
}

t.test('the runs met what they are there for', async (t) => {
  for (const what of wanted) t.comment(`${met.get(what) ?? 0} × ${what}`);
  if (seeds.length === 1 || seeds.length * stepsCount < 10_000) return;
  const missed = wanted.filter((what) => !met.has(what) || met.get(what) === 0);
  t.same(missed, []);
});
