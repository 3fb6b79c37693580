// What commands do at NATS beyond what a node does: they find, make and remove streams, and look at
// the servers themselves.

import { frameSeed } from '../../../snapshots/log/frame.ts';
import type { ClusterAccess, OpenStream } from '../access.ts';
import { endOfLog } from '../log/group-chain.ts';
import { groupKeyOf } from '../log/group-message.ts';
import { StreamUnreachable } from '../stream.ts';
import { type NatsParts, openNats } from './connections.ts';
import { type NatsAccess, NatsLink, PayloadTooSmall } from './link.ts';
import type { DataSet } from './names.ts';
import { replicaFaults } from './replica-faults.ts';
import { dataSetsAt, NatsResources } from './resources.ts';
import { syncFaults } from './sync-always.ts';

/** What the commands need of their surroundings and settings. */
export interface NatsAccessParts extends Omit<NatsParts, 'sealingKey'> {
  /** Copies that a stream has to have. */
  readonly replicas: number;
}

/** The servers, as commands see them. Each call rejects with StreamUnreachable. */
export class NatsClusterAccess implements ClusterAccess {
  readonly #access: NatsAccess;
  readonly #parts: NatsAccessParts;
  readonly #link: NatsLink;
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(access: NatsAccess, parts: NatsAccessParts) {
    this.#access = access;
    this.#parts = parts;
    this.#link = this.#linkTo(access);
  }

  /** The data sets that these credentials may see, the newest generations first. */
  async streams(): Promise<readonly DataSet[]> {
    return await dataSetsAt(this.#link);
  }

  /**
   * All that keeps the servers from holding a log safely, one sentence each. How a server syncs is
   * only known where `cluster.monitoring` names it.
   * @throws StreamUnreachable if no server answers at all
   */
  async serverFaults(): Promise<readonly string[]> {
    const { servers } = this.#access;
    const connections = await Promise.all(servers.map((server) => this.#faultOf(server)));
    const isAnyThere = connections.some((fault) => fault === undefined || !fault.isAway);
    if (!isAnyThere) throw new StreamUnreachable('none of the NATS servers answers');
    const faults = connections.flatMap((fault) => (fault === undefined ? [] : [fault.text]));
    return [...faults, ...(await this.#syncFaults())];
  }

  /** @throws GenerationTaken if it is there already */
  async create(dataSet: DataSet, replicas: number): Promise<void> {
    await new NatsResources(this.#link, dataSet, { replicas }).create();
  }

  async seal(dataSet: DataSet): Promise<void> {
    const { replicas } = this.#parts;
    await new NatsResources(this.#link, dataSet, { replicas }).seal();
  }

  /** Removes a data set with everything in it. */
  async remove(dataSet: DataSet): Promise<void> {
    const { replicas } = this.#parts;
    await new NatsResources(this.#link, dataSet, { replicas }).remove();
  }

  async open(dataSet: DataSet, sealingKey: string): Promise<OpenStream> {
    const { replicas } = this.#parts;
    const parts = { ...this.#parts, sealingKey: Buffer.from(sealingKey, 'hex') };
    const opened = openNats(this.#access, dataSet, { replicas }, parts);
    this.#closers.push(() => opened.close());
    await opened.stream.state();
    const { stream, members, snapshots, store, resources } = opened;
    const { dataSetId, generation } = dataSet;
    const key = groupKeyOf(parts.sealingKey);
    const end = () => endOfLog(stream, { key, generation, seed: frameSeed(dataSetId) });
    const faults = async () => [
      ...(await resources.faults()),
      ...(await replicaFaults(this.#link, dataSet)),
      ...(await this.#syncFaults()),
    ];
    return { stream, members, snapshots, store, end, faults };
  }

  async close(): Promise<void> {
    await Promise.all([this.#link.close(), ...this.#closers.map((close) => close())]);
  }

  #syncFaults(): Promise<readonly string[]> {
    const { fetch, monitoring } = this.#parts;
    return syncFaults(fetch, monitoring);
  }

  async #faultOf(server: string): Promise<Fault | undefined> {
    const link = this.#linkTo({ ...this.#access, servers: [server] });
    try {
      const { connection } = await link.connected();
      if (connection.info?.jetstream === true) return undefined;
      return { isAway: false, text: `NATS server ${server} has no JetStream.` };
    } catch (thrown) {
      const text = thrown instanceof StreamUnreachable ? thrown.message : 'it does not answer';
      const isAway = !(thrown instanceof PayloadTooSmall);
      return { isAway, text: `NATS server ${server}: ${text}.` };
    } finally {
      await link.close();
    }
  }

  #linkTo(access: NatsAccess): NatsLink {
    return new NatsLink(access, this.#parts.clock, 'edge-control command');
  }
}

interface Fault {
  /** It does not answer, as opposed to one that is not fit. */
  readonly isAway: boolean;
  readonly text: string;
}
