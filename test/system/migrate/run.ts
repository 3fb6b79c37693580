// Migrates networks of the stock program to homes of ours: `ROUTER_BIN=/path/to/ziti node
// test/system/migrate/run.ts`. Exit code 75: no `ROUTER_BIN`, or, for the network with traffic, no
// Go to build the SDK's program with. Words select parts: `seeds`, `trip` (the round trip of the
// last of these), `live`. `--seed TEXT` makes other networks, `--shapes N` so many of the five.

import { parseArgs } from 'node:util';
import { runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { Steps } from '../overlay/steps.ts';
import { migrateLive } from './live.ts';
import { stockProgram } from './peer-network.ts';
import { liveShapes, peerShapes } from './peer-shape.ts';
import { makeRoundTrip } from './round-trip.ts';
import { SeedMigrations } from './seed-migration.ts';

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
  if (isWanted('seeds') || isWanted('trip')) {
    const migrations = new SeedMigrations(endings, steps);
    const shapes = peerShapes.slice(0, Number(values.shapes));
    for (const [at, shape] of shapes.entries()) {
      const done = await migrations.run(`${values.seed}/${at}`, shape);
      if (done !== undefined && at === shapes.length - 1 && isWanted('trip')) {
        await makeRoundTrip(endings, steps, done.home, done.holders);
      }
      await done?.home.end('SIGKILL');
    }
    if (shapes.length === peerShapes.length) await migrations.end();
  }
  if (isWanted('live')) {
    const trafficProgram = buildGo('./traffic');
    for (const shape of liveShapes.slice(0, Number(values.shapes)))
      await migrateLive(endings, steps, shape, trafficProgram);
  }
  return steps.isWhole;
});
