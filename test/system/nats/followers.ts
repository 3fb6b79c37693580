// Checks of clients that a node serves while it follows: their tickets, their sessions, what they
// follow, and a node whose clock is wrong.

import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Client as HttpClient } from 'undici';
import { openWebSocket } from '../../http/web-socket-client.ts';
import { Api, client, connect, createUser, logIn, management } from '../client.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import type { Serving } from '../process.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';
import { WrongClock } from './wrong-clock.ts';

const me = `${client}/current-api-session`;
const services = `${management}/services?limit=1`;

const hourMs = 3_600_000;

/** Reads of a client while the clock of its node is wrong. */
const readsEach = 20;

/** The shortest time that a session may be idle. */
const idleMinutes = 1;
const idleMs = idleMinutes * 60_000;

/** The services of a node to its clients while it follows. */
export const followerChecks: readonly Check[] = [
  {
    name: 'ticket-elsewhere: a ticket of one node opens a stream at another',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      for (const from of [0, 1, 2]) {
        const api = await cluster.admin(from);
        for (const to of [0, 1, 2].filter((index) => index !== from)) {
          const { ticket } = await api.ask('POST', `${management}/inspect/tickets`);
          const path = `${management}/inspect/stream?ticket=${encodeURIComponent(String(ticket))}`;
          const stream = await openWebSocket(
            await secured(world.endings, cluster.serving(to)),
            path,
          );
          assert.match(await stream.next(), /"attached"/);
          stream.tls.destroy();
        }
      }
    },
  },
  {
    name: 'follower-clock: a node whose clock is an hour off leaves all reads to the leader',
    body: async (world) => {
      const clock = new WrongClock(temporaryDirectory(world.endings, 'edge-control-clock-'));
      const cluster = await Cluster.open(world);
      await cluster.begin();
      for (const index of [1, 2]) await cluster.join(index);
      await cluster.process(1).stop();
      await cluster.start(1, { program: clock.program });
      await cluster.well();
      assert.equal(await cluster.leader(), 0);
      const api = await cluster.admin(1);
      for (const aheadMs of [0, hourMs, 0, -hourMs, 0]) {
        clock.set(aheadMs);
        const answerer = aheadMs === 0 ? 1 : 0;
        await until(`node ${answerer} answers`, async () => {
          const before = await listsOf(cluster, answerer);
          assert.equal((await api.call('GET', services)).status, 200);
          return (await listsOf(cluster, answerer)) > before;
        });
        const before = await listsOf(cluster, answerer);
        for (let n = 0; n < readsEach; n += 1) {
          assert.equal((await api.call('GET', services)).status, 200);
        }
        assert.equal(await listsOf(cluster, answerer), before + readsEach);
      }
    },
  },
  {
    name: 'idle-sessions: a session that one node serves lives through the end of its node and leader',
    body: async (world) => {
      const configuration = { session: { timeoutMinutes: idleMinutes } };
      const cluster = await Cluster.running({ ...world, configuration }, 3);
      const leader = await cluster.leader();
      const [follower = 0, other = 0] = [0, 1, 2].filter((index) => index !== leader);
      await createUser(await cluster.admin(leader), 'alice', 'alice-password');
      const api = await logIn(
        connect(world.endings, cluster.serving(follower)),
        'alice',
        'alice-password',
      );
      const elsewhere = (index: number) =>
        new Api(connect(world.endings, cluster.serving(index)), api.token, api.sessionId);
      await usedFor(api, 2 * idleMs);
      await cluster.process(follower).kill();
      // By what the leader knows, the session may have been idle since its last report.
      await setTimeout(idleMs - 10_000);
      const last = elsewhere(other);
      assert.equal((await last.call('GET', me)).status, 200, 'its node has ended');
      await cluster.start(follower);
      await cluster.well();
      assert.equal((await last.call('GET', me)).status, 200);
      await cluster.process(leader).kill();
      await cluster.awaitLead([follower, other]);
      await usedFor(last, idleMs / 2);
      await cluster.start(leader);
      await cluster.well();
      await usedFor(elsewhere(follower), idleMs / 2);
      await setTimeout(idleMs + 2 * reportedMs);
      for (const index of [leader, follower, other]) {
        assert.equal((await elsewhere(index).call('GET', me)).status, 401, 'nobody used it');
      }
    },
  },
  {
    name: 'audit feed: it goes on at a node that follows while the leader is killed, and as it leads',
    body: async (world) => {
      const cluster = await Cluster.running(world, 3);
      const first = await cluster.leader();
      const others = [0, 1, 2].filter((index) => index !== first);
      const feeds = await Promise.all(
        others.map(async (index) => {
          const { token } = await cluster.admin(index);
          return await Feed.open(world.endings, cluster.serving(index), token);
        }),
      );
      const named = async (index: number, name: string) => {
        const api = await cluster.admin(index);
        await until(`${name} is created`, async () => {
          const service = { name, encryptionRequired: true };
          return (await api.call('POST', `${management}/services`, service)).status === 201;
        });
        for (const feed of feeds) await feed.tellsOf(name);
      };
      await named(first, 'before');
      await cluster.process(first).kill();
      const next = await cluster.awaitLead(others);
      for (const index of others) await named(index, `at ${index}, which leads: ${index === next}`);
      for (const feed of feeds) feed.hasNoGap();
    },
  },
];

/** More than the time after which a session that is unused ends late. */
const reportedMs = 10_000;

async function listsOf(cluster: Cluster, index: number): Promise<number> {
  return (await cluster.answered(index)).get('listServices') ?? 0;
}

/** Uses an API session every few seconds for so long. */
async function usedFor(api: Api, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += useEveryMs) {
    assert.equal((await api.call('GET', me)).status, 200);
    await setTimeout(useEveryMs);
  }
  assert.equal((await api.call('GET', me)).status, 200);
}

const useEveryMs = 5000;

async function secured(endings: Endings, { port, ca }: Serving) {
  const socket = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  endings.teardown(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** One audit feed, of one connection. */
class Feed {
  #text = '';
  #isOver = false;

  /** Opens the feed of a node, from the next frame on. */
  static async open(endings: Endings, { url, ca }: Serving, token: string): Promise<Feed> {
    const http = new HttpClient(url, { connect: { ca }, bodyTimeout: 0 });
    endings.teardown(() => http.destroy());
    const path = `${management}/audit`;
    const { statusCode, body } = await http.request({
      method: 'GET',
      path,
      headers: { 'zt-session': token },
    });
    assert.equal(statusCode, 200);
    const feed = new Feed();
    body.on('data', (chunk: Buffer) => {
      feed.#text += chunk.toString();
    });
    for (const end of ['end', 'error', 'close']) {
      body.on(end, () => {
        feed.#isOver = true;
      });
    }
    return feed;
  }

  /** Waits until a frame has this text. */
  async tellsOf(text: string): Promise<void> {
    await until(`the feed tells of ${text}`, () => {
      assert.ok(!this.#isOver, 'the feed has ended');
      return this.#text.includes(JSON.stringify(text));
    });
  }

  /** Asserts that each frame is there, once, in its order. */
  hasNoGap(): void {
    const lsns = [...this.#text.matchAll(/^data: \{"lsn":(\d+)/gm)].map(([, lsn]) => Number(lsn));
    const [from = 0] = lsns;
    assert.deepEqual(
      lsns,
      lsns.map((_, index) => from + index),
    );
    assert.ok(lsns.length >= 3);
  }
}
