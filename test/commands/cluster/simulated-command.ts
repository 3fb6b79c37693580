// A machine on which cluster commands run: a home in memory, and the servers of a cluster.

import { withFile } from '../../../snapshots/home/file-access.ts';
import type { ClusterCommand } from '../../../src/commands/cluster/command.ts';
import type {
  HomeFacts,
  HomeNode,
  HomeOrder,
  NodeHome,
  SnapshotFile,
} from '../../../src/commands/cluster/node-home.ts';
import { initCluster } from '../../../src/commands/cluster/seed.ts';
import { StartProblem } from '../../../src/errors/errors.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { SimulatedServers } from '../../simulated/cluster-servers.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import { SimulatedRandom } from '../../simulated/random.ts';

/** The data set of all homes. */
export const dataSetId = 'd'.repeat(32);

/** A home that stands alone. */
export const alone: HomeFacts = { dataSetId, node: undefined, last: { lsn: 41, crc: 9 } };

/** Keys that all nodes have. */
export const commonKeys = { CA: 'c', 'API key': 'a', 'sealing key': 's' };

/** A home that remembers what became of it. */
export class SimulatedHome implements NodeHome {
  readonly path: string;
  here: HomeFacts | undefined;
  placed: HomeOrder | undefined;
  entered: HomeNode | undefined;
  isLaidAside = false;
  isRunning = false;
  /** Names of the files of keys that it was given. */
  keptKeys: readonly string[] = [];
  ownKeys: Readonly<Record<string, string>> = commonKeys;
  readonly #disk: SimulatedDisk;

  constructor(disk: SimulatedDisk, path: string, here: HomeFacts | undefined) {
    this.#disk = disk;
    this.path = path;
    this.here = here;
    disk.makeDirectory(path);
  }

  facts(): HomeFacts | undefined {
    if (this.isRunning) throw new StartProblem(`${this.path} is in use.`);
    return this.here;
  }

  dataSetId(): string {
    if (this.here === undefined) throw new StartProblem(`${this.path} is no home.`);
    return this.here.dataSetId;
  }

  nodeId(): string | undefined {
    return this.here?.node?.id;
  }

  async snapshot(): Promise<SnapshotFile> {
    const path = this.#beside('own');
    const lsn = this.here?.last.lsn ?? 0;
    withFile(this.#disk, path, 'create', (file) => file.write([Buffer.from(`at ${lsn}`)], 0));
    return { path, lsn, crc: this.here?.last.crc ?? 0 };
  }

  draft(): string {
    return this.#beside('downloaded');
  }

  hasKeys(): boolean {
    return this.keptKeys.length > 0;
  }

  keepKeys(files: ReadonlyMap<string, Buffer>): string {
    this.keptKeys = [...files.keys()];
    return `${this.path}/keys`;
  }

  discardDrafts(): void {
    for (const name of this.drafts) this.#disk.remove(`${this.path}/${name}`);
  }

  #beside(name: string): string {
    const path = `${this.path}/${name}.draft`;
    if (this.#disk.exists(path)) this.#disk.remove(path);
    return path;
  }

  async place(order: HomeOrder): Promise<void> {
    this.placed = order;
    const { lsn, crc } = order.snapshot;
    this.here = { dataSetId, node: order.node, last: { lsn, crc } };
  }

  enter(node: HomeNode): void {
    if (this.here === undefined) throw new StartProblem(`${this.path} is no home.`);
    this.entered = node;
    this.here = { ...this.here, node };
  }

  layAside(): string {
    this.isLaidAside = true;
    this.here = undefined;
    return `${this.path}.left`;
  }

  sealingKey(): string {
    return 'a'.repeat(64);
  }

  keys(): Readonly<Record<string, string>> {
    return this.ownKeys;
  }

  /** Files that the commands have left beside it. */
  get drafts(): string[] {
    return this.#disk.list(this.path).filter((name) => name.endsWith('.draft'));
  }
}

/** A command on a machine, with what it has printed. */
export interface Machine extends ClusterCommand {
  readonly home: SimulatedHome;
  readonly clock: SimulatedClock;
  readonly said: string[];
}

/** A machine; `seed` makes its ids differ from those of others. */
export function machine(
  disk: SimulatedDisk,
  servers: SimulatedServers,
  path: string,
  here: HomeFacts | undefined,
  seed = 1,
): Machine {
  const said: string[] = [];
  const formats = { log: 2, identity: 3 };
  return {
    build: { version: '1.0.0', reads: formats, writes: formats },
    cluster: {
      servers: [{ host: '127.0.0.1', port: 4222 }],
      monitoring: [],
      credentials: undefined,
      tls: undefined,
      listen: { host: '127.0.0.1', port: 1290 },
      advertise: { host: '127.0.0.1', port: 1290 },
      replicas: 3,
      clockSkewMs: 500,
      leaderWaitMs: 10_000,
      leads: 'elected',
      reads: 'lease',
    },
    access: servers,
    home: new SimulatedHome(disk, path, here),
    clock: new SimulatedClock(1_000_000),
    random: new SimulatedRandom(seed),
    self: {
      version: '1.0.0',
      formats,
      advertised: 'localhost:1280',
      internal: '127.0.0.1:1290',
      settingsHash: '',
    },
    said,
    out: (line) => void said.push(line),
    err: (line) => void said.push(line),
  };
}

/** Servers on which nothing is yet, and a machine with this home. */
export function oneMachine(here: HomeFacts | undefined = alone) {
  const disk = new SimulatedDisk(1);
  const servers = new SimulatedServers(disk);
  return { disk, servers, one: machine(disk, servers, '/one', here) };
}

/** A cluster with its first node, which has not printed anything. */
export async function firstNode() {
  const made = oneMachine();
  await initCluster(made.one);
  made.one.said.length = 0;
  const [stream] = made.servers.kept;
  if (stream === undefined) throw new Error('there is no stream');
  return { ...made, stream };
}
