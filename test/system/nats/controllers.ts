// Checks of whole controllers as nodes of a cluster: processes, homes, fronts and takeovers.

import { strict as assert } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { type Api, connect, logIn, management } from '../client.ts';
import { temporaryDirectory } from '../endings.ts';
import {
  adminPassword,
  cheapHashes,
  type Ended,
  runToEnd,
  type Serving,
  serve,
} from '../process.ts';
import type { Check, World } from './check.ts';
import { freePorts, until } from './server.ts';

/** The part of `status --json` that is looked at. */
interface Shown {
  readonly members: readonly { readonly role: string; readonly internal: string }[];
}

/** Three nodes, each with its home. */
class Cluster {
  readonly #world: World;
  readonly #directory: string;
  readonly #ports: readonly number[];
  readonly nodes: Serving[] = [];

  constructor(world: World, ports: readonly number[]) {
    this.#world = world;
    this.#directory = temporaryDirectory(world.endings, 'edge-cluster-');
    this.#ports = ports;
    for (const user of ['init', 'node'] as const) {
      const { credentials, tls } = world.servers.access(user);
      if (credentials?.kind !== 'password') throw new Error('no password');
      const { user: name, password } = credentials;
      writeFileSync(join(this.#directory, user), `${name}:${password}\n`, { mode: 0o600 });
      writeFileSync(join(this.#directory, 'nats-ca.pem'), tls?.().ca ?? '');
    }
  }

  home(index: number): string {
    return join(this.#directory, `node-${index}`);
  }

  /** Runs a cluster command on the home of a node to its end. */
  async run(index: number, words: readonly string[], user: 'init' | 'node'): Promise<Ended> {
    const [command = '', ...rest] = words;
    const home = ['--home', this.home(index)];
    return await runToEnd(this.#world.endings, [
      'cluster',
      command,
      ...home,
      ...rest,
      ...this.#flags(index, user),
    ]);
  }

  /** Makes the first home, and its cluster. */
  async begin(): Promise<void> {
    const { endings } = this.#world;
    const environment = { EDGE_ADMIN_PASSWORD: adminPassword };
    const made = await runToEnd(endings, ['init', '--home', this.home(0)], environment);
    assert.equal(made.code, 0, made.stderr);
    const begun = await this.run(0, ['init'], 'init');
    assert.equal(begun.code, 0, begun.stderr);
    await this.start(0);
  }

  /** Adds a node, with the keys of the first one. */
  async join(index: number): Promise<void> {
    const dataSet = readManifest(nodeDisk, this.home(0))?.dataSetId ?? '';
    const pki = join(this.home(0), 'pki');
    const words = ['join', '--pki', pki, '--data-set', dataSet];
    const joined = await this.run(index, words, 'node');
    assert.equal(joined.code, 0, joined.stderr);
    await this.start(index);
  }

  async start(index: number): Promise<Serving> {
    const home = this.home(index);
    const configuration = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1 });
    writeFileSync(join(home, 'config.json'), configuration, { mode: 0o600 });
    const flags = ['--ctrl-listen', 'none', ...this.#flags(index, 'node')];
    const node = await serve(this.#world.endings, home, flags);
    this.nodes[index] = node;
    return node;
  }

  /** An administrator at a node, who is answered only when some node leads. */
  async admin(index: number): Promise<Api> {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`node ${index} does not run`);
    let api: Api | undefined;
    await until(`node ${index} answers`, async () => {
      api = await logIn(connect(this.#world.endings, node)).catch(() => undefined);
      return api !== undefined;
    });
    if (api === undefined) throw new Error('unreachable');
    return api;
  }

  /** Waits until `status` says that one node leads, the others follow, and all is well. */
  async well(): Promise<void> {
    await until('all is well', async () => {
      const { code, stdout } = await this.run(0, ['status', '--json'], 'node');
      const roles = (JSON.parse(stdout) as Shown).members.map(({ role }) => role).sort();
      return code === 0 && String(roles) === 'following,following,leading';
    });
  }

  /** The node that leads. */
  async leader(): Promise<number> {
    for (const index of this.nodes.keys()) {
      const { stdout } = await this.run(index, ['status', '--json'], 'node');
      const { members } = JSON.parse(stdout) as Shown;
      const leading = members.find(({ role }) => role === 'leading');
      const port = Number(leading?.internal.split(':')[1]);
      if (this.#ports.includes(port)) return this.#ports.indexOf(port);
    }
    throw new Error('no node leads');
  }

  #flags(index: number, user: 'init' | 'node'): string[] {
    const { servers, count } = this.#world;
    return [
      '--cluster-servers',
      servers.access(user).servers.join(','),
      '--cluster-credentials',
      join(this.#directory, user),
      '--cluster-tls-ca',
      join(this.#directory, 'nats-ca.pem'),
      '--cluster-replicas',
      String(count),
      '--cluster-listen',
      `127.0.0.1:${this.#ports[index]}`,
    ];
  }
}

/** Creates identities through a node. @returns their names */
async function create(api: Api, prefix: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  for (const name of names) {
    await api.create('identities', { name, type: 'Default', isAdmin: false });
  }
  return names;
}

/** Creates one, again and again until it is answered 201, as a client does that retries. */
async function createAtLast(api: Api, name: string): Promise<void> {
  await until(`${name} is created`, async () => {
    const body = { name, type: 'Default', isAdmin: false };
    const answer = await api
      .call('POST', `${management}/identities`, body)
      .catch(() => ({ status: 0 }));
    // An earlier attempt may have been done although its answer was lost.
    return answer.status === 201 || answer.status === 400;
  });
}

async function namesAt(api: Api): Promise<string[]> {
  const rows = await api.all('identities');
  return rows.map(({ name }) => String(name));
}

/** What three controllers promise together. */
export const controllerChecks: readonly Check[] = [
  {
    name: 'controllers: any node takes any client, and nothing is lost when the leader is killed',
    body: async (world) => {
      const cluster = new Cluster(world, await freePorts(3));
      await cluster.begin();
      await create(await cluster.admin(0), 'before', 5);
      for (const index of [1, 2]) await cluster.join(index);
      await cluster.well();
      const names: string[] = [];
      for (const index of [0, 1, 2]) {
        names.push(...(await create(await cluster.admin(index), `at-${index}`, 5)));
      }
      const leader = await cluster.leader();
      const others = [0, 1, 2].filter((index) => index !== leader);
      const api = await cluster.admin(others[0] ?? 0);
      const created = createAtLast(api, 'after-the-kill');
      await cluster.nodes[leader]?.process.kill();
      await created;
      // The API session and all that was acknowledged live on, and the other front has them, too.
      const found = await namesAt(api);
      for (const name of [...names, 'before-4', 'after-the-kill']) assert.ok(found.includes(name));
      assert.deepEqual((await namesAt(await cluster.admin(others[1] ?? 0))).sort(), found.sort());
      await cluster.start(leader);
      await cluster.well();
      assert.deepEqual((await namesAt(await cluster.admin(leader))).sort(), found.sort());
    },
  },
  {
    name: 'controllers: a leader steps down when it is told to, and starts again as a follower',
    body: async (world) => {
      const cluster = new Cluster(world, await freePorts(3));
      await cluster.begin();
      for (const index of [1, 2]) await cluster.join(index);
      await cluster.well();
      const leader = await cluster.leader();
      const other = (leader + 1) % 3;
      const refused = await cluster.run(other, ['step-down'], 'node');
      assert.match(refused.stderr, /This node does not lead/);
      const ended = cluster.nodes[leader]?.process.ended;
      const told = await cluster.run(leader, ['step-down'], 'node');
      assert.equal(told.code, 0, told.stderr);
      assert.match(told.stdout, /starts again as a follower/);
      assert.equal((await ended)?.code, 3);
      await create(await cluster.admin(other), 'after', 1);
      await cluster.start(leader);
      await cluster.well();
      assert.notEqual(await cluster.leader(), leader);
    },
  },
];
