// Builds Go programs with the toolchain of this machine.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Lacking } from './endings.ts';

/** Two minutes on two cores when nothing is cached. */
const buildTimeoutMs = 10 * 60_000;

/** The second is where Go's own archive is unpacked, whatever the path says. */
const places = ['go', '/usr/local/go/bin/go'];

/** Most programs run for seconds: what counts is how long they take to build. */
const quickBuild = ['-gcflags=all=-N -l'] as const;

/** Without what debuggers need. */
const smallBuild = ['-ldflags=-s -w'] as const;

/** A program of a module. */
export interface GoProgramPlace {
  /** The directory of `go.mod`. */
  readonly module: string;
  /** The package, as a path below the module. */
  readonly program: string;
  /** A directory that git ignores, for what is built. */
  readonly output: string;
  /** Name of the built file. */
  readonly name: string;
  /** Whether what it costs counts for more than how long it takes to build. */
  readonly isLean?: boolean;
}

/** Builds a program, with the caches of whoever runs this. @returns its path @throws Lacking */
export function buildGoProgram(place: GoProgramPlace): string {
  const { module, program, output, name, isLean = false } = place;
  const runs = (go: string, args: readonly string[]) => succeeds(go, args, module);
  const go = places.find((place) => runs(place, ['version']));
  if (go === undefined) throw new Lacking('there is no Go toolchain');
  // This fails, too, where the toolchain is older than the module says.
  if (!runs(go, ['mod', 'download'])) throw new Lacking('the modules could not be downloaded');
  const built = join(output, name);
  const how = isLean ? smallBuild : [...quickBuild, ...smallBuild];
  if (!runs(go, ['build', ...how, '-o', built, program])) {
    throw new Error(`${program} could not be built`);
  }
  return built;
}

function succeeds(go: string, args: readonly string[], module: string): boolean {
  const { status } = spawnSync(go, args, {
    cwd: module,
    env: {
      ...process.env,
      GOFLAGS: '-mod=readonly',
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
