// Computes how many connections the process's limit on open files allows.

import { withFile } from '../../snapshots/home/file-access.ts';
import { StartProblem } from '../errors/errors.ts';
import type { Disk } from '../platform/ports.ts';
import type { Limits } from './limits.ts';

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

/** The capacity of TLS workers for connections. */
export interface WorkerCapacity {
  /** Connections for requests, of each worker for the API. */
  readonly connectionsMax: number;
  /** Those of one address among them. */
  readonly connectionsPerAddressMax: number;
  /** Descriptors of all connections of each worker for the API, those of routers included. */
  readonly descriptorsMax: number;
  /** Descriptors of the connections of each worker for the control port; 0 without that port. */
  readonly controlPortDescriptorsMax: number;
}

/** The threads of a front. */
export interface FrontPorts {
  /** TLS workers for the API. */
  readonly workers: number;
  /** Workers for the control port; 0 without that port. */
  readonly controlWorkers: number;
  /** Whether it is the front of a node of a cluster. */
  readonly isNode: boolean;
}

/**
 * The capacity of each TLS worker: `limits.connectionsMax` connections for requests, or fewer where
 * the limit on open files does not allow as many beside `limits.descriptorsReservedMin`. An address
 * keeps its share of them: `limits.connectionsPerAddressMax` of `limits.connectionsMax`. The
 * workers for a control port share 55 % of what that leaves, and those for the API share the rest,
 * so neither clients nor routers can take the descriptors of the others. Each connection counts
 * with all descriptors of an active connection, so that an accepted one can always continue. A
 * router counts with one; it finds room at the API's port, too, as far as `limits.connectionsMax`
 * leaves some. A node of a cluster reserves what the connections between nodes and to NATS take.
 * @throws StartProblem when there is none for a single connection.
 */
export function capacityWithin(
  limits: Pick<Limits, 'connectionsMax' | 'connectionsPerAddressMax' | 'descriptorsReservedMin'>,
  openFiles: number | undefined,
  { workers, controlWorkers, isNode }: FrontPorts,
): WorkerCapacity {
  if (openFiles === undefined) {
    const descriptorsMax = Number.MAX_SAFE_INTEGER;
    return {
      ...shareOf(limits, limits.connectionsMax),
      descriptorsMax,
      controlPortDescriptorsMax: descriptorsMax,
    };
  }
  const threads = workers + controlWorkers;
  const ofNode = isNode ? nodeDescriptors + nodeDescriptorsPerWorker * threads : 0;
  const ofThreads = descriptorsPerWorker * threads + listenersOfControlPort * controlWorkers;
  const reserved = limits.descriptorsReservedMin + ofThreads + ofNode;
  const rest = openFiles - reserved;
  const ofControlPort = controlWorkers > 0 ? Math.floor(rest * controlPortShare) : 0;
  const controlPortDescriptorsMax = Math.floor(ofControlPort / Math.max(1, controlWorkers));
  const descriptorsMax = Math.floor((rest - ofControlPort) / workers);
  const allowed = Math.floor(descriptorsMax / requestDescriptors);
  const connectionsMax = Math.min(limits.connectionsMax, allowed);
  if (connectionsMax < 1) {
    const least = requestDescriptors * workers;
    const beside = Math.floor((least - 1) / (1 - controlPortShare)) + 1;
    const needed = reserved + (controlWorkers > 0 ? beside : least);
    throw new StartProblem(
      `The limit on open files is ${openFiles}, and the controller needs ${needed}: raise it (ulimit -n, LimitNOFILE).`,
    );
  }
  return { ...shareOf(limits, connectionsMax), descriptorsMax, controlPortDescriptorsMax };
}

/** So many connections, and the share of an address in them. */
function shareOf(
  limits: Pick<Limits, 'connectionsMax' | 'connectionsPerAddressMax'>,
  connectionsMax: number,
): Pick<WorkerCapacity, 'connectionsMax' | 'connectionsPerAddressMax'> {
  const share = (connectionsMax * limits.connectionsPerAddressMax) / limits.connectionsMax;
  const connectionsPerAddressMax = Math.min(connectionsMax, Math.max(1, Math.floor(share)));
  return { connectionsMax, connectionsPerAddressMax };
}

/**
 * What the control port has of all descriptors for connections: 10,000 routers fit in a limit of
 * 20,000.
 */
const controlPortShare = 0.55;

/**
 * A thread's event loop and its pipes take 5, a listening socket 1, and both ends of the Unix
 * socket for control connections 2; the others are for what a release of Node may add.
 */
const descriptorsPerWorker = 11;

/** Listening sockets of each worker of the control port beyond the first. */
const listenersOfControlPort = 11;

/**
 * Of a worker of a node: its socket for other nodes, and its connections to the leader with those
 * that replace them (`linksMax` in tunnel-settings.ts).
 */
const nodeDescriptorsPerWorker = 5;

/**
 * Of a node: connections of the workers of other nodes, of which two with 16 workers each have 128
 * while all are replaced; 20 of the cluster thread, its 7 connections to NATS and those that
 * replace them.
 */
const nodeDescriptors = 148;

/** The client's socket, and both ends of the Unix socket to the server behind the TLS front. */
export const requestDescriptors = 3;

/** Of a client whose connection another node has: both ends of the Unix socket to the server. */
export const tunnelDescriptors = 2;

/** A router's socket: all control connections of a worker share its Unix socket. */
export const controlDescriptors = 1;
