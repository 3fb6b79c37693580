// A cluster that a migrated home begins, and a second node joins.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, connect, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import { type NatsServers, startServers, until } from '../nats/server.ts';
import { Process, runToEnd } from '../process.ts';
import { peerAdministrator } from './peer-network.ts';

/**
 * Makes the home the first node of a cluster, and lets a second one join, which leads once the
 * first one is stopped. @returns what both have @throws Lacking without nats-server
 */
export async function joinSecondNode(endings: Endings, home: string, ca: string): Promise<string> {
  const servers = await startServers(endings, { count: 1 });
  const ports = await freePorts(4);
  const first = new Node({ endings, servers, ca, home, ports: ports.slice(0, 2) });
  const others = { home: `${home}-second`, ports: ports.slice(2) };
  const second = new Node({ endings, servers, ca, ...others });
  await first.cluster('init', 'init');
  await first.start();
  mkdirSync(second.home, { mode: 0o700 });
  // The configuration names the keys by their paths in the home, so they have to be there.
  for (const name of ['config.json', 'pki']) {
    cpSync(join(home, name), join(second.home, name), { recursive: true });
  }
  await second.cluster('join', 'node');
  await second.start();
  const counts = [await first.identities(), await second.identities()];
  await first.stop();
  counts.push(await second.identities());
  if (new Set(counts).size > 1) throw new Error(`identities: ${counts}`);
  return `${counts[0]} identities at both, and at the second one alone`;
}

interface NodeParts {
  readonly endings: Endings;
  readonly servers: NatsServers;
  readonly ca: string;
  readonly home: string;
  /** For clients, and for other nodes. */
  readonly ports: readonly number[];
}

class Node {
  readonly home: string;
  readonly #parts: NodeParts;
  #process: Process | undefined;

  constructor(parts: NodeParts) {
    this.home = parts.home;
    this.#parts = parts;
  }

  /** Runs a command of clusters to its end. @throws with what it said when that fails */
  async cluster(command: string, user: 'init' | 'node'): Promise<void> {
    const words = ['cluster', command, '--home', this.home, ...this.#flags(user)];
    const { code, stdout, stderr } = await runToEnd(this.#parts.endings, words);
    if (code !== 0) throw new Error(`cluster ${command}: ${code} ${stdout}${stderr}`);
  }

  async start(): Promise<void> {
    const [port] = this.#parts.ports;
    const api = ['--listen', `127.0.0.1:${port}`, '--advertise', `localhost:${port}`];
    const control = ['--ctrl-listen', 'none', '--ctrl-advertise', `localhost:${port}`];
    const words = ['run', '--home', this.home, ...api, ...control, ...this.#flags('node')];
    this.#process = new Process(this.#parts.endings, words, {});
    await this.#process.says('stdout', 'ready ');
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** How many identities it shows, as soon as a node leads. */
  async identities(): Promise<number> {
    const { endings, ports, ca } = this.#parts;
    const http = connect(endings, { url: `https://localhost:${ports[0]}`, ca });
    const { username, password } = peerAdministrator;
    let admin: Api | undefined;
    await until('a node answers', async () => {
      admin = await logIn(http, username, password);
      return true;
    });
    return (await admin?.all('identities'))?.length ?? 0;
  }

  #flags(user: 'init' | 'node'): string[] {
    const { servers, ports } = this.#parts;
    const access = servers.access(user);
    if (access.credentials?.kind !== 'password') throw new Error('no password');
    const file = `${this.home}-${user}`;
    writeFileSync(file, `${user}:${access.credentials.password}\n`, { mode: 0o600 });
    return [
      '--cluster-servers',
      access.servers.join(','),
      '--cluster-credentials',
      file,
      '--cluster-replicas',
      '1',
      '--cluster-listen',
      `127.0.0.1:${ports[1]}`,
    ];
  }
}
