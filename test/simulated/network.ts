// A whole controller in one process, on a simulated disk, clock, chance and hasher: booted in
// milliseconds.

import { codeBounds } from '../../.ci/generate/bounds.ts';
import { changedLayouts } from '../../.ci/generate/layouts.ts';
import type { RouterPresenceEvent } from '../../machines/router-presence.ts';
import type { ControllerEnvironment } from '../../src/assembly/controller-environment.ts';
import { type Core, openCore } from '../../src/assembly/core.ts';
import type { CoreOptions } from '../../src/assembly/core-options.ts';
import { setUpHome } from '../../src/assembly/first-start.ts';
import { operations } from '../../src/assembly/operations.ts';
import { SealingKey } from '../../src/auth/sealing/sealing.ts';
import { emptyCaches } from '../../src/containers/recent-cache.ts';
import { type ApiName, apiNames, basePaths } from '../../src/declare/operations/apis.ts';
import { HeapWatch } from '../../src/observe/heap-watch.ts';
import { createLog, type LogLevel } from '../../src/observe/logs.ts';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import type { Clock, Fetch } from '../../src/platform/ports.ts';
import type { TrafficParts } from '../../src/routers/control-plane.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import type { Config } from '../../src/settings/config.ts';
import { loadConfig } from '../../src/settings/config.ts';
import type { Limits } from '../../src/settings/limits.ts';
import { SimulatedClock } from './clock.ts';
import { SimulatedDisk } from './disk.ts';
import { endProcess } from './fatal.ts';
import { SimulatedHasher } from './hasher.ts';
import { SimulatedHeap } from './heap.ts';
import { type InjectedAnswer, type InjectedRequest, inject } from './inject.ts';
import { SimulatedRandom } from './random.ts';

// Whoever changes a layout hears of it from the first test.
const [changedLayout] = changedLayouts();
if (changedLayout !== undefined) throw new Error(changedLayout);

/** What differs from one network to another. */
export interface NetworkOptions {
  readonly seed?: number;
  readonly limits?: Partial<Limits>;
  /** In place of bounds of the code, by name. */
  readonly bounds?: BoundValues;
  /** Settings in place of the defaults, group by group. */
  readonly config?: Partial<
    Pick<
      Config,
      | 'session'
      | 'auth'
      | 'enrollment'
      | 'argon2'
      | 'totp'
      | 'snapshot'
      | 'usage'
      | 'metrics'
      | 'oidc'
    >
  >;
  /** Deep freezing finds mutations and costs time: false for tests of many rows. */
  readonly freeze?: boolean;
  /** In place of the parts of the control plane for traffic: a test of one brings its own. */
  readonly traffic?: TrafficParts | undefined;
  /** Answers what the controller asks others for. */
  readonly fetch?: Fetch;
  /** The lowest level that is logged; `warn` when absent. */
  readonly logLevel?: LogLevel;
}

/** What a call may say beside method and path. */
export interface CallOptions extends Omit<InjectedRequest, 'url' | 'method'> {
  /** Session token; the administrator's when absent, none when `null`. */
  readonly token?: string | null;
}

/** An answer as tests read it. */
export interface Answer extends InjectedAnswer {
  /** `data` of the envelope; undefined in errors. */
  readonly data: unknown;
  /** `error.code`; undefined in successes. */
  readonly code: string | undefined;
  /** `error.cause`. */
  readonly cause: Readonly<Record<string, unknown>> | undefined;
  /** `meta.pagination`. */
  readonly pagination: Pagination | undefined;
}

/** `meta.pagination` of a list. */
export interface Pagination {
  readonly limit: number;
  readonly offset: number;
  readonly totalCount: number;
}

/** The administrator of every network. */
export const adminUser = 'admin';
/** Its password. */
export const adminPassword = 'admin-password';

/** Boots a new network and logs its administrator in. */
export async function bootNetwork(options: NetworkOptions = {}): Promise<Network> {
  const network = new Network(options);
  await network.open();
  await network.logInAdmin();
  return network;
}

/** The prefix by which tests name the base of each API. */
export const prefixes: Readonly<Record<ApiName, string>> = {
  client: 'C:',
  management: 'M:',
  fabric: 'F:',
};

/** `M:/x`, `C:/x` and `F:/x` are below the bases of the APIs; other paths stand for themselves. */
export function urlOf(path: string): string {
  const api = apiNames.find((name) => path.startsWith(prefixes[name]));
  return api === undefined ? path : basePaths[api] + path.slice(2);
}

/** A controller and the world it lives in; the world outlives the controller. */
export class Network {
  readonly random: SimulatedRandom;
  readonly hasher = new SimulatedHasher();
  readonly presence = new SimulatedPresence(this);
  readonly heap = new SimulatedHeap();
  /** What the next start is configured with. */
  config: Config;
  /** Whole lines, as the controller logged them. */
  readonly logged: string[] = [];
  /** What the process would have ended by, the first error first. */
  readonly ends: unknown[] = [];
  clock = new SimulatedClock();
  disk: SimulatedDisk;
  /** The administrator's session token. */
  admin = '';
  /** The generation of the cluster whose nodes start, if there is one. */
  generation: number | undefined;
  readonly #freeze: boolean;
  readonly #fetch: Fetch;
  readonly #traffic: TrafficParts | undefined;
  readonly #logLevel: LogLevel;
  readonly #bounds: BoundValues;
  #core: Core | undefined;

  constructor({
    seed = 1,
    limits = {},
    bounds,
    config = {},
    freeze = true,
    fetch = noKeys,
    traffic,
    logLevel = 'warn',
  }: NetworkOptions) {
    this.random = new SimulatedRandom(seed);
    this.disk = new SimulatedDisk(seed);
    this.#freeze = freeze;
    this.#fetch = fetch;
    this.#traffic = traffic;
    this.#logLevel = logLevel;
    // Events are looked at right after what causes them.
    this.#bounds = { eventGatherMs: 0, ...bounds };
    refuseUnknown(bounds);
    this.config = { ...configured({ ...smallFiles, ...limits }), ...config };
  }

  /** The running controller. */
  get core(): Core {
    if (this.#core === undefined) throw new Error('the network is down');
    return this.#core;
  }

  /** What the operations of the running controller see. */
  get env(): ControllerEnvironment {
    return this.core.env;
  }

  /** Opens the home, sets it up where it is new, and lets time begin. */
  async open(): Promise<void> {
    const core = await this.openCoreOn(this);
    if (core.isNew) {
      await setUpHome(core.env, this.random, core.authority.firstTokenKey);
      await this.pump(core.journal.flush());
    }
    core.start();
    this.adopt(core);
  }

  /** Opens a core on a disk, as a process of this world. */
  async openCoreOn(
    process: Pick<CoreOptions, 'disk' | 'clock' | 'openWriter' | 'leader'> & {
      readonly disk: SimulatedDisk;
    },
  ): Promise<Core> {
    const { random, hasher, config } = this;
    const { clock, disk, openWriter, leader } = process;
    for (const [path, bytes] of await pkiFiles()) {
      if (!disk.exists(path)) disk.place(path, bytes);
    }
    const { log } = createLog({
      level: this.#logLevel,
      clock,
      readable: false,
      write: (line) => void this.logged.push(line),
    });
    const core = await openCore({
      config,
      clock,
      disk,
      random,
      hasher,
      log,
      freeze: this.#freeze,
      bounds: this.#bounds,
      fetch: this.#fetch,
      traffic: this.#traffic,
      generation: this.generation,
      writer: 'inline',
      openWriter,
      leader,
      memory: this.#watchHeap(clock),
      fatal: (error) => {
        this.ends.push(error);
        return endProcess(error);
      },
      addresses: {
        url: 'https://localhost:1280',
        authority: 'localhost:1280',
        control: 'tls:localhost:6262',
      },
    });
    refuseUndeclared(core);
    return core;
  }

  /** From now on, this is the running controller. */
  adopt(core: Core): void {
    this.#core = core;
  }

  /** Collections are followed; nobody looks by the clock. */
  #watchHeap(clock: Clock): HeapWatch {
    const { heap } = this;
    const memory = new HeapWatch({
      clock,
      heap,
      limits: this.config.limits,
      emptyCaches,
    });
    memory.follow();
    return memory;
  }

  /** Sends a request to a path as `urlOf` reads it. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return await this.callAt(this.core, method, path, options);
  }

  /** The same, of any controller of this world. */
  async callAt(
    { handler }: Core,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer> {
    const { token = this.admin, headers, ...rest } = options;
    const session: Record<string, string> =
      token === null || token === '' ? {} : { 'zt-session': token };
    const injected = inject(handler, {
      ...rest,
      method,
      url: urlOf(path),
      headers: { ...session, ...headers },
    });
    return read(await this.pump(injected));
  }

  /** As `call`, for requests whose success is taken for granted: answers `data`. */
  async must<T>(method: string, path: string, body?: unknown, token?: string): Promise<T> {
    const options = { ...(body === undefined ? {} : { body }), ...(token ? { token } : {}) };
    const answer = await this.call(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body.toString()}`);
    return answer.data as T;
  }

  /** Creates an entity in the management API; answers its id. */
  async create(plural: string, body: object): Promise<string> {
    return (await this.must<{ id: string }>('POST', `M:/${plural}`, body)).id;
  }

  /** Creates an identity that can log in with its name and `password`; answers its id. */
  async createUser(name: string, password: string, more: object = {}): Promise<string> {
    const identityId = await this.create('identities', {
      name,
      type: 'Default',
      isAdmin: false,
      ...more,
    });
    await this.create('authenticators', { method: 'updb', identityId, username: name, password });
    return identityId;
  }

  /** Logs in; answers the session token. */
  async login(username: string, password: string, more: object = {}): Promise<string> {
    const path = 'C:/authenticate?method=password';
    const body = { username, password, ...more };
    const answer = await this.call('POST', path, { body, token: null });
    if (answer.status !== 200) throw new Error(`${username}: ${answer.body.toString()}`);
    return (answer.data as { token: string }).token;
  }

  /** Logs the administrator in again. */
  async logInAdmin(): Promise<void> {
    this.admin = await this.login(adminUser, adminPassword);
  }

  /** Lets `ms` go by, with everything that falls due in them. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.clock.settle();
  }

  /** Lets `ms` go by as a machine that sleeps: periodic work runs once, at the end. */
  async sleep(ms: number): Promise<void> {
    this.clock.sleep(ms);
    await this.clock.settle();
  }

  /** A clean stop, and a start on the same disk. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#reopen(this.disk.kill());
  }

  /** Power is lost: a start on what the disk kept, without a stop. */
  async crash(): Promise<void> {
    await this.#reopen(this.disk.crash());
  }

  /** Only the process dies: a start on all that was written, without a stop. */
  async kill(): Promise<void> {
    // What was appended in this turn reaches the file first, as it does in the writer's thread.
    this.clock.turn();
    this.#core = undefined;
    await this.#reopen(this.disk.kill());
  }

  /** A clean stop. */
  async stop(): Promise<void> {
    const { core } = this;
    this.#core = undefined;
    await this.pump(core.close());
  }

  async #reopen(disk: SimulatedDisk): Promise<void> {
    this.disk = disk;
    // Timers of the life before die with its process; the time goes on.
    this.clock = new SimulatedClock(this.clock.now());
    await this.open();
  }

  /** Turns the event loop until `promise` settles, and no further: what else waits stays. */
  async pump<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const watched = promise.finally(() => {
      settled = true;
    });
    watched.catch(() => undefined);
    // Signatures come from a pool of threads, which have to get a processor first.
    const givenUpAt = performance.now() + patienceMs;
    for (let turns = 0; turns < turnsMax || performance.now() < givenUpAt; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return watched;
      this.clock.turn();
    }
    throw new Error(`no answer after ${turnsMax} turns and ${patienceMs} ms`);
  }
}

/**
 * An operation that creates records must be declared to, so that it is refused when the heap is
 * full. Consequences that are noted for later count for those who free memory. Wrong passwords must
 * be counted at any time, in one record per password. Of the data integrity run there is one record
 * for ever. Sessions must be able to end at any time, and their revocations are bounded by
 * themselves.
 */
function refuseUndeclared({ env }: Core): void {
  env.store.follow(({ cause, changes }) => {
    const operation = operations.find(({ id }) => id === cause.operation);
    if (operation === undefined || operation.creates !== undefined) return;
    const made = changes.find(
      ({ table, before, after }) =>
        before === undefined && after !== undefined && !alwaysMade.has(table.kind),
    );
    if (made === undefined) return;
    throw new Error(`${operation.id} makes a ${made.table.kind} and is not declared to create`);
  });
}

const alwaysMade = new Set(['followUp', 'wrongPasswords', 'integrityRun', 'revocation']);

/** For tests of one part of the control plane. */
export const noTraffic: TrafficParts = () => ({ features: [] });

/** The world of a test that says nothing of it: identity providers without any keys. */
const noKeys: Fetch = async () => ({
  status: 200,
  headers: new Map(),
  body: Buffer.from('{"keys":[]}'),
});

/** Far more turns than any request takes. */
const turnsMax = 10_000;

/** Far longer than a signature takes on a machine that is busy otherwise. */
const patienceMs = 10_000;

/** Which routers are connected, as a test says: there is a presence, but no channel. */
export class SimulatedPresence {
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  /** The router's control channel comes up. */
  connect(routerId: string, hostname: string): void {
    const version = { arch: 'amd64', buildDate: '', os: 'linux', revision: '', version: 'v2' };
    const supportedProtocols = { tls: `tls://${hostname}:3022` };
    const fields = { address: '127.0.0.1', versionInfo: version, capabilities: [], routerId };
    this.#send(routerId, (now) => [
      { type: 'connect', now, isEdge: true, fields: { ...fields, connectedAt: now } },
      { type: 'greet', now, hostname, supportedProtocols },
      { type: 'beginSync', now },
      { type: 'finishSync', now },
    ]);
  }

  /** It goes down. */
  disconnect(routerId: string): void {
    this.#send(routerId, (now) => [{ type: 'disconnect', now, reason: 'a test wants it' }]);
  }

  #send(routerId: string, events: (now: number) => readonly RouterPresenceEvent[]): void {
    const { env } = this.#network;
    env.store.fence.begin();
    const cause = { actor: routerId, requestId: '', operation: 'test' };
    env.store.transact(cause, (tx) => {
      for (const event of events(tx.now)) env.send(tx, 'routerPresence', routerId, event);
    });
  }
}

/** The simulated disk remembers each sector that is not synced, so its files are kept small. */
const smallFiles = { segmentBytes: 512 * 1024, frameBytesMax: 384 * 1024 };

const home = '/home';

function configured(limits: Partial<Limits>): Config {
  const config = loadConfig({
    flags: { home, adminUser, adminPassword },
    environment: {},
    directory: '/',
    cores: 2,
    readFile: (path) => {
      throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    },
  });
  return { ...config, limits: { ...config.limits, ...limits } };
}

/** A bound that has another name now would keep its value unnoticed. */
function refuseUnknown(bounds: BoundValues = {}): void {
  const names = Object.keys(bounds);
  if (names.length === 0) return;
  const known = (knownBounds ??= new Set(codeBounds().map(({ name }) => name)));
  for (const name of names) if (!known.has(name)) throw new Error(`no bound is named ${name}`);
}

let knownBounds: ReadonlySet<string> | undefined;

let madePki: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** The files of one PKI: made once a process, as keys and certificates take 170 ms. */
function pkiFiles(): Promise<ReadonlyMap<string, Buffer>> {
  return (madePki ??= makePki());
}

async function makePki(): Promise<ReadonlyMap<string, Buffer>> {
  const disk = new SimulatedDisk(1);
  const directory = `${home}/pki`;
  await openAuthority({
    disk,
    clock: new SimulatedClock(),
    random: new SimulatedRandom('pki'),
    directory,
    host: 'localhost',
    settings: configured({}).pki,
  });
  new SealingKey({ disk, random: new SimulatedRandom('sealing'), directory }).confirm([]);
  const paths = disk.list(directory).map((name) => `${directory}/${name}`);
  return new Map(paths.map((path) => [path, disk.bytesOf(path)]));
}

function read(answer: InjectedAnswer): Answer {
  const isJson = answer.headers['content-type']?.includes('json') && answer.body.length > 0;
  const body = (isJson ? answer.json() : {}) as {
    data?: unknown;
    error?: { code?: string; cause?: Record<string, unknown> };
    meta?: { pagination?: Pagination };
  };
  return {
    ...answer,
    data: body.data,
    code: body.error?.code,
    cause: body.error?.cause,
    pagination: body.meta?.pagination,
  };
}
