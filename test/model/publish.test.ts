// What `publish`, `unpublish`, `create` and `delete` leave behind is what a naive model says, also
// after the controller was killed; `access` says who can use what, and `unpublish` takes nothing
// that is not its own.

import { t } from 'tap';
import { campaignSeed, isNightly } from '../campaigns.ts';
import { Person } from '../commands/network/person.ts';
import { adminPassword, makeHome, type Serving, serve } from '../system/process.ts';
import { Draw } from './posture-values.ts';
import { PublishModel } from './publish-model.ts';
import { PublishRun } from './publish-run.ts';
import { randomOf } from './random-access.ts';

/** Random commands; 10,000 of them take 20 minutes. */
const changes = Number(process.env['MODEL_CHANGES'] ?? (isNightly ? 1000 : 40));
/** Commands between two comparisons. */
const changesALook = 10;
/** Commands between two kills, on average; none in the short run, as a start costs a second. */
const changesAKill = 100;
/** Far more than a command takes. */
const changeMsMax = 5000;

const seed = campaignSeed('PROPERTY_SEED');

t.setTimeout(changeMsMax * changes + 60_000);

t.test(`seed ${seed}`, async (t) => {
  const home = makeHome(t);
  let serving: Serving = await serve(t, home);
  const person = new Person(t, { EDGE_HOME: home, EDGE_ADMIN_PASSWORD: adminPassword });
  const draw = new Draw(randomOf(seed));
  const run = new PublishRun(person, new PublishModel(), draw);
  const renew = async () => {
    await serving.process.kill();
    serving = await serve(t, home);
  };
  for (let change = 1; change <= changes; change++) {
    const isKilled = changes > changesAKill && draw.below(changesAKill) === 0;
    const differences = isKilled ? await run.killedPublication(renew) : await run.change();
    if (change % changesALook === 0) differences.push(...(await run.compare()));
    if (differences.length === 0) continue;
    t.same(differences, [], `seed ${seed}, change ${change}, after:\n${run.trace.join('\n')}`);
    return;
  }
  t.same(run.untried(), [], 'every sort of command was given');
});
