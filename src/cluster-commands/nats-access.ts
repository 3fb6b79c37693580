// The servers of a cluster over NATS, for commands.

import { reasonOf } from '../../snapshots/errors.ts';
import type { ClusterAccess, OpenStream, StreamName } from '../cluster/access.ts';
import { type NatsDataSet, openNats } from '../cluster/nats/connections.ts';
import { type NatsAccess, type NatsCredentials, NatsLink } from '../cluster/nats/link.ts';
import { dataSetsAt } from '../cluster/nats/resources.ts';
import type { ClusterConfig } from '../cluster-config.ts';
import { StartProblem } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Disk, Random } from '../ports.ts';
import { formatHostPort } from '../setting.ts';

/** What it needs of its surroundings. */
export interface NatsCommandsParts {
  readonly access: NatsAccess;
  readonly replicas: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
}

/** Room for the headers of a message beside the largest group of frames. */
const headerBytes = 64 * 1024;

/**
 * The way in that the configuration names.
 * @throws StartProblem if the credentials cannot be read
 */
export function natsAccessOf(
  { servers, credentials, tls }: Pick<ClusterConfig, 'servers' | 'credentials' | 'tls'>,
  { frameBytesMax }: Pick<Limits, 'frameBytesMax'>,
  readFile: (path: string) => string,
): NatsAccess {
  const own = tls?.own;
  const certified = own === undefined ? {} : { certFile: own.certificate, keyFile: own.key };
  const shown = credentials === undefined ? undefined : credentialsOf(credentials, readFile);
  return {
    servers: servers.map(formatHostPort),
    payloadBytesMin: frameBytesMax + headerBytes,
    ...(shown === undefined ? {} : { credentials: shown }),
    ...(tls === undefined ? {} : { tls: { caFile: tls.ca, ...certified } }),
  };
}

/** A credentials file of NATS is read for each connection, because its JWT may be renewed. */
function credentialsOf(path: string, readFile: (path: string) => string): NatsCredentials {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new StartProblem(`cluster.credentials cannot be read: ${reasonOf(error)}.`);
  }
  if (text.includes('-----BEGIN NATS USER JWT-----')) {
    return { kind: 'file', read: () => Buffer.from(readFile(path)) };
  }
  const [, user, password] = /^([^\s:]{1,255}):(\S{1,255})\r?\n?$/.exec(text) ?? [];
  if (user !== undefined && password !== undefined) return { kind: 'password', user, password };
  throw new StartProblem(
    `${path} (cluster.credentials) is no credentials file of NATS, and not one line USER:PASSWORD.`,
  );
}

/** Connections of a command, made when they are first needed. */
export class NatsCommands implements ClusterAccess {
  readonly #parts: NatsCommandsParts;
  readonly #link: NatsLink;
  readonly #opened: NatsDataSet[] = [];

  constructor(parts: NatsCommandsParts) {
    this.#parts = parts;
    this.#link = new NatsLink(parts.access, parts.clock, 'edge-control command');
  }

  streams(): Promise<readonly StreamName[]> {
    return dataSetsAt(this.#link);
  }

  /** A server whose messages are too small is refused by the connection itself. */
  async serverFaults(): Promise<readonly string[]> {
    await this.#link.connected();
    return [];
  }

  async create(name: StreamName, replicas: number): Promise<void> {
    await this.#data(name, '', replicas).resources.create();
  }

  async remove(name: StreamName): Promise<void> {
    await this.#data(name, '').resources.remove();
  }

  async open(name: StreamName, sealingKey: string): Promise<OpenStream> {
    const { stream, members, snapshots, resources } = this.#data(name, sealingKey);
    return { stream, members, snapshots, faults: () => resources.compare() };
  }

  async close(): Promise<void> {
    await Promise.all([this.#link, ...this.#opened].map((each) => each.close()));
  }

  #data(name: StreamName, sealingKey: string, replicas = this.#parts.replicas): NatsDataSet {
    const { access, clock, random, disk } = this.#parts;
    const surroundings = { clock, random, disk, sealingKey: Buffer.from(sealingKey, 'hex') };
    const opened = openNats(access, name, { replicas }, surroundings);
    this.#opened.push(opened);
    return opened;
  }
}
