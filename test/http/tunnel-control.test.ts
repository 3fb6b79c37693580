// Control connections of routers that come to a follower.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import type { ControlConnection } from '../../src/channel/channel-api.ts';
import { type Issued, issue } from './certificates.ts';
import { Cluster, counted, holds, type Node } from './cluster-nodes.ts';
import { type run, until, untilClosed } from './harness.ts';

const root = await issue('root', { authority: true });
const leaf = await issue('router', { issuer: root });

/** What a test sees of a connection on the main thread of a node. */
interface Seen {
  readonly connection: ControlConnection;
  text: string;
  closed: boolean;
}

/** A node that takes control connections, and sends back what they send. */
interface Controller extends Node {
  readonly seen: Seen[];
  readonly shown: Issued;
}

async function controllers(t: Test, front: Parameters<typeof run>[0]['front'] = {}) {
  const cluster = await Cluster.make(t);
  const ids = ['one', 'two', 'three'];
  const identities = [];
  for (const id of ids) identities.push(await cluster.identity(id));
  const nodes: Controller[] = [];
  for (const identity of identities) {
    const seen: Seen[] = [];
    const node = await cluster.node(identity, {
      front: { handshakeTimeoutMs: 600_000, controlWaitMs: 600_000, ...front },
      acceptControl: (connection) => {
        const noted: Seen = { connection, text: '', closed: false };
        seen.push(noted);
        connection.listen({
          data: (bytes) => {
            if (noted.text.length < 1000) noted.text += bytes.toString('latin1');
            connection.write([bytes]);
          },
          drained: () => {},
          closed: () => {
            noted.closed = true;
          },
        });
      },
    });
    nodes.push({ ...node, seen, shown: node.running.certificate });
  }
  const [first, second, third] = nodes;
  if (first === undefined || second === undefined || third === undefined) throw new Error();
  return { leader: first, front: second, next: third };
}

/** A router whose handshake with a node is done. */
async function router(t: Test, node: Controller, more: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: node.running.front.controlPort,
    servername: 'localhost',
    ca: node.shown.certificate,
    cert: leaf.certificate + root.certificate,
    key: leaf.key,
    ALPNProtocols: ['ziti-ctrl'],
    ...more,
  });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  socket.on('error', () => {});
  return socket;
}

async function says(socket: TLSSocket, text: string): Promise<void> {
  const answer = until(socket, (got) => got.endsWith(text));
  socket.write(text);
  await answer;
}

t.test('a router at a follower speaks to the leader, and is known by its chain', async (t) => {
  const { leader, front } = await controllers(t);
  leader.follow('self');
  front.follow(leader);
  const one = await router(t, front);
  const two = await router(t, front, { port: front.running.front.port });
  await says(one, 'hello from one');
  await says(two, 'hello from two');
  t.same(
    leader.seen.map(({ text }) => text),
    ['hello from one', 'hello from two'],
  );
  for (const { connection } of leader.seen) {
    t.equal(connection.address, '127.0.0.1');
    t.same(connection.certificates, [leaf.der, root.der]);
  }
  t.same(front.seen, []);
  // Both directions at once, more than all windows hold.
  const sent = Buffer.alloc(16 * 2 ** 20);
  for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  const hash = createHash('sha256');
  let bytes = 0;
  const take = (data: Buffer) => {
    hash.update(data);
    bytes += data.length;
  };
  one.on('data', take);
  one.write(sent);
  await holds(() => bytes === sent.length);
  one.off('data', take);
  t.equal(hash.digest('hex'), createHash('sha256').update(sent).digest('hex'));
  leader.seen[0]?.connection.write([Buffer.from('bye')]);
  leader.seen[0]?.connection.end();
  t.match(await untilClosed(one), /bye$/);
  two.destroy();
  await holds(() => leader.seen.every(({ closed }) => closed));
  await counted(leader, 'controlConnectionsOpen', 0);
  await counted(leader, 'tunnelsOpen', 0);
  await counted(front, 'connectionsOpen', 0);
});

t.test('a router that does not read is not sent more, and holds up no other', async (t) => {
  const { leader, front } = await controllers(t);
  leader.follow('self');
  front.follow(leader);
  const slow = await router(t, front);
  await says(slow, 'slow');
  slow.pause();
  const other = await router(t, front);
  const connection = leader.seen[0]?.connection;
  const chunk = Buffer.alloc(2 ** 20, 'x');
  for (let count = 0; count < 40; count += 1) connection?.write([chunk]);
  for (let round = 0; round < 50; round += 1) await says(other, `${round};`);
  t.ok((connection?.unsentBytes ?? 0) > 20 * 2 ** 20, `${connection?.unsentBytes} unsent`);
  let bytes = 0;
  slow.on('data', (data: Buffer) => (bytes += data.length));
  slow.resume();
  await holds(() => bytes === 40 * chunk.length);
  t.equal(connection?.unsentBytes, 0);
});

t.test('a front takes routers and holds them until there is a leader', async (t) => {
  const { leader, front, next } = await controllers(t, { controlPendingPerAddressMax: 1 });
  const early = await router(t, front);
  const answer = until(early, (text) => text === 'hello');
  early.write('hello');
  await counted(front, 'waitingForLeader', 1);
  await t.rejects(router(t, front), 'it is not accepted yet');
  leader.follow('self');
  front.follow(leader);
  await answer;
  // Its answer has come through, so it is accepted.
  const second = await router(t, front);
  await says(second, 'second');

  const closed = [untilClosed(early), untilClosed(second)];
  front.follow('nobody');
  t.same(await Promise.all(closed), ['', '']);
  await holds(() => leader.seen.every(({ closed }) => closed));
  const back = await router(t, front);
  const welcome = until(back, (text) => text === 'again');
  back.write('again');
  await counted(front, 'waitingForLeader', 1);
  next.follow('self');
  front.follow(next);
  await welcome;
  t.equal(next.seen.length, 1);
  t.equal(leader.seen.length, 2);
});

t.test('a front that becomes the leader serves the routers that it holds', async (t) => {
  const { front } = await controllers(t, { controlPendingPerAddressMax: 1 });
  const held = await router(t, front);
  const answer = until(held, (text) => text === 'hello');
  held.write('hello');
  await counted(front, 'waitingForLeader', 1);
  front.follow('self');
  await answer;
  t.same(front.seen[0]?.connection.certificates, [leaf.der, root.der]);
  await says(await router(t, front), 'accepted');
});

t.test('a router is not held longer than it would wait', async (t) => {
  const { front } = await controllers(t, { controlWaitMs: 50 });
  const held = await router(t, front);
  held.write('hello');
  t.equal(await untilClosed(held), '');
  t.equal(front.running.front.counters().closedWithoutLeader, 1);
  await counted(front, 'connectionsOpen', 0);
});
