// Three controllers over three NATS servers, with relays between all of them, under a supervisor
// that starts again what has ended as a node does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { readMembership } from '../../../snapshots/home/membership.ts';
import type { Member } from '../../../src/cluster/membership.ts';
import { type NatsDataSet, openNats } from '../../../src/cluster/nats/connections.ts';
import { type DataSet, logStream } from '../../../src/cluster/nats/names.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import { createFetch } from '../../../src/platform/fetch.ts';
import type { Endings } from '../endings.ts';
import { Cluster } from '../nats/cluster.ts';
import { type NatsServer, type NatsServers, startServers, until } from '../nats/server.ts';
import type { Ended, Process, Serving } from '../process.ts';
import { type Cut, Relay } from './relay.ts';

/** All nodes, and all servers. */
export const indexes = [0, 1, 2] as const;

/** Exit codes as the command line names them. */
const nodeEndedCode = 3;
const notYetStartedCode = 75;

/**
 * A start is refused while NATS elects, and where a port that was free is taken for a moment by a
 * connection of another process.
 */
const startsMax = 20;
/** A machine with too much to do elects more than once. */
const wellMsMax = 180_000;
/** As long as a supervisor waits. */
const startAgainMs = 500;

/** The nodes of a campaign. */
export class CampaignNodes {
  readonly cluster: Cluster;
  readonly servers: NatsServers;
  /** All processes that ever served. */
  readonly processes = new Set<Process>();
  /** What ended in another way than it may. */
  readonly wrong: string[] = [];
  /** Nodes that ended by themselves, as one that led and was fenced, and were started again. */
  restarts = 0;
  /** From each node to each server. */
  readonly #natsRelays: readonly (readonly Relay[])[];
  /** From the other nodes to each node. */
  readonly #nodeRelays: readonly Relay[];
  /** Nodes that were ended on purpose. */
  readonly #away = new Set<number>();
  /** The last start of a node that ended by itself: a home is not started twice at a time. */
  readonly #starting = new Map<number, Promise<void>>();
  #dataSet: NatsDataSet | undefined;
  #names: DataSet | undefined;

  private constructor(
    cluster: Cluster,
    servers: NatsServers,
    natsRelays: readonly (readonly Relay[])[],
    nodeRelays: readonly Relay[],
  ) {
    this.cluster = cluster;
    this.servers = servers;
    this.#natsRelays = natsRelays;
    this.#nodeRelays = nodeRelays;
  }

  /** Starts servers and nodes, and waits until all is well. */
  static async open(
    endings: Endings,
    wanted: { readonly configuration: object; readonly accountBytesMax?: number },
  ): Promise<CampaignNodes> {
    const { configuration, ...ofServers } = wanted;
    const servers = await startServers(endings, { count: 3, isTls: true, ...ofServers });
    const natsRelays = await Promise.all(
      indexes.map((_) =>
        Promise.all(servers.all.map(({ port }) => Relay.open(endings, () => port))),
      ),
    );
    const portOf = (index: number) => cluster.internalPort(index);
    const nodeRelays = await Promise.all(
      indexes.map((index) => Relay.open(endings, () => portOf(index))),
    );
    const cluster = await Cluster.open({
      servers,
      endings,
      count: 3,
      configuration,
      serversOf: (index) => (natsRelays[index] ?? []).map(({ port }) => `127.0.0.1:${port}`),
      advertisedPortOf: (index) => nodeRelays[index]?.port ?? 0,
    });
    const nodes = new CampaignNodes(cluster, servers, natsRelays, nodeRelays);
    await cluster.begin();
    for (const index of [1, 2]) await cluster.join(index);
    for (const index of indexes) nodes.#watch(index, nodes.serving(index));
    nodes.#look(endings);
    await nodes.well();
    return nodes;
  }

  /** A node that serves, or did until a moment ago. */
  serving(index: number): Serving {
    const node = this.cluster.nodes[index];
    if (node === undefined) throw new Error(`node ${index} was never started`);
    return node;
  }

  /** The name of the stream of the log. */
  get logStream(): string {
    return this.#names === undefined ? '' : logStream(this.#names);
  }

  /** The entries of the nodes, by the index of each. */
  async members(): Promise<ReadonlyMap<number, Member>> {
    const list = (await this.#dataSet?.members.list()) ?? [];
    const byId = new Map(list.map((member) => [member.id, member]));
    const found = new Map<number, Member>();
    for (const index of indexes) {
      const id = readMembership(nodeDisk, this.cluster.home(index))?.nodeId ?? '';
      const member = byId.get(id);
      if (member !== undefined) found.set(index, member);
    }
    return found;
  }

  /** The node that leads, once there is one. */
  async leader(): Promise<number> {
    let leader: number | undefined;
    await until('a node leads', async () => {
      const leading = [...(await this.members())].filter(([, { role }]) => role === 'leading');
      leader = leading.toSorted(([, a], [, b]) => b.term - a.term)[0]?.[0];
      return leader !== undefined;
    });
    return leader ?? 0;
  }

  /**
   * Waits until one node leads, the others follow it, each has said so by now, and `status` says
   * that all is well.
   */
  async well(): Promise<void> {
    const sinceMs = Date.now();
    for (const server of this.servers.all) await server.ready();
    const areWell = async () => {
      this.checkEnds();
      const members = [...(await this.members()).values()];
      const roles = members.map(({ role }) => role).sort();
      const terms = new Set(members.map(({ term }) => term));
      const isNew = members.every(({ atMs }) => atMs > sinceMs);
      return isNew && terms.size === 1 && String(roles) === 'following,following,leading';
    };
    await until('all nodes are well', areWell, wellMsMax);
    await this.cluster.well();
  }

  /** @throws Error if a node has ended in another way than it may */
  checkEnds(): void {
    if (this.wrong.length > 0) throw new Error(this.wrong.join('\n'));
  }

  /** Ends a node as the kernel does. It stays away until `back`. */
  async kill(index: number): Promise<void> {
    await this.#leave(index);
    await this.serving(index).process.kill();
  }

  /** Ends a node as an operator does. It stays away until `back`. */
  async stop(index: number): Promise<Ended> {
    await this.#leave(index);
    return await this.serving(index).process.stop();
  }

  /** Starts a node that was ended. */
  async back(index: number): Promise<void> {
    this.#away.delete(index);
    await this.#start(index);
  }

  /** Starts a server that was ended, with its store. */
  async serverBack(server: NatsServer): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      server.start();
      try {
        return await server.ready();
      } catch (thrown) {
        if (tried === startsMax) throw thrown;
        await server.kill();
      }
    }
  }

  /** Cuts a node off from all NATS servers. */
  cutFromNats(index: number, how: Cut): void {
    for (const relay of this.#natsRelays[index] ?? []) relay.cut(how);
  }

  /** Cuts the other nodes off from a node. */
  cutFromNodes(index: number, how: Cut): void {
    this.#nodeRelays[index]?.cut(how);
  }

  /** Ends all cuts. */
  heal(): void {
    for (const relay of [...this.#natsRelays.flat(), ...this.#nodeRelays]) relay.heal();
  }

  #look(endings: Endings): void {
    const manifest = readManifest(nodeDisk, this.cluster.home(0));
    this.#names = { dataSetId: manifest?.dataSetId ?? '', generation: 1 };
    const fetch = createFetch({ clock: systemClock });
    const ports = { clock: systemClock, random: systemRandom, disk: nodeDisk, fetch };
    const sealing = readFileSync(join(this.cluster.home(0), 'pki/sealing.key'), 'utf8');
    const sealingKey = Buffer.from(sealing.trim(), 'hex');
    const dataSet = openNats(
      this.servers.access('node'),
      this.#names,
      { replicas: 3 },
      { ...ports, sealingKey, monitoring: [] },
    );
    this.#dataSet = dataSet;
    endings.teardown(() => dataSet.close());
  }

  async #leave(index: number): Promise<void> {
    this.#away.add(index);
    await this.#starting.get(index);
  }

  async #start(index: number): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      if (this.#away.has(index)) return;
      try {
        const node = await this.cluster.start(index);
        this.#watch(index, node);
        return;
      } catch (thrown) {
        const code = Number(/^ended with (\d+)/.exec((thrown as Error).message)?.[1]);
        const mayRetry = code === nodeEndedCode || code === notYetStartedCode;
        if (!mayRetry || tried === startsMax) throw thrown;
        await setTimeout(startAgainMs);
      }
    }
  }

  /** Starts a node again that ends as one does that is fenced. Everything else is wrong. */
  #watch(index: number, { process }: Serving): void {
    this.processes.add(process);
    void process.ended.then(({ code, signal, stderr }) => {
      if (this.#away.has(index)) return;
      if (code !== nodeEndedCode) {
        this.wrong.push(`node ${index} ended with ${signal ?? code}: ${stderr.slice(-2000)}`);
        return;
      }
      this.restarts += 1;
      const failed = (thrown: unknown) => void this.wrong.push(String(thrown));
      this.#starting.set(index, this.#start(index).catch(failed));
    });
  }
}
