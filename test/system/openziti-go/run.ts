// Holds the Go SDK and the generated clients of edge-api against a controller of its own:
// `node test/system/openziti-go/run.ts`. Exit code 75: no Go to build it with, or the module proxy
// did not give the modules.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Lacking, runStep } from '../endings.ts';
import { befriend } from '../stranger.ts';

/** Ignored by git. */
const output = join(import.meta.dirname, '../../../.tap/openziti-go');

/** Two minutes on two cores when nothing is cached. */
const buildTimeoutMs = 10 * 60_000;

/** The second is where Go's own archive is unpacked, whatever the path says. */
const places = ['go', '/usr/local/go/bin/go'];

/** The client runs for a second: what counts is how long it takes to build. */
const quickBuild = ['-gcflags=all=-N -l', '-ldflags=-s -w'] as const;

/** Builds the client, its caches beside it. @returns its path @throws Lacking */
function build(): string {
  const go = places.find((place) => runs(place, ['version']));
  if (go === undefined) throw new Lacking('there is no Go toolchain');
  if (!runs(go, ['mod', 'download'])) throw new Lacking('the modules could not be downloaded');
  const client = join(output, 'client');
  if (!runs(go, ['build', ...quickBuild, '-o', client, '.']))
    throw new Error('the client could not be built');
  return client;
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

await runStep(async (endings) => await befriend(endings, { command: [build()], types: ['Dial'] }));
