// The servers of a cluster over NATS, for commands.

import type { ClusterAccess, OpenStream, StreamName } from '../cluster/access.ts';
import { type NatsDataSet, openNats } from '../cluster/nats/connections.ts';
import { type NatsAccess, NatsLink } from '../cluster/nats/link.ts';
import { dataSetsAt } from '../cluster/nats/resources.ts';
import type { Clock, Disk, Random } from '../ports.ts';

/** What it needs of its surroundings. */
export interface NatsCommandsParts {
  readonly access: NatsAccess;
  readonly replicas: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
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
