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
];

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

  constructor(endings: Endings, { url, ca }: Serving, token: string) {
    this.client = new HttpClient(url, { connect: { ca }, pipelining: 1, headersTimeout: 30_000 });
    this.client.on('connect', () => {
      this.#connections += 1;
    });
    this.#token = token;
    endings.teardown(() => this.client.destroy());
  }

  /** Creates identities until it is over. @throws when an answer does not come */
  async work(prefix: string): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const name = `${prefix}${n}`;
      const { statusCode, body } = await this.client.request({
        method: 'POST',
        path: `${management}/identities`,
        headers: { 'zt-session': this.#token, 'content-type': 'application/json' },
        body: JSON.stringify({ name, type: 'Default', isAdmin: false }),
      });
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
