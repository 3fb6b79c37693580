// A network that a cluster of three nodes controls, each on addresses of its own.

import { X509Certificate } from 'node:crypto';
import { type Api, connect, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import { Cluster } from '../nats/cluster.ts';
import { startServers } from '../nats/server.ts';
import { type MadeRouter, Network } from '../overlay/network.ts';
import type { MakeRouter } from '../overlay/router.ts';

/** Where a node is reached; it stays when the node is started again. */
export interface NodePlace {
  /** `https://host:port` of the API. */
  readonly url: string;
  /** `tls:host:port` for routers. */
  readonly control: string;
}

/** The parts of such a network. */
export interface ClusterNetworkWanted {
  readonly endings: Endings;
  readonly makeRouter: MakeRouter;
  readonly trafficProgram: string;
}

/** Three nodes with routers and clients; `open` makes one. */
export class ClusterNetwork extends Network {
  readonly cluster: Cluster;
  readonly places: readonly NodePlace[];
  readonly #endings: Endings;
  #admin: Api | undefined;
  /** What the processes of each node have said that have ended. */
  readonly #previousLogs = ['', '', ''];

  private constructor(
    { endings, makeRouter, trafficProgram }: ClusterNetworkWanted,
    cluster: Cluster,
    places: readonly NodePlace[],
  ) {
    super(endings, makeRouter, trafficProgram);
    this.#endings = endings;
    this.cluster = cluster;
    this.places = places;
  }

  /** Starts one NATS server and three nodes. */
  static async open(wanted: ClusterNetworkWanted): Promise<ClusterNetwork> {
    const { endings } = wanted;
    const servers = await startServers(endings, { count: 1, isTls: true });
    const ports = await freePorts(6);
    const [apis, controls] = [ports.slice(0, 3), ports.slice(3)];
    const flagsOf = (index: number) => [
      '--listen',
      `127.0.0.1:${apis[index]}`,
      '--ctrl-listen',
      `127.0.0.1:${controls[index]}`,
    ];
    const configuration = { pki: { keyType: 'ec-p256' } };
    const cluster = await Cluster.open({ servers, endings, count: 1, configuration, flagsOf });
    const places = apis.map((api, index) => ({
      url: `https://localhost:${api}`,
      control: `tls:localhost:${controls[index]}`,
    }));
    const network = new ClusterNetwork(wanted, cluster, places);
    await cluster.begin();
    for (const index of [1, 2]) await cluster.join(index);
    await cluster.well();
    return network;
  }

  get admin(): Api {
    if (this.#admin === undefined) throw new Error('no administrator has logged in');
    return this.#admin;
  }

  /** The id under which routers know the cluster: the name of its CA. */
  get controllerId(): string {
    const names = new X509Certificate(this.cluster.nodes[0]?.ca ?? '').subjectAltName ?? '';
    return /URI:spiffe:\/\/([^/,]+)/.exec(names)?.[1] ?? '';
  }

  /** Everything that an administrator does goes through this node from now on. */
  async useFront(index: number): Promise<void> {
    const node = this.cluster.nodes[index];
    if (node === undefined) throw new Error(`node ${index} does not run`);
    this.#admin = await logIn(connect(this.#endings, node, 4));
  }

  /** Creates, enrolls and starts a router that connects to this node at first. */
  async router(name: string, index: number): Promise<MadeRouter> {
    return await this.routerAt(name, this.places[index]?.control ?? '');
  }

  /** SIGKILL, and waits for the end. */
  async kill(index: number): Promise<void> {
    await this.cluster.nodes[index]?.process.kill();
  }

  /** Starts a node that was killed. */
  async restart(index: number): Promise<void> {
    this.#previousLogs[index] += this.cluster.nodes[index]?.process.stderr ?? '';
    await this.cluster.start(index);
  }

  get controllerLogs(): readonly (readonly [name: string, log: string])[] {
    return this.#previousLogs.map((previous, index) => {
      const now = this.cluster.nodes[index]?.process.stderr ?? '';
      return [`node-${index}`, previous + now];
    });
  }
}
