// Computes how many connections the process's limit on open files allows.

import { withFile } from '../snapshots/home/file-access.ts';
import { StartProblem } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Disk } from './ports.ts';

/**
 * The soft limit on open files of this process, which Node has raised to the hard one; undefined if
 * the system does not tell.
 */
export function openFilesMax(disk: Disk): number | undefined {
  if (!disk.exists('/proc/self/limits')) return undefined;
  const bytes = withFile(disk, '/proc/self/limits', 'read', (file) => file.read(0, 8192));
  const soft = /^Max open files +(\d+) /m.exec(bytes.toString('latin1'))?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/**
 * Connections that each TLS worker may have: `limits.connectionsMax`, or fewer where the limit on
 * open files does not allow as many for `workers` beside `limits.descriptorsReservedMin`. Each
 * connection counts with all descriptors of an active connection, so that an accepted one can
 * always continue.
 * @throws StartProblem when none is left.
 */
export function connectionsWithin(
  limits: Pick<Limits, 'connectionsMax' | 'descriptorsReservedMin'>,
  openFiles: number | undefined,
  workers: number,
): number {
  if (openFiles === undefined) return limits.connectionsMax;
  const reserved = limits.descriptorsReservedMin + descriptorsPerWorker * workers;
  const allowed = Math.floor((openFiles - reserved) / (descriptorsPerConnection * workers));
  if (allowed < 1) {
    const needed = reserved + descriptorsPerConnection * workers;
    throw new StartProblem(
      `The limit on open files is ${openFiles}, and the controller needs ${needed}: raise it (ulimit -n, LimitNOFILE).`,
    );
  }
  return Math.min(limits.connectionsMax, allowed);
}

/** A thread's event loop and its pipes take 5, its listening socket one. */
const descriptorsPerWorker = 8;

/** The client's socket, and both ends of the Unix socket to the server behind the TLS front. */
const descriptorsPerConnection = 3;
