// A process that migrates: the source on the real disk, the new home on a simulated one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessContext } from '../../../src/assembly/process-context.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import type { NetworkPaths } from '../../migrate/home/small-network.ts';
import { startMs } from '../../pki/context.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import type { SimulatedDisk } from '../../simulated/disk.ts';
import { LookingContext } from './looking.ts';

/** The home of these tests. */
export const home = '/new';

class MigratingContext extends LookingContext {
  override readonly clock: ProcessContext['clock'];

  constructor(disk: SimulatedDisk, nowMs: number) {
    super(disk, {});
    this.clock = new SimulatedClock(nowMs);
  }
}

/** What the command said and ended with. */
export interface Migrated {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `edge-control migrate` on a network. */
export async function migrated(
  disk: SimulatedDisk,
  network: NetworkPaths,
  ...flags: readonly string[]
): Promise<Migrated> {
  return await migratedAt(startMs, disk, network, ...flags);
}

/** The same at another time. */
export async function migratedAt(
  nowMs: number,
  disk: SimulatedDisk,
  { database, configuration }: NetworkPaths,
  ...flags: readonly string[]
): Promise<Migrated> {
  const context = new MigratingContext(disk, nowMs);
  const words = ['migrate', '--from', database, '--config', configuration, '--home', home];
  const code = await runCommandLine([...words, ...flags], context);
  const { stdout, stderr } = context;
  return { code, stdout, stderr };
}

/** The report in a home, as JSON. */
export function reportIn(disk: SimulatedDisk, path = `${home}/migration.json`) {
  return JSON.parse(disk.bytesOf(path).toString());
}

/** Holds the lock of a database as its controller does. @returns a function that lets it go */
export async function holdDatabase(path: string): Promise<() => Promise<void>> {
  const child = spawn('flock', ['-x', '-n', path, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await ended;
  };
}
