// Checks of clients of healthy nodes while leaders are killed: their connections stay, and what
// they write happens once.

import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { isNightly } from '../../campaigns.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import { Visitor, Writer } from './busy-clients.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';

/** How often the leader is killed. */
const kills = isNightly ? 200 : 20;

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

const killAfterMs = 300;
const goOnMs = 500;

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
