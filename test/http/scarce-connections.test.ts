// Connections that make room for others, over real TLS: which of them the front keeps.

import { connect as connectPlain } from 'node:net';
import type { TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import type { HttpHandler, HttpReply } from '../../src/platform/http-exchange.ts';
import { roomOf } from '../system/process.ts';
import { holds } from './cluster-nodes.ts';
import { get, run, until, untilClosed } from './harness.ts';
import { openWebSocket } from './web-socket-client.ts';

const attacker = '127.0.0.2';
const honest = '127.0.0.1';

/**
 * A front with room for so few connections. `/session` is asked in an API session, `/held` is
 * answered when the test does it.
 */
async function scarce(t: Test, connectionsMax: number) {
  const held: HttpReply[] = [];
  const handler: HttpHandler = (request, reply) => {
    if (request.path === '/session') request.peer.sessionUsed?.();
    if (request.path === '/held') held.push(reply);
    else reply.send(200, [], 'hello');
  };
  const running = await run({
    directory: roomOf(t),
    handler,
    front: { connectionsMax },
    sockets: {
      path: '/stream',
      upgrade: () => (socket) => {
        socket.send('welcome');
        return { message: (text) => socket.send(text), closed: () => {} };
      },
    },
  });
  t.teardown(() => running.stop());
  const { port } = running.front;
  const open = async (localAddress: string): Promise<TLSSocket> => {
    const client = await running.open({ socket: connectPlain({ port, localAddress }) });
    client.on('error', () => {});
    t.teardown(() => client.destroy());
    return client;
  };
  const displaced = () => running.front.counters().connectionsDisplaced;
  return { running, held, open, displaced };
}

async function ask(client: TLSSocket, path = '/'): Promise<void> {
  client.write(get(path));
  await until(client, (text) => text.endsWith('hello'));
}

t.test('idle connections of one address keep no other address out, nor its own', async (t) => {
  const { running, open, displaced } = await scarce(t, 6);
  const idle: TLSSocket[] = [];
  for (let count = 0; count < 6; count += 1) idle.push(await open(attacker));
  for (const from of [honest, '127.0.0.3', '127.0.0.4', attacker]) await ask(await open(from));
  await holds(() => idle.filter(({ destroyed }) => destroyed).length === 4);
  t.equal(displaced(), 4);
  t.equal(running.front.counters().connectionsRefused, 0);
});

t.test('a body that still arrives keeps no connection open', async (t) => {
  const { open, displaced } = await scarce(t, 3);
  for (let count = 0; count < 3; count += 1) {
    const half = await open(attacker);
    await ask(half);
    half.write(get('/', 'Content-Length: 10').replace('GET', 'POST'));
    half.write('12345');
  }
  for (const from of [honest, '127.0.0.3']) await ask(await open(from));
  t.equal(displaced(), 2);
});

t.test('a client that used an API session is kept, and one that did not is not', async (t) => {
  const { open, displaced } = await scarce(t, 3);
  const using = await open(attacker);
  await ask(using, '/session');
  const unknown = await open(attacker);
  await ask(unknown);
  const gone = untilClosed(unknown);
  await ask(await open(attacker));
  await ask(await open(honest));
  await gone;
  for (let count = 0; count < 5; count += 1) await ask(await open(attacker));
  t.equal(displaced(), 6);
  await ask(using);
});

t.test('a request is answered that was received as a whole', async (t) => {
  const { open, held, displaced } = await scarce(t, 3);
  const asking = await open(attacker);
  asking.write(get('/held'));
  await holds(() => held.length === 1);
  for (let count = 0; count < 5; count += 1) await ask(await open(attacker));
  t.equal(displaced(), 3);
  const answered = until(asking, (text) => text.endsWith('hello'));
  held[0]?.send(200, [], 'hello');
  await answered;
  // The next sweep notices that it has its answer.
  while (!asking.destroyed) await ask(await open(attacker));
  t.ok(displaced() > 3);
});

t.test('a WebSocket is kept', async (t) => {
  const { open, displaced } = await scarce(t, 2);
  const socket = await openWebSocket(await open(honest), '/stream');
  t.equal(await socket.next(), 'welcome');
  for (let count = 0; count < 4; count += 1) await ask(await open(honest));
  t.equal(displaced(), 3);
  socket.send('still there');
  t.equal(await socket.next(), 'still there');
  socket.tls.destroy();
});
