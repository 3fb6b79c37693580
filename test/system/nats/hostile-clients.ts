// Checks of a node that follows, under clients that take without end: the node goes on for others,
// and the leader does not notice.

import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { management } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import { Visitor } from './busy-clients.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';

/** Clients that ask and never read. */
const silentClients = 1000;

/** Rows whose lists are longer than what a connection may have under way. */
const rows = 500;

/**
 * Memory of the leader for answers that nobody reads: those that wait to be sent, those that are
 * on their way to the node, and what it takes to make them.
 */
const unsentBytesMax = 64 * 1024 * 1024;
const underWayBytesMax = silentClients * 64 * 1024;
const besideBytesMax = 128 * 1024 * 1024;

/** The address of the clients that take without end. */
const hostileAddress = '127.0.0.2';

/** Room of a node, of which one address takes all. */
const connectionsMax = 200;

/** While the others work beside the attack. */
const attackMs = 10_000;

/** Clients of a follower can disturb neither its other clients nor the leader. */
export const hostileClientChecks: readonly Check[] = [
  {
    name: 'hostile: a thousand clients of a follower that never read',
    body: async (world) => {
      const configuration = { limits: { unsentBytesMax } };
      const cluster = await Cluster.running({ ...world, configuration }, 3);
      const leader = await cluster.leader();
      const follower = (leader + 1) % 3;
      const admin = await cluster.admin(leader);
      const filler = 'x'.repeat(1000);
      for (let n = 0; n < rows; n += 1) {
        await admin.create('identities', {
          name: `identity-${n}`,
          type: 'Default',
          isAdmin: false,
          appData: { filler },
        });
      }
      const node = cluster.serving(follower);
      const before = memoryOf(cluster, leader);
      const path = `${management}/identities?limit=${rows}`;
      const silent = await Promise.all(
        Array.from({ length: silentClients }, async () => {
          const socket = await opened(world.endings, node, hostileAddress);
          socket.pause();
          socket.write(requestOf(path, admin.token));
          return socket;
        }),
      );
      const good = [leader, follower].map(
        (index) => new Visitor(world.endings, cluster.serving(index), admin.token),
      );
      const working = good.map((visitor, n) => visitor.work(`good-${n}-`));
      await setTimeout(attackMs);
      for (const visitor of good) visitor.isOver = true;
      const [atLeader, atFollower] = await Promise.all(working);
      const grownBytes = memoryOf(cluster, leader) - before;
      console.log(
        `others had ${atLeader?.answered} and ${atFollower?.answered} answers; ` +
          `the leader grew by ${Math.round(grownBytes / 1024 / 1024)} MiB`,
      );
      assert.ok((atLeader?.answered ?? 0) > 50 && (atFollower?.answered ?? 0) > 50);
      assert.ok(grownBytes < unsentBytesMax + underWayBytesMax + besideBytesMax);
      for (const socket of silent) socket.destroy();
      await cluster.well();
    },
  },
  {
    name: 'hostile: one address holds all that it can at a follower',
    body: async (world) => {
      const configuration = {
        limits: { connectionsMax, connectionsPerAddressMax: connectionsMax },
      };
      const cluster = await Cluster.running({ ...world, configuration }, 3);
      const leader = await cluster.leader();
      const follower = (leader + 1) % 3;
      const { token } = await cluster.admin(leader);
      const node = cluster.serving(follower);
      const held = Array.from({ length: 2 * connectionsMax }, async () => {
        const socket = await opened(world.endings, node, hostileAddress).catch(() => undefined);
        // Half a request holds its place longer than none.
        socket?.write(`GET ${management}/identities HTTP/1.1\r\nHost: a\r\n`);
      });
      await Promise.all(held);
      for (const index of [follower, leader]) {
        const good = new Visitor(world.endings, cluster.serving(index), token);
        const working = good.work(`beside-${index}-`);
        await setTimeout(attackMs / 2);
        good.isOver = true;
        const { answered } = await working;
        console.log(`node ${index}: ${answered} answers beside it`);
        assert.ok(answered > 50);
      }
      await cluster.well();
    },
  },
];

/** A connection whose handshake is done. */
async function opened(
  endings: Endings,
  { port, ca }: Serving,
  localAddress: string,
): Promise<TLSSocket> {
  const plain = connectTcp({ host: '127.0.0.1', port, localAddress });
  plain.on('error', () => {});
  const socket = connect({ socket: plain, ca, servername: 'localhost' });
  endings.teardown(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

function requestOf(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nzt-session: ${token}\r\n\r\n`;
}

/** Resident bytes of the process of a node. */
function memoryOf(cluster: Cluster, index: number): number {
  const status = readFileSync(`/proc/${cluster.process(index).child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
