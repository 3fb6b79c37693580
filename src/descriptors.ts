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

/** The room of one TLS worker. */
export interface WorkerRoom {
  /** Connections for requests. */
  readonly connectionsMax: number;
  /** Descriptors of all connections together, those of routers included. */
  readonly descriptorsMax: number;
}

/**
 * The room of each TLS worker: `limits.connectionsMax` connections for requests, or fewer where the
 * limit on open files does not allow as many for `workers` beside `limits.descriptorsReservedMin`.
 * Each connection counts with all descriptors of an active connection, so that an accepted one can
 * always continue. A router counts with one; what `limits.connectionsMax` leaves is for routers.
 * @throws StartProblem when there is none for a single connection.
 */
export function roomWithin(
  limits: Pick<Limits, 'connectionsMax' | 'descriptorsReservedMin'>,
  openFiles: number | undefined,
  workers: number,
): WorkerRoom {
  if (openFiles === undefined) {
    return { connectionsMax: limits.connectionsMax, descriptorsMax: Number.MAX_SAFE_INTEGER };
  }
  const reserved = limits.descriptorsReservedMin + descriptorsPerWorker * workers;
  const descriptorsMax = Math.floor((openFiles - reserved) / workers);
  const allowed = Math.floor(descriptorsMax / requestDescriptors);
  const connectionsMax = Math.min(limits.connectionsMax, allowed);
  if (connectionsMax < 1) {
    const needed = reserved + requestDescriptors * workers;
    throw new StartProblem(
      `The limit on open files is ${openFiles}, and the controller needs ${needed}: raise it (ulimit -n, LimitNOFILE).`,
    );
  }
  return { connectionsMax, descriptorsMax };
}

/**
 * A thread's event loop and its pipes take 5, its listening sockets 2, and both ends of the Unix
 * socket for control connections 2.
 */
const descriptorsPerWorker = 11;

/** The client's socket, and both ends of the Unix socket to the server behind the TLS front. */
export const requestDescriptors = 3;

/** A router's socket: all control connections of a worker share its Unix socket. */
export const controlDescriptors = 1;
