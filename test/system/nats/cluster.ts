// A cluster of whole controllers: processes with homes of their own, over real NATS servers.

import { strict as assert } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { readMembership } from '../../../snapshots/home/membership.ts';
import { type Api, connect, logIn } from '../client.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import {
  adminPassword,
  cheapHashes,
  controller,
  type Ended,
  metricsUrlOf,
  Process,
  type Program,
  type Serving,
  startProcess,
  whenReady,
} from '../process.ts';
import { digestOfHome } from '../record-digest.ts';
import { type NatsServers, until } from './server.ts';

/** What a cluster of controllers runs on, and how it differs from the usual one. */
export interface ClusterWanted {
  readonly servers: NatsServers;
  readonly endings: Endings;
  /** Copies of the streams. */
  readonly count: 1 | 3 | 5;
  /** Settings of `config.json` in each home. */
  readonly configuration?: object;
  /** `HOST:PORT` of the NATS servers that a node is given; all of them when absent. */
  readonly serversOf?: (index: number) => readonly string[];
  /** The port that a node tells the others instead of the one that it listens on. */
  readonly advertisedPortOf?: (index: number) => number;
  /** What starts a node; the controller of the tests when absent. */
  readonly program?: Program;
  /** Further flags of `run`, which win over the usual ones. */
  readonly flagsOf?: (index: number) => readonly string[];
  /** Path of the credentials file of a node; one with user and password when absent. */
  readonly credentialsOf?: (index: number) => string;
  /** The home of a node; a directory of its own when absent. */
  readonly homeOf?: (index: number) => string | undefined;
  /** Whether a node that ends because it leads no more is started again. */
  readonly isSupervised?: boolean;
}

/** How a node is started, where that is not as usual. */
interface Started {
  /** Another build than this one. */
  readonly program?: Program | undefined;
  readonly flags?: readonly string[];
}

/** The part of `status --json` that is looked at. */
interface Shown {
  readonly members: readonly {
    readonly id: string;
    readonly role: string;
    readonly internal: string;
    readonly advertised: string;
    readonly version: string;
  }[];
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** What `status` says: its report, or why there is none. */
export interface Status extends Shown {
  readonly code: number | null;
  readonly stderr: string;
}

/** What a node says of itself on its port for metrics. */
export interface NodeHealth {
  /** Of the answer of `/health-checks`. */
  readonly status: number;
  readonly state: string;
  readonly role: string;
  readonly term: number;
  readonly lsn: number;
  /** Messages of the checks that fail, by their ids. */
  readonly failing: ReadonlyMap<string, string>;
}

/** Of the metrics of a node. */
const answeredLine =
  /^edge_control_http_request_duration_seconds_count\{operation="(\w+)".*\} (\d+)$/gm;

/** In the log of a node since it leads. */
const leadLine = 'this node leads from now on';

/** Nodes, each with its home; `open` makes one. */
export class Cluster {
  readonly #wanted: ClusterWanted;
  readonly #directory: string;
  readonly #ports: readonly number[];
  readonly nodes: Serving[] = [];
  /** Settings of single nodes, from their next start on. */
  readonly settings: object[] = [];
  #isStopping = false;

  private constructor(wanted: ClusterWanted, ports: readonly number[]) {
    this.#wanted = wanted;
    this.#directory = temporaryDirectory(wanted.endings, 'edge-cluster-');
    this.#ports = ports;
    for (const user of ['init', 'node'] as const) {
      const { credentials, tls } = wanted.servers.access(user);
      if (credentials?.kind !== 'password') throw new Error('no password');
      this.replacePassword(user, credentials.password);
      writeFileSync(join(this.#directory, 'nats-ca.pem'), tls?.().ca ?? '');
    }
  }

  /** Three places for nodes, none of which is made yet. */
  static async open(wanted: ClusterWanted): Promise<Cluster> {
    return new Cluster(wanted, await freePorts(3));
  }

  /** So many nodes that have begun and joined, and are well. The first one leads. */
  static async running(wanted: ClusterWanted, count: 2 | 3): Promise<Cluster> {
    const cluster = await Cluster.open(wanted);
    await cluster.begin();
    for (let index = 1; index < count; index += 1) await cluster.join(index);
    await cluster.well(count);
    return cluster;
  }

  /** The home of a node. */
  home(index: number): string {
    return this.#wanted.homeOf?.(index) ?? join(this.#directory, `node-${index}`);
  }

  /** What only this cluster uses. */
  path(name: string): string {
    return join(this.#directory, name);
  }

  /** Writes the credentials file of a user again. */
  replacePassword(user: 'init' | 'node', password: string): void {
    writeFileSync(join(this.#directory, user), `${user}:${password}\n`, { mode: 0o600 });
  }

  /** The port on which a node takes the others. */
  internalPort(index: number): number {
    return this.#ports[index] ?? 0;
  }

  /** Runs a cluster command on the home of a node to its end. */
  async run(index: number, words: readonly string[], user: 'init' | 'node'): Promise<Ended> {
    const [command = '', ...rest] = words;
    const home = ['--home', this.home(index)];
    return await this.#runToEnd([
      'cluster',
      command,
      ...home,
      ...rest,
      ...this.#flags(index, user),
    ]);
  }

  /** Makes the first home, and its cluster. */
  async begin(): Promise<void> {
    const environment = { EDGE_ADMIN_PASSWORD: adminPassword };
    const made = await this.#runToEnd(['init', '--home', this.home(0)], environment);
    assert.equal(made.code, 0, made.stderr);
    const begun = await this.run(0, ['init'], 'init');
    assert.equal(begun.code, 0, begun.stderr);
    await this.start(0);
  }

  /** Adds a node, with the keys of the first one. */
  async join(index: number): Promise<void> {
    const pki = join(this.home(0), 'pki');
    const words = ['join', '--pki', pki, '--data-set', this.dataSetId];
    const joined = await this.run(index, words, 'node');
    assert.equal(joined.code, 0, joined.stderr);
    await this.start(index);
  }

  /** Starts a node on its home. @throws when it does not serve */
  async start(index: number, started: Started = {}): Promise<Serving> {
    const home = this.home(index);
    const { configuration } = this.#wanted;
    const settings = {
      argon2: cheapHashes,
      tlsWorkers: 1,
      metrics: { listen: '127.0.0.1:0' },
      ...configuration,
      ...this.settings[index],
    };
    writeFileSync(join(home, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
    const node = await whenReady(this.#process(index, started), home);
    this.nodes[index] = node;
    if (this.#wanted.isSupervised === true) void this.#supervise(index, node);
    return node;
  }

  /** Starts a node that must not serve. @returns why, as it says */
  async refused(index: number, started: Started = {}): Promise<string> {
    const { code, stdout, stderr } = await this.#process(index, started).ended;
    assert.equal(code, 2, stdout + stderr);
    return stderr;
  }

  /** Tells the leader to let another node lead, and waits for the end of its process. */
  async stepDown(leader: number): Promise<void> {
    const { ended } = this.process(leader);
    const told = await this.run(leader, ['step-down'], 'node');
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, /starts again as a follower/);
    assert.equal((await ended).code, nodeEndedCode);
  }

  /** The id of a node, as its home has it. */
  nodeId(index: number): string {
    return readMembership(nodeDisk, this.home(index))?.nodeId ?? '';
  }

  /** A node that was started. @throws when it never was */
  serving(index: number): Serving {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`node ${index} does not run`);
    return node;
  }

  /** The process of a node. */
  process(index: number): Process {
    return this.serving(index).process;
  }

  /** Starts the nodes again that have ended as a supervisor expects it. */
  async revive(): Promise<void> {
    for (const [index, { process }] of this.nodes.entries()) {
      const { exitCode, signalCode } = process.child;
      if (exitCode === null && signalCode === null) continue;
      assert.equal(exitCode, nodeEndedCode, process.stderr);
      await this.start(index);
    }
  }

  /** What a node tells of itself, whoever leads. */
  async health(index: number): Promise<NodeHealth> {
    const url = await metricsUrlOf(this.process(index));
    const answer = await fetch(`${url}/health-checks`);
    const { data } = (await answer.json()) as { readonly data: Told };
    const text = await (await fetch(`${url}/metrics`)).text();
    const role = /^edge_control_cluster_role\{state="(\w+)"\} 1$/m.exec(text)?.[1] ?? '';
    const figure = (name: string) =>
      Number(new RegExp(`^edge_control_cluster_${name} (\\d+)$`, 'm').exec(text)?.[1]);
    const failing = data.checks.filter(({ healthy }) => !healthy);
    return {
      status: answer.status,
      state: data.state,
      role,
      term: figure('term'),
      lsn: figure('lsn'),
      failing: new Map(failing.map(({ id, message }) => [id, message])),
    };
  }

  /** How often the process of a node has answered each operation. */
  async answered(index: number): Promise<ReadonlyMap<string, number>> {
    const url = await metricsUrlOf(this.process(index));
    const text = await (await fetch(`${url}/metrics`)).text();
    const counts = new Map<string, number>();
    for (const [, operation = '', count] of text.matchAll(answeredLine)) {
      counts.set(operation, (counts.get(operation) ?? 0) + Number(count));
    }
    return counts;
  }

  /** What `status` says on the machine of a node. */
  async status(index: number): Promise<Status> {
    const { code, stdout, stderr } = await this.run(index, ['status', '--json'], 'node');
    if (stdout === '') return { code, stderr, members: [], problems: [], notes: [] };
    return { ...(JSON.parse(stdout) as Shown), code, stderr };
  }

  /** An administrator at a node, who is answered only when some node leads. */
  async admin(index: number): Promise<Api> {
    const node = this.serving(index);
    let api: Api | undefined;
    await until(`node ${index} answers`, async () => {
      api = await logIn(connect(this.#wanted.endings, node)).catch(() => undefined);
      return api !== undefined;
    });
    if (api === undefined) throw new Error('unreachable');
    return api;
  }

  /** Waits until `status` says that one node leads, the others follow, and all is well. */
  async well(count = 3, from = 0): Promise<void> {
    const wanted = [...Array.from({ length: count - 1 }, () => 'following'), 'leading'];
    await until('all is well', async () => {
      const { code, members, problems, stderr } = await this.status(from);
      const roles = members.map(({ role }) => role).sort();
      if (code === 0 && String(roles) === String(wanted)) return true;
      throw new Error(`${roles}: ${problems.join(' ')}${stderr}`);
    });
  }

  /** Where the nodes say that clients reach them, sorted. */
  async advertised(): Promise<readonly string[]> {
    const { members } = await this.status(0);
    return members.map(({ advertised }) => advertised).sort();
  }

  /** The node that leads, as soon as one says so: entries may be 5 s old. */
  async leader(): Promise<number> {
    let found = -1;
    await until('a node leads', async () => {
      found = await this.#leaderNow();
      return found >= 0;
    });
    return found;
  }

  async #leaderNow(): Promise<number> {
    for (const index of this.nodes.keys()) {
      const { members } = await this.status(index);
      const leading = members.find(({ role }) => role === 'leading');
      const port = Number(leading?.internal.split(':')[1]);
      const found = this.#ports.findIndex((_, each) => this.#advertisedPort(each) === port);
      if (found >= 0) return found;
    }
    return -1;
  }

  /** The one of these nodes that has begun to lead, as soon as its log says so. */
  async awaitLead(indices: readonly number[]): Promise<number> {
    let found: number | undefined;
    await until('a node leads', () => {
      found = indices.find((index) => this.hasLed(index));
      return found !== undefined;
    });
    if (found === undefined) throw new Error('unreachable');
    return found;
  }

  /** Starts a node again as its supervisor does. */
  async #supervise(index: number, { process }: Serving): Promise<void> {
    const { code } = await process.ended;
    if (code !== nodeEndedCode) return;
    await until(`node ${index} is back`, async () => {
      const isOver = this.#isStopping || this.nodes[index]?.process !== process;
      if (!isOver) await this.start(index);
      return true;
    }).catch((error) => console.log(error));
  }

  /** Whether the process of a node has begun to lead, as its log says. */
  hasLed(index: number): boolean {
    return this.nodes[index]?.process.stderr.includes(leadLine) === true;
  }

  /** Id of the data set. */
  get dataSetId(): string {
    return readManifest(nodeDisk, this.home(0))?.dataSetId ?? '';
  }

  /** Whether the homes of all nodes have the same records, up to the same LSN. */
  areEqual(): boolean {
    const [first, ...others] = this.nodes.map((_, index) => digestOfHome(this.home(index)));
    return others.every((other) => isDeepStrictEqual(other, first));
  }

  /** Ends all nodes, and makes a new stream from the one that has most, as the documents say. */
  async reseed(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.nodes.map(({ process }) => process.stop()));
    this.#isStopping = false;
    let shown = '';
    await until('all nodes have been silent for a while', async () => {
      const { stdout, stderr } = await this.run(0, ['reseed'], 'init');
      shown = stdout + stderr;
      return /^greatest/m.test(shown);
    });
    const greatest = /^greatest +(\S+):/m.exec(shown)?.[1];
    const seed = this.nodes.findIndex((_, index) => this.nodeId(index) === greatest);
    assert.ok(seed >= 0, shown);
    const done = await this.run(seed, ['reseed', '--yes'], 'init');
    assert.equal(done.code, 0, done.stdout + done.stderr);
    await this.start(seed);
    for (const index of this.nodes.keys()) if (index !== seed) await this.start(index);
  }

  #process(index: number, { flags = [], program }: Started): Process {
    const { endings, flagsOf, program: usual } = this.#wanted;
    const own = [...this.#flags(index, 'node'), ...(flagsOf?.(index) ?? [])];
    const all = ['--ctrl-listen', 'none', ...own, ...flags];
    return startProcess(endings, this.home(index), all, program ?? usual);
  }

  #advertisedPort(index: number): number {
    return this.#wanted.advertisedPortOf?.(index) ?? this.internalPort(index);
  }

  async #runToEnd(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const { endings, program = controller } = this.#wanted;
    return await new Process(endings, words, environment, program).ended;
  }

  #flags(index: number, user: 'init' | 'node'): string[] {
    const { servers, count, serversOf, credentialsOf } = this.#wanted;
    const access = servers.access(user);
    const names = serversOf?.(index) ?? access.servers;
    const tls = access.tls && ['--cluster-tls-ca', join(this.#directory, 'nats-ca.pem')];
    return [
      '--cluster-servers',
      names.join(','),
      '--cluster-credentials',
      credentialsOf?.(index) ?? join(this.#directory, user),
      ...(tls ?? []),
      '--cluster-replicas',
      String(count),
      '--cluster-listen',
      `127.0.0.1:${this.internalPort(index)}`,
      '--cluster-advertise',
      `127.0.0.1:${this.#advertisedPort(index)}`,
    ];
  }
}

/** Exit code of a node that has to be started again as a follower. */
const nodeEndedCode = 3;

/** The part of `/health-checks` that is looked at. */
interface Told {
  readonly state: string;
  readonly checks: readonly {
    readonly id: string;
    readonly healthy: boolean;
    readonly message: string;
  }[];
}
