// Migrates networks of the stock program to homes of ours: `ROUTER_BIN=/path/to/ziti node
// test/system/migrate/run.ts`. Exit code 75: no `ROUTER_BIN`, no Go to build the SDK's program
// with, or no `nats-server`. Words select parts: `seeds`, `trip` (the round trip of the last of
// these), and `live`. `--seed TEXT` makes other networks, `--shapes N` so many of each sort.

import { parseArgs } from 'node:util';
import { type Endings, Lacking, runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { Steps } from '../overlay/steps.ts';
import { migrateLive } from './live.ts';
import { stockProgram } from './peer-network.ts';
import { liveShapes, peerShapes } from './peer-shape.ts';
import { makeRoundTrip } from './round-trip.ts';
import { type SeedMigration, SeedMigrations } from './seed-migration.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    shapes: { type: 'string', default: `${peerShapes.length}` },
  },
});
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part);

await runStep(async (endings) => {
  stockProgram();
  const steps = new Steps();
  // What this machine lacks for one part must not hide what another part has found.
  let lacking: Lacking | undefined;
  for (const part of [randomNetworks, trafficNetworks]) {
    try {
      await part(endings, steps);
    } catch (thrown) {
      if (!(thrown instanceof Lacking)) throw thrown;
      lacking = thrown;
    }
  }
  if (steps.isWhole && lacking !== undefined) throw lacking;
  return steps.isWhole;
});

async function randomNetworks(endings: Endings, steps: Steps): Promise<void> {
  if (!isWanted('seeds') && !isWanted('trip')) return;
  const migrations = new SeedMigrations(endings, steps);
  const shapes = peerShapes.slice(0, Number(values.shapes));
  for (const [at, shape] of shapes.entries()) {
    const done = await migrations.run(`${values.seed}/${at}`, shape);
    if (done !== undefined && at === shapes.length - 1 && isWanted('trip')) {
      await makeRoundTrip(endings, steps, done);
    }
    if (done !== undefined) await goBack(steps, done);
  }
  if (shapes.length === peerShapes.length) await migrations.end();
}

/** Nothing of the source was changed, so the former controller can take over again. */
async function goBack(steps: Steps, { home, network, identities }: SeedMigration): Promise<void> {
  await home.end('SIGKILL');
  await steps.step('the former controller comes back', async () => {
    await network.start();
    const { length } = await (await network.logIn()).all('identities');
    await network.stop();
    if (length !== identities) throw new Error(`it has ${length} identities, not ${identities}`);
  });
}

async function trafficNetworks(endings: Endings, steps: Steps): Promise<void> {
  if (!isWanted('live')) return;
  const trafficProgram = buildGo('./traffic');
  for (const shape of liveShapes.slice(0, Number(values.shapes))) {
    await migrateLive(endings, steps, shape, trafficProgram);
  }
}
