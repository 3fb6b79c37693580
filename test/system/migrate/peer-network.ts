// The controllers of a stock network: one without a cluster, or those of a cluster.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Client, connect, logIn } from '../client.ts';
import { type Endings, Lacking, temporaryDirectory } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import { until } from '../overlay/network.ts';
import { RunningProgram } from '../overlay/program.ts';
import { ZitiCommand } from '../ziti-fabric/ziti-command.ts';
import {
  configurationFile,
  databaseFile,
  makePki,
  type PeerNodePlace,
  rootFile,
  writeConfiguration,
} from './peer-files.ts';
import type { PeerShape } from './peer-shape.ts';

/** The administrator that the network begins with. */
export const peerAdministrator = { username: 'root-admin', password: 'Peer-secret-1' } as const;

/** A stock controller takes seconds of CPU time to start, more for a cluster. */
const startMs = 60_000;

/** The stock program. @throws Lacking */
export function stockProgram(): string {
  const binary = process.env['ROUTER_BIN'];
  if (binary === undefined) throw new Lacking('ROUTER_BIN names no binary of OpenZiti');
  if (!existsSync(binary)) throw new Lacking(`ROUTER_BIN names ${binary}, which is not there`);
  return binary;
}

/** A network of the stock program; `make` makes one. */
export class PeerNetwork {
  readonly directory: string;
  readonly shape: PeerShape;
  readonly ziti: ZitiCommand;
  /** The controller that is migrated, then the others of its cluster. */
  readonly places: readonly [PeerNodePlace, ...PeerNodePlace[]];
  readonly #endings: Endings;
  readonly #binary: string;
  #runs: RunningProgram[] = [];
  #isNew = true;
  /** What former processes said. */
  #previousLog = '';

  private constructor(
    endings: Endings,
    { binary, directory, shape }: { binary: string; directory: string; shape: PeerShape },
    places: readonly [PeerNodePlace, ...PeerNodePlace[]],
  ) {
    this.#endings = endings;
    this.#binary = binary;
    this.directory = directory;
    this.shape = shape;
    this.places = places;
    this.ziti = new ZitiCommand(endings, binary, directory);
  }

  /** Makes keys, configurations and an administrator, and starts the controllers. */
  static async make(endings: Endings, binary: string, shape: PeerShape): Promise<PeerNetwork> {
    const directory = temporaryDirectory(endings, 'edge-control-peer-');
    const [first, ...others] = await placesOf(directory, shape);
    if (first === undefined) throw new Error('a network has a controller');
    const network = new PeerNetwork(endings, { binary, directory, shape }, [first, ...others]);
    await makePki(network.ziti, directory, shape);
    for (const place of network.places) writeConfiguration(place, shape);
    if (shape.nodes === 0) await network.#initialize();
    await network.start();
    return network;
  }

  /** `https://host:port` of the controller that is migrated. */
  get url(): string {
    return `https://localhost:${this.places[0].api}`;
  }

  /** `tls:host:port` for routers. */
  get control(): string {
    return `tls:localhost:${this.places[0].control}`;
  }

  /** PEM of the root. */
  get ca(): string {
    return readFileSync(rootFile(this.directory), 'utf8');
  }

  get configuration(): string {
    return configurationFile(this.places[0]);
  }

  get database(): string {
    return databaseFile(this.places[0], this.shape);
  }

  /** What all controllers have said. */
  get log(): string {
    return this.#previousLog + this.#runs.map(({ stdout, log }) => stdout + log).join('');
  }

  /** Connections that show no certificate, or this one. */
  connect(shown: { readonly cert?: string; readonly key?: string } = {}): Client {
    return connect(this.#endings, { url: this.url, ca: this.ca, ...shown });
  }

  /** Logs in as the administrator, who is also logged in at the command line then. */
  async logIn(): Promise<Api> {
    const { username, password } = peerAdministrator;
    const trust = ['--ca', rootFile(this.directory), '-y'];
    await this.ziti.must('edge', 'login', this.url, '-u', username, '-p', password, ...trust);
    return await logIn(this.connect(), username, password);
  }

  /** Starts all controllers, and makes a cluster of them if they are none yet. */
  async start(): Promise<void> {
    const [first, ...others] = this.places;
    const isNew = this.#isNew;
    this.#isNew = false;
    this.#run(first);
    if (isNew && this.shape.nodes > 0) {
      const { username, password } = peerAdministrator;
      await this.#agent('init', username, password, 'Root Administrator');
    }
    for (const place of others) this.#run(place);
    if (isNew) {
      for (const { control } of others) await this.#agent('add', `tls:localhost:${control}`);
    }
    const http = this.connect();
    await until('all stock controllers take part', startMs, async () => {
      const { username, password } = peerAdministrator;
      const admin = await logIn(http, username, password).catch(() => this.#stillRuns());
      const known = (await admin?.all('controllers'))?.length;
      return known === this.shape.nodes ? true : undefined;
    });
  }

  /** SIGTERM for all controllers, whose databases are whole then. */
  async stop(): Promise<void> {
    for (const { child } of this.#runs) child.kill('SIGTERM');
    for (const { ended } of this.#runs) await ended;
    this.#previousLog = this.log;
    this.#runs = [];
  }

  async #initialize(): Promise<void> {
    const { username, password } = peerAdministrator;
    const { configuration, ziti } = this;
    const words = ['-u', username, '-p', password];
    await ziti.must('controller', 'edge', 'init', configuration, ...words, '--cliagent=false');
  }

  #run(place: PeerNodePlace): void {
    const words = ['controller', 'run', configurationFile(place), '--log-formatter', 'text'];
    const agent = ['--cli-agent-addr', `unix:${this.#socket(place)}`];
    const command = [this.#binary, ...words, ...agent] as const;
    this.#runs.push(new RunningProgram(this.#endings, command, undefined, this.directory));
  }

  #socket({ directory, number }: PeerNodePlace): string {
    return join(directory, `agent-${number}.sock`);
  }

  /** Gives an order for the cluster to the first controller as soon as that takes it. */
  async #agent(...words: readonly string[]): Promise<void> {
    const address = ['--app-addr', `unix:${this.#socket(this.places[0])}`];
    let text = '';
    await until(`agent cluster ${words[0]}`, startMs, async () => {
      const said = await this.ziti.run('agent', 'cluster', ...words, ...address);
      text = said.text;
      return said.code === 0 ? true : this.#stillRuns();
    }).catch((thrown: unknown) => {
      throw new Error(`${String(thrown)}; ${text}`);
    });
  }

  /** @throws with the log when a controller has ended */
  #stillRuns(): undefined {
    if (this.#runs.some(({ hasEnded }) => hasEnded)) throw new Error(this.log);
    return undefined;
  }
}

async function placesOf(directory: string, shape: PeerShape): Promise<PeerNodePlace[]> {
  const count = Math.max(1, shape.nodes);
  const ports = await freePorts(count * 2);
  return Array.from({ length: count }, (_, at) => {
    const api = ports[2 * at] ?? 0;
    const control = shape.hasControlPort ? (ports[2 * at + 1] ?? 0) : api;
    return { directory, number: at + 1, api, control };
  });
}
