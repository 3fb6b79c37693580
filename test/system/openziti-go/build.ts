// Builds the Go programs of this directory: the client of `run.ts`, the router and the traffic of
// `../go-router/run.ts` and `../stock-router/run.ts`.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Lacking } from '../endings.ts';

/** Ignored by git. */
const output = join(import.meta.dirname, '../../../.tap/openziti-go');

/** Two minutes on two cores when nothing is cached. */
const buildTimeoutMs = 10 * 60_000;

/** The second is where Go's own archive is unpacked, whatever the path says. */
const places = ['go', '/usr/local/go/bin/go'];

/** The programs run for seconds: what counts is how long they take to build. */
const quickBuild = ['-gcflags=all=-N -l', '-ldflags=-s -w'] as const;

const names = { '.': 'client', './twin': 'twin', './traffic': 'traffic' } as const;

/** A program by the package that it is built of. */
export type GoProgram = '.' | './twin' | './traffic';

/** Builds a program, its caches beside it. @returns its path @throws Lacking */
export function buildGo(program: GoProgram): string {
  const go = places.find((place) => runs(place, ['version']));
  if (go === undefined) throw new Lacking('there is no Go toolchain');
  if (!runs(go, ['mod', 'download'])) throw new Lacking('the modules could not be downloaded');
  const built = join(output, names[program]);
  if (!runs(go, ['build', ...quickBuild, '-o', built, program])) {
    throw new Error(`${program} could not be built`);
  }
  return built;
}

function runs(go: string, args: readonly string[]): boolean {
  const { status } = spawnSync(go, args, {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      GOCACHE: join(output, 'build'),
      GOMODCACHE: join(output, 'modules'),
      // Files of modules are read-only, which keeps `rm -r` off.
      GOFLAGS: '-mod=readonly -modcacherw',
      // More memory for the compiler, less time for its garbage collector.
      GOGC: '400',
      // No other toolchain than the one that is here.
      GOTOOLCHAIN: 'local',
    },
    stdio: 'inherit',
    timeout: buildTimeoutMs,
  });
  return status === 0;
}
