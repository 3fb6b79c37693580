// Checks of clients of healthy nodes while leaders are killed: their connections stay, and what
// they write happens once.

import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { Client as HttpClient } from 'undici';
import { management } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';

/** How often the leader is killed. */
const kills = 20;

/** Clients of each healthy node: some ask for nothing meanwhile, some write all the time. */
const clientsEach = { idle: 20, writing: 4 };

/** How clients of healthy nodes fare at a takeover. */
export const takeoverChecks: readonly Check[] = [
  {
    name: 'exactly-once: connections of healthy nodes outlive the leader, and no write is done twice',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const counts = { created: 0, unknown: 0, undone: 0 };
      for (let kill = 0; kill < kills; kill += 1) {
        const leader = await cluster.leader();
        const others = [0, 1, 2].filter((index) => index !== leader);
        const nodes = others.flatMap((index) => cluster.nodes[index] ?? []);
        const idle = await Promise.all(nodes.map((node) => idleClients(world.endings, node)));
        const { token } = await cluster.admin(others[0] ?? 0);
        const writers = nodes.flatMap((node) =>
          Array.from({ length: clientsEach.writing }, () => new Writer(world.endings, node, token)),
        );
        const working = writers.map((writer, n) => writer.work(`kill-${kill}-${n}-`));
        await setTimeout(killAfterMs);
        await cluster.process(leader).kill();
        await cluster.awaitLead(others);
        await setTimeout(goOnMs);
        for (const writer of writers) writer.isOver = true;
        await Promise.all(working);
        for (const socket of idle.flat()) {
          assert.ok(!socket.destroyed, 'an idle connection was closed');
          assert.match(await answerOn(socket), /^HTTP\/1.1 200 /);
          socket.destroy();
        }
        await cluster.start(leader);
        await cluster.well();
        const api = await cluster.admin(leader);
        const rows = await api.all('identities', `name contains "kill-${kill}-"`);
        for (const writer of writers) writer.compare(rows.map(({ name }) => String(name)));
        for (const { created, unknown, undone, client } of writers) {
          counts.created += created.length;
          counts.unknown += unknown.length;
          counts.undone += undone.length;
          await client.destroy();
        }
      }
      console.log(`${kills} kills: ${JSON.stringify(counts)}`);
    },
  },
  {
    name: 'clean end: followers and the leader are stopped, and no request of a client fails',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      for (const who of ['follower', 'leader', 'follower'] as const) {
        const leader = await cluster.leader();
        const index = who === 'leader' ? leader : (leader + 1) % cluster.nodes.length;
        const { token } = await cluster.admin(index);
        const own = cluster.nodes.filter((_, other) => other === index);
        const nodes = cluster.nodes.filter((_, other) => other !== index);
        const clients = [...own, ...nodes].map((node) => new Visitor(world.endings, node, token));
        const working = clients.map((client, n) => client.work(`end-${index}-${n}-`));
        await setTimeout(killAfterMs);
        const { code } = await cluster.process(index).stop();
        assert.equal(code, 0);
        await setTimeout(goOnMs);
        for (const client of clients) client.isOver = true;
        const [left, ...others] = await Promise.all(working);
        assert.equal(left?.isDismissed, true, 'its own client was asked to leave');
        for (const { isDismissed } of others) assert.equal(isDismissed, false, 'no other was');
        const answered = [left, ...others].map((one) => one?.answered);
        console.log(`a ${who} ends: ${answered.join(', ')} answers`);
        await cluster.start(index);
        await cluster.well();
      }
    },
  },
];

/** A list that each node answers by itself. */
const readPath = `${management}/config-types?limit=1`;

/** A client that has one connection at a time. */
function clientOf(endings: Endings, { url, ca }: Serving): HttpClient {
  const client = new HttpClient(url, { connect: { ca }, pipelining: 1, headersTimeout: 30_000 });
  endings.teardown(() => client.destroy());
  return client;
}

async function read(client: HttpClient, token: string) {
  const headers = { 'zt-session': token };
  return await client.request({ method: 'GET', path: readPath, headers });
}

async function create(client: HttpClient, token: string, name: string) {
  return await client.request({
    method: 'POST',
    path: `${management}/identities`,
    headers: { 'zt-session': token, 'content-type': 'application/json' },
    body: JSON.stringify({ name, type: 'Default', isAdmin: false }),
  });
}

const killAfterMs = 300;
const goOnMs = 500;

/** A client with one connection that creates one identity after the other. */
class Writer {
  readonly client: HttpClient;
  readonly created: string[] = [];
  readonly unknown: string[] = [];
  readonly undone: string[] = [];
  isOver = false;
  readonly #token: string;
  #connections = 0;

  constructor(endings: Endings, serving: Serving, token: string) {
    this.client = clientOf(endings, serving);
    this.client.on('connect', () => {
      this.#connections += 1;
    });
    this.#token = token;
  }

  /** Creates identities until it is over. @throws when an answer does not come */
  async work(prefix: string): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const name = `${prefix}${n}`;
      const { statusCode, body } = await create(this.client, this.#token, name);
      const text = await body.text();
      if (statusCode === 201) this.created.push(name);
      else {
        assert.equal(statusCode, 503, text);
        (text.includes('OUTCOME_UNKNOWN') ? this.unknown : this.undone).push(name);
      }
    }
    assert.equal(this.#connections, 1, 'a connection was closed');
  }

  /** Asserts that what is there is what was answered. */
  compare(names: readonly string[]): void {
    const count = (wanted: string) => names.filter((name) => name === wanted).length;
    for (const name of this.created) assert.equal(count(name), 1, name);
    for (const name of this.unknown) assert.ok(count(name) <= 1, name);
    for (const name of this.undone) assert.equal(count(name), 0, name);
  }
}

/** A client with one connection that reads and writes until it is asked to leave. */
class Visitor {
  isOver = false;
  isDismissed = false;
  answered = 0;
  readonly #client: HttpClient;
  readonly #token: string;

  constructor(endings: Endings, serving: Serving, token: string) {
    this.#client = clientOf(endings, serving);
    this.#token = token;
  }

  /** @throws when an answer does not come, or is none of success */
  async work(prefix: string): Promise<this> {
    while (!this.isOver && !this.isDismissed) {
      const { statusCode, headers, body } =
        this.answered % 2 === 0
          ? await read(this.#client, this.#token)
          : await create(this.#client, this.#token, `${prefix}${this.answered}`);
      assert.equal(statusCode, this.answered % 2 === 0 ? 200 : 201, await body.text());
      this.answered += 1;
      this.isDismissed = headers['connection'] === 'close';
    }
    await this.#client.destroy();
    return this;
  }
}

/** Connections that have had one answer of the leader's. */
async function idleClients(endings: Endings, { url, ca }: Serving): Promise<TLSSocket[]> {
  const { hostname: host, port } = new URL(url);
  const sockets = Array.from({ length: clientsEach.idle }, () => {
    const socket = connect({ host, port: Number(port), ca });
    socket.on('error', () => {});
    endings.teardown(async () => void socket.destroy());
    return socket;
  });
  for (const socket of sockets) await answerOn(socket);
  return sockets;
}

/** Asks something that only the leader answers. @returns the beginning of the answer */
async function answerOn(socket: TLSSocket): Promise<string> {
  socket.write('GET /health-checks?of=leader HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}
