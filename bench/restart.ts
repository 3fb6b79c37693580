// How long a start takes and how much memory it needs, on homes of two sizes.

import { setTimeout as sleep } from 'node:timers/promises';
import { makeHome, rivalArgon2 } from './home.ts';
import type { RestartMeasurement } from './results.ts';
import { type SeedSize, seedHome } from './seed.ts';
import { startController } from './server/controller-process.ts';
import { sampleMemory } from './server/process-figures.ts';

/**
 * The homes of the tables: the second size with few authenticators, and with one per session; the
 * last of a million records.
 */
export const restartSizes: readonly SeedSize[] = [
  { identities: 10_000, services: 1000, routers: 100, logins: 0, apiSessions: 0 },
  { identities: 100_000, services: 1000, routers: 100, logins: 1000, apiSessions: 100_000 },
  { identities: 100_000, services: 1000, routers: 100, logins: 100_000, apiSessions: 100_000 },
  { identities: 900_000, services: 1000, routers: 100, logins: 1000, apiSessions: 100_000 },
];

/** Restarts of each kind; the median is reported. */
const rounds = 3;

/** How long to wait until memory has settled. */
const settleMs = 5000;

/** Makes a home, then starts a controller on it: first on its log alone, then on its snapshot. */
export async function measureRestart(
  size: SeedSize,
  smoke: boolean,
  root?: string,
): Promise<RestartMeasurement> {
  const bench = makeHome(`restart-${size.identities}`, root);
  try {
    bench.configure(rivalArgon2);
    await seedHome(bench, size, root);
    const { home, logFile } = bench;
    const starts: number[] = [];
    const stops: number[] = [];
    const resident: number[] = [];
    const settled: number[] = [];
    const first = await startController({ home, logFile, direct: false, root });
    await first.stop();
    for (let round = 0; round < (smoke ? 1 : rounds); round++) {
      const controller = await startController({ home, logFile, direct: false, root });
      starts.push(controller.startMs);
      resident.push(sampleMemory(controller.pid).residentBytes);
      if (!smoke) await sleep(settleMs);
      settled.push(sampleMemory(controller.pid).residentBytes);
      const stopAt = performance.now();
      await controller.stop();
      stops.push(performance.now() - stopAt);
    }
    return {
      ...size,
      startMs: median(starts),
      startFromLogMs: first.startMs,
      residentBytes: median(resident),
      settledBytes: median(settled),
      stopMs: median(stops),
    };
  } finally {
    bench.remove();
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
