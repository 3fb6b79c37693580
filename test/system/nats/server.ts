// Real NATS servers with JetStream, one or a cluster, in temporary homes: an account of its own
// with one user for nodes and one for `init`, TLS on request, and each way for a server to go away.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { NatsAccess, NatsCredentials } from '../../../src/cluster/nats/link.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import { makeOwnFiles, type OwnFiles } from '../openssl.ts';
import { natsServerBinary } from './binary.ts';

/** A server that is not healthy after this time will never be. */
const readyTimeoutMs = 60_000;
const lookEveryMs = 50;

/** As a node takes it: the default of `limits.frameBytesMax` and 64 KiB. */
export const payloadBytesMin = 4 * 1024 * 1024 + 64 * 1024;

/** What a set of servers shall be. */
export interface ServersWanted {
  readonly count: 1 | 3 | 5;
  readonly isTls?: boolean;
  readonly maxPayloadBytes?: number;
  /** As in a server's configuration; `always` when absent. */
  readonly syncInterval?: string;
  /** Bytes that the account may keep; a gibibyte when absent. */
  readonly accountBytesMax?: number;
  /** `max_file_store` of each server, and no limit of the account; 4 GB when absent. */
  readonly serverBytesMax?: number;
  /** Where a server keeps its streams, by its name; a directory of its own when absent. */
  readonly storeOf?: (name: string) => string;
}

type User = 'node' | 'init';

/**
 * What a node may do: write the log, members and snapshots, read them, purge, and send events. It
 * cannot make, change or delete a stream, nor delete a message of the log.
 */
const nodeSubjects = [
  'edge.*.*.log',
  'edge.*.*.node.*',
  'edge-control.events.>',
  '$KV.>',
  '$O.>',
  '$JS.API.INFO',
  '$JS.API.STREAM.INFO.*',
  '$JS.API.STREAM.NAMES',
  '$JS.API.STREAM.MSG.GET.*',
  '$JS.API.STREAM.PURGE.*',
  '$JS.API.CONSUMER.CREATE.>',
  '$JS.API.CONSUMER.INFO.>',
  '$JS.API.CONSUMER.DELETE.>',
  '$JS.FC.>',
];

/** A server has ended by itself, or refuses its configuration; its last words are the message. */
class ServerFailed extends Error {
  override readonly name = 'ServerFailed';
}

/** One server, which can be ended in any way and started again with its store. */
export class NatsServer {
  name: string;
  readonly port: number;
  /** URL of its monitoring port. */
  readonly monitoring: string;
  /** The directory of its configuration, its log and its store. */
  readonly home: string;
  readonly #binary: string;
  readonly #configuration: string;
  readonly #log: string;
  #process: ChildProcess | undefined;

  constructor(parts: {
    readonly binary: string;
    readonly name: string;
    readonly port: number;
    readonly monitoringPort: number;
    readonly home: string;
    readonly configuration: string;
  }) {
    this.name = parts.name;
    this.port = parts.port;
    this.monitoring = `http://127.0.0.1:${parts.monitoringPort}`;
    this.home = parts.home;
    this.#binary = parts.binary;
    this.#configuration = join(parts.home, 'nats.conf');
    this.#log = join(parts.home, 'log');
    writeFileSync(this.#configuration, parts.configuration);
  }

  /**
   * Changes its configuration, and lets it read that without a restart.
   * @throws when it does not take it
   */
  async reconfigure(change: (text: string) => string): Promise<void> {
    const text = readFileSync(this.#configuration, 'utf8');
    writeFileSync(this.#configuration, change(text));
    const before = this.#said().length;
    this.#process?.kill('SIGHUP');
    await until(`server ${this.name} takes its configuration`, () => {
      const said = this.#said().slice(before);
      if (said.includes('Failed to reload')) throw new ServerFailed(said);
      return said.includes('Reloaded server configuration');
    });
  }

  /** Gives it another name, from its next start on. */
  rename(name: string): void {
    const text = readFileSync(this.#configuration, 'utf8');
    const line = `server_name: ${name}`;
    writeFileSync(this.#configuration, text.replace(/^server_name: .*$/m, line));
    this.name = name;
  }

  start(): void {
    const child = spawn(this.#binary, ['-c', this.#configuration], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (said: Buffer) => appendFileSync(this.#log, said));
    this.#process = child;
  }

  /** Of its process; undefined before its first start and after its end. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Resolves when its JetStream is up and takes part in its streams. */
  async ready(): Promise<void> {
    await until(`server ${this.name} is healthy`, async () => {
      if (!this.#isAlive()) throw new ServerFailed(this.#said().slice(-2000));
      const answer = await fetch(`${this.monitoring}/healthz`);
      return answer.status === 200;
    });
  }

  /** Ends it as an operator does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Ends it as the kernel or a power cut does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Its connections stay open, and nothing is answered. */
  suspend(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  #said(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : '';
  }

  #isAlive(): boolean {
    const child = this.#process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const isAlive = this.#isAlive();
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || !isAlive) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    if (signal !== 'SIGKILL') child.kill('SIGCONT');
    await ended;
  }
}

/** Servers that know each other. */
export class NatsServers {
  readonly all: readonly NatsServer[];
  readonly #files: OwnFiles | undefined;

  constructor(all: readonly NatsServer[], files: OwnFiles | undefined) {
    this.all = all;
    this.#files = files;
  }

  /** The way in for a user. Without `servers` all of them may be tried. */
  access(user: User, servers: readonly NatsServer[] = this.all): NatsAccess {
    const credentials: NatsCredentials = { kind: 'password', user, password: passwordOf(user) };
    const files = this.#files;
    const tls = files === undefined ? {} : { tls: () => ({ ca: readFileSync(files.ca, 'utf8') }) };
    const names = servers.map(({ port }) => `127.0.0.1:${port}`);
    return { servers: names, credentials, payloadBytesMin, ...tls };
  }

  /** The server that leads a stream now; undefined while there is none. */
  async leaderOf(stream: string): Promise<NatsServer | undefined> {
    for (const server of this.all) {
      const leader = await leaderBy(server, stream);
      if (leader !== undefined) return this.all.find(({ name }) => name === leader);
    }
    return undefined;
  }

  /** The server that leads a stream, as soon as there is one. */
  async awaitLeader(stream: string, isWanted = (_: NatsServer) => true): Promise<NatsServer> {
    let found: NatsServer | undefined;
    await until(`${stream} has a leader`, async () => {
      found = await this.leaderOf(stream);
      return found !== undefined && isWanted(found);
    });
    if (found === undefined) throw new Error('unreachable');
    return found;
  }
}

/** Starts servers that go with `endings`, and waits until they serve. */
export async function startServers(endings: Endings, wanted: ServersWanted): Promise<NatsServers> {
  const binary = natsServerBinary();
  const directory = temporaryDirectory(endings, 'edge-control-nats-');
  const files = wanted.isTls === true ? makeOwnFiles(directory) : undefined;
  const ports = await freePorts(3 * wanted.count);
  const routes = ports.slice(2 * wanted.count);
  const servers = Array.from({ length: wanted.count }, (_, index) => {
    const name = `n${index + 1}`;
    const home = join(directory, name);
    mkdirSync(home);
    const [port = 0, monitoringPort = 0] = ports.slice(2 * index);
    const place = { name, home, port, monitoringPort, route: routes[index] ?? 0, routes };
    const configuration = configurationOf(place, wanted, files);
    return new NatsServer({ binary, name, port, monitoringPort, home, configuration });
  });
  endings.teardown(() => Promise.all(servers.map((server) => server.kill())));
  for (const server of servers) server.start();
  for (const server of servers) await server.ready();
  return new NatsServers(servers, files);
}

/**
 * Looks until something is so, for a minute or `mostMs`; what it throws counts as no.
 * @throws Error with `what` when it never is
 */
export async function until(
  what: string,
  look: () => Promise<boolean> | boolean,
  mostMs = readyTimeoutMs,
): Promise<void> {
  const endMs = performance.now() + mostMs;
  let last: unknown;
  while (performance.now() < endMs) {
    try {
      if (await look()) return;
    } catch (thrown) {
      if (thrown instanceof ServerFailed) throw thrown;
      last = thrown;
    }
    await setTimeout(lookEveryMs);
  }
  throw new Error(`not after ${mostMs} ms: ${what}`, { cause: last });
}

function passwordOf(user: User): string {
  return `password-of-${user}`;
}

interface Place {
  readonly name: string;
  readonly home: string;
  readonly port: number;
  readonly monitoringPort: number;
  readonly route: number;
  readonly routes: readonly number[];
}

function configurationOf(
  { name, home, port, monitoringPort, route, routes }: Place,
  wanted: ServersWanted,
  files: OwnFiles | undefined,
): string {
  const { count, maxPayloadBytes = 8 * 1024 * 1024, syncInterval = 'always' } = wanted;
  const { accountBytesMax = 1024 ** 3, serverBytesMax, storeOf = () => home } = wanted;
  const account = `{ max_memory: 50000000, max_file: ${accountBytesMax * count} }`;
  const quoted = nodeSubjects.map((subject) => JSON.stringify(subject)).join(', ');
  const lines = [
    `server_name: ${name}`,
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitoringPort}"`,
    `max_payload: ${maxPayloadBytes}`,
    `jetstream { store_dir: ${JSON.stringify(storeOf(name))}, sync_interval: ${syncInterval}`,
    `  max_memory_store: 100000000, max_file_store: ${serverBytesMax ?? 4_000_000_000} }`,
    'accounts {',
    '  SYS { users: [ { user: system, password: system } ] }',
    `  EDGE { jetstream: ${serverBytesMax === undefined ? account : 'enabled'}`,
    `    users: [ { user: init, password: ${passwordOf('init')} }`,
    `      { user: node, password: ${passwordOf('node')}, permissions {`,
    `        publish { allow: [ ${quoted} ] }, allow_responses: true,`,
    '        subscribe { allow: [ "_INBOX.>", "edge.*.*.node.*" ] } } } ] } }',
    'system_account: SYS',
  ];
  if (count > 1) {
    const others = routes.map((each) => `"nats-route://127.0.0.1:${each}"`).join(', ');
    lines.push(`cluster { name: edge, listen: "127.0.0.1:${route}", routes: [ ${others} ] }`);
  }
  if (files !== undefined) {
    lines.push(`tls { cert_file: "${files.serverCert}", key_file: "${files.serverKey}" }`);
  }
  return `${lines.join('\n')}\n`;
}

async function leaderBy(server: NatsServer, stream: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${server.monitoring}/jsz?accounts=true&streams=true`, {
      signal: AbortSignal.timeout(1000),
    });
    const { account_details: accounts = [] } = (await answer.json()) as Jsz;
    const streams = accounts.flatMap(({ stream_detail: details = [] }) => details);
    const leader = streams.find(({ name }) => name === stream)?.cluster?.leader;
    // A server that has just lost the leader still names it.
    return leader === server.name ? leader : undefined;
  } catch {
    return undefined;
  }
}

interface Jsz {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly cluster?: { readonly leader?: string };
    }[];
  }[];
}
