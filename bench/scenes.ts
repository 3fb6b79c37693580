// Measurements besides the scenarios: micro-benches in a separate process, and scenes with a home
// of their own.

import { forkBench } from './child.ts';
import { measureCli } from './cli.ts';
import {
  measureClusterTakeovers,
  measureCreatesOfCluster,
  measureLoginsOfCluster,
  measureReadsOfCluster,
  measureSingleNodes,
} from './cluster.ts';
import { compareFigure } from './compare.ts';
import { measureEndings } from './endings.ts';
import {
  measureFabricEvents,
  measureFabricModel,
  measureFabricPages,
  measureFabricReturns,
  measureFabricUsage,
} from './fabric.ts';
import { outDirectory } from './home.ts';
import { measureInspectors } from './inspectors.ts';
import type { HomeRun } from './local-homes.ts';
import type { MicroAnswer, MicroJob } from './micro/child.ts';
import { measureMigrate } from './migrate.ts';
import { measureMixed } from './mixed.ts';
import {
  measureOidcCircuits,
  measureOidcLogins,
  measureOidcSessions,
  measureOidcUnused,
} from './oidc.ts';
import { type BenchOptions, isWanted } from './options.ts';
import { sizeOf } from './report/goals.ts';
import { measureRestart, restartSizes } from './restart.ts';
import { measureRouterFleet, measureTraffic } from './routers.ts';
import type { SeedSize } from './seed.ts';
import type { Pauses } from './server/pauses.ts';
import { measureSnapshot, snapshotSizes } from './snapshots.ts';
import { measureStorm, type StormSize } from './storm.ts';

/** The size of the storm: how many clients log in at the same time. */
export function stormSizeOf(smoke: boolean): StormSize {
  return smoke ? { clients: 100, connections: 32 } : { clients: 10_000, connections: 256 };
}

/** Measures pieces of the controller in isolation, only those of this checkout. */
export async function measurePieces({ options, found, progress }: HomeRun): Promise<void> {
  const { only, measureMs, smoke } = options;
  const child = forkBench(new URL('micro/child.ts', import.meta.url), []);
  try {
    // The median of a hundred slices is taken, for which a tenth of a window is enough.
    const pieceMs = Math.min(1000, measureMs) / (smoke ? 10 : 1);
    const job: MicroJob = { only: only === 'micro' ? undefined : only, measureMs: pieceMs, smoke };
    const { micros, footprints } = (await child.ask(job)) as MicroAnswer;
    found.micros.push(...micros);
    found.footprints.push(...footprints);
  } finally {
    child.stop();
  }
  for (const { title, medianMicros, unit } of found.micros) {
    progress(`${title}: ${medianMicros.toPrecision(3)} µs per ${unit}`);
  }
  for (const { kind, bytesEach } of found.footprints) {
    progress(`${kind}: ${bytesEach.toFixed(0)} bytes each`);
  }
}

/** Measures the requested scenes, one after the other. */
export async function measureScenes(run: HomeRun): Promise<void> {
  for (const { name, measure } of scenes) {
    if (isWanted(run.options, name)) await measure(run);
  }
}

interface Scene {
  readonly name: string;
  measure(run: HomeRun): Promise<void>;
}

/** Identities of the network in which all scenarios run at once. */
const mixIdentities = 100_000;

const mixed: Scene = {
  name: 'mixed',
  async measure({ options, found, progress }) {
    const { smoke, measureMs, profiled } = options;
    const profileDirectory = profiled ? `${outDirectory}/profiles` : undefined;
    const identities = smoke ? 200 : mixIdentities;
    progress(`a mix of all scenarios, ${identities} identities`);
    const times = smoke ? { measureMs: 400, aloneMs: 60 } : mixTimes(measureMs);
    const mix = await measureMixed({ ...times, identities, smoke, profileDirectory }, progress);
    found.mixes.push(mix);
    const { delay, coreWait, serverShare } = mix;
    progress(
      `  p99.9 of the event loop's delay ${delay.p999Ms.toFixed(1)} ms, ` +
        `${(coreWait.share * 100).toFixed(1)}% waiting for a core, ` +
        `the server on ${(serverShare * 100).toFixed(0)}% of the machine`,
    );
  },
};

/** At least 20 s, because the p99.9 of fewer ticks says little. */
function mixTimes(measureMs: number): { measureMs: number; aloneMs: number } {
  return { measureMs: Math.max(20_000, measureMs * 4), aloneMs: Math.min(1000, measureMs) };
}

const storm: Scene = {
  name: 'storm',
  async measure({ options, found, progress, other }) {
    const size = stormSizeOf(options.smoke);
    progress(`a storm of ${size.clients} clients`);
    const here = await measureStorm(size, options.smoke);
    found.storms.push(here);
    const seconds = (here.allInMs / 1000).toFixed(1);
    progress(`  all in after ${seconds} s, p99 of others ${here.othersMs.p99.toFixed(1)} ms`);
    if (other === undefined) return;
    const there = await measureStorm(size, options.smoke, other.root);
    const subject = `a storm of ${size.clients} clients`;
    found.comparisons.push(
      ...compareFigure({ subject, figure: 'all in', unit: 'ms' }, [here.allInMs], [there.allInMs]),
    );
  },
};

const endings: Scene = {
  name: 'endings',
  async measure({ options, found, progress }) {
    progress('changes that end many sessions');
    const made = await measureEndings(options.smoke);
    found.endings.push(...made);
    for (const { title, sessions, doneMs, pauses } of made) {
      progress(`  ${title}: ${sessions} in ${doneMs} ms, ${longestPauseOf(pauses)}`);
    }
  },
};

const snapshots: Scene = {
  name: 'snapshots',
  async measure({ options, found, progress }) {
    const { smoke } = options;
    for (const identities of smoke ? [200] : snapshotSizes) {
      progress(`a snapshot of ${identities} identities`);
      const made = await measureSnapshot(identities, smoke);
      found.snapshots.push(made);
      const pause = longestPauseOf(made.meanwhile.pauses);
      progress(`  ${made.records} records in ${Math.round(made.tookMs)} ms, ${pause}`);
    }
  },
};

function longestPauseOf({ longestMs, longestOwnMs }: Pauses): string {
  const own = longestOwnMs.toFixed(1);
  return `longest pause ${own} ms, ${longestMs.toFixed(1)} ms with waits for a core`;
}

const inspectors: Scene = {
  name: 'inspectors',
  async measure({ options, found, progress }) {
    progress('attached inspectors under full load');
    const made = await measureInspectors(options.smoke);
    found.inspectors.push(...made);
    for (const { load, ratio, ratioMin, ratioMax } of made) {
      const spread = `${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}`;
      progress(`  ${load}: ${ratio.toFixed(2)} of the throughput without them (${spread})`);
    }
  },
};

const restarts: Scene = {
  name: 'restart',
  async measure({ options, found, progress, other }) {
    const { smoke } = options;
    for (const size of smoke ? [smokeRestart] : restartSizesOf(options)) {
      progress(`restart with ${size.identities} identities, ${size.apiSessions} API sessions`);
      const here = await measureRestart(size, smoke);
      found.restarts.push(here);
      const megabytes = Math.round(here.settledBytes / 1e6);
      progress(`  ${Math.round(here.startMs)} ms, ${megabytes} MB resident`);
      if (other === undefined) continue;
      const there = await measureRestart(size, smoke, other.root);
      const subject = `restart: ${sizeOf(here)}`;
      for (const [figure, unit, mine, others] of [
        ['start', 'ms', here.startMs, there.startMs],
        ['resident', 'MB', here.settledBytes / 1e6, there.settledBytes / 1e6],
      ] as const) {
        found.comparisons.push(...compareFigure({ subject, figure, unit }, [mine], [others]));
      }
    }
  },
};

const smokeRestart: SeedSize = {
  identities: 200,
  services: 100,
  routers: 10,
  logins: 50,
  apiSessions: 100,
};

/** In a comparison with another revision, only the homes up to the largest requested size. */
function restartSizesOf({ against, sizes }: BenchOptions): readonly SeedSize[] {
  const largest = Math.max(...sizes);
  return against === undefined
    ? restartSizes
    : restartSizes.filter(({ identities }) => identities <= Math.max(largest, 10_000));
}

const routerFleet: Scene = { name: 'routers-fleet', measure: measureRouterFleet };

const routerTraffic: Scene = { name: 'routers-traffic', measure: measureTraffic };

const fabricPages: Scene = { name: 'fabric-pages', measure: measureFabricPages };

const fabricEvents: Scene = { name: 'fabric-events', measure: measureFabricEvents };

const fabricUsage: Scene = { name: 'fabric-usage', measure: measureFabricUsage };

const fabricModel: Scene = { name: 'fabric-model', measure: measureFabricModel };

const fabricReturns: Scene = { name: 'fabric-returns', measure: measureFabricReturns };

const oidcLogins: Scene = { name: 'oidc-logins', measure: measureOidcLogins };

const oidcSessions: Scene = { name: 'oidc-sessions', measure: measureOidcSessions };

const oidcCircuits: Scene = { name: 'oidc-circuits', measure: measureOidcCircuits };

const oidcUnused: Scene = { name: 'oidc-unused', measure: measureOidcUnused };

const cli: Scene = { name: 'cli', measure: measureCli };

const migrate: Scene = { name: 'migrate', measure: measureMigrate };

const clusterTakeover: Scene = { name: 'cluster-takeover', measure: measureClusterTakeovers };

const clusterCreates: Scene = { name: 'cluster-creates', measure: measureCreatesOfCluster };

const clusterLogins: Scene = { name: 'cluster-logins', measure: measureLoginsOfCluster };

const clusterReads: Scene = { name: 'cluster-reads', measure: measureReadsOfCluster };

const clusterSingle: Scene = { name: 'cluster-single', measure: measureSingleNodes };

const scenes: readonly Scene[] = [
  mixed,
  storm,
  endings,
  snapshots,
  inspectors,
  restarts,
  routerFleet,
  routerTraffic,
  fabricPages,
  fabricEvents,
  fabricUsage,
  fabricModel,
  fabricReturns,
  oidcLogins,
  oidcSessions,
  oidcCircuits,
  oidcUnused,
  cli,
  migrate,
  clusterTakeover,
  clusterCreates,
  clusterLogins,
  clusterReads,
  clusterSingle,
];
