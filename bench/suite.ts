// The order of a bench run: the micro-benches, the limits, each home with its scenarios, then the
// scenes with homes of their own.

import { readCampaign } from './cluster/campaign.ts';
import { noFindings, type Progress } from './findings.ts';
import { outDirectory, rivalArgon2 } from './home.ts';
import { LoadGenerator } from './load/generator-process.ts';
import { type HomeRun, measureOnHome } from './local-homes.ts';
import { describeMachine } from './machine.ts';
import { type BenchOptions, isWanted } from './options.ts';
import { measureRemote } from './remote.ts';
import { type BenchResults, schemaVersion } from './results.ts';
import { buildRevision, type Revision } from './revision.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

import { measurePieces, measureScenes, stormSizeOf } from './scenes.ts';

/** Runs everything that the options request. */
export async function runSuite(options: BenchOptions, progress: Progress): Promise<BenchResults> {
  const startedAt = new Date();
  const found = noFindings();
  // Read first: an hour of measuring must not end with a file that cannot be read.
  if (options.campaignFile !== undefined) found.campaigns.push(readCampaign(options.campaignFile));
  const generator = new LoadGenerator();
  let other: Revision | undefined;
  try {
    if (options.against !== undefined) other = buildRevision(options.against, progress);
    await runAll({ options, generator, found, progress, other });
  } finally {
    generator.stop();
    other?.remove();
  }
  const { sizes, connections, measureMs, warmUpMs, shares, rate } = options;
  const { turns, profiled, smoke, only } = options;
  return {
    schemaVersion,
    startedAt: startedAt.toISOString(),
    tookMs: Date.now() - startedAt.getTime(),
    url: options.remote?.url,
    against: other?.name,
    machine: describeMachine(outDirectory),
    settings: {
      sizes,
      connections,
      measureMs,
      warmUpMs,
      shares,
      rate,
      turns,
      only,
      profiled,
      smoke,
      ...(options.remote === undefined ? ownSettings : {}),
    },
    ...found,
  };
}

/** Options of our own controllers. */
const ownSettings = { argon2: rivalArgon2, durability: 'disk', serverKeys: 'EC P-256' } as const;

async function runAll(run: HomeRun): Promise<void> {
  const { options } = run;
  const { remote, smoke } = options;
  if (remote !== undefined) {
    const wanted = scenarios.filter((scenario) => isScenarioWanted(options, scenario));
    const storm = isWanted(options, 'storm') ? stormSizeOf(smoke) : undefined;
    await measureRemote(run, remote, wanted, storm);
    return;
  }
  if (!options.without.includes('micro')) await measurePieces(run);
  await measureHomes(run);
  await measureScenes(run);
}

async function measureHomes(run: HomeRun): Promise<void> {
  // The limits are measured on the first home, because they need its keys.
  // A published page has them in any case, because its goals refer to them.
  let limitsDue = run.options.publish || isWanted(run.options, 'limits');
  const plan = planOf(run.options);
  const [size] = run.options.sizes;
  if (limitsDue && plan.size === 0 && size !== undefined) plan.set(size, []);
  for (const [identities, wanted] of [...plan].sort(([a], [b]) => a - b)) {
    await measureOnHome(run, identities, wanted, limitsDue);
    limitsDue = false;
  }
}

/** The sizes, with the scenarios of each. */
function planOf(options: BenchOptions): Map<number, Scenario[]> {
  const plan = new Map<number, Scenario[]>();
  for (const scenario of scenarios) {
    if (!isScenarioWanted(options, scenario)) continue;
    const isPlain = options.smoke || options.profiled || options.against !== undefined;
    const extra = isPlain ? [] : (scenario.sizes ?? []);
    for (const size of new Set([...options.sizes, ...extra])) {
      plan.set(size, [...(plan.get(size) ?? []), scenario]);
    }
  }
  return plan;
}

function isScenarioWanted(options: BenchOptions, { name, smoke }: Scenario): boolean {
  return isWanted(options, name) && (smoke || !options.smoke);
}
