// Bytes through the TLS front: large answers, slow and leaving readers, and a server that is a
// plain socket.

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { Connections } from '../../src/http/front/peers.ts';
import { startTlsFront } from '../../src/http/front/tls-front.ts';
import { unixSocketPlace } from '../../src/http/server/unix-socket.ts';
import { anotherLook } from '../real-waits.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { issue } from './certificates.ts';
import {
  count,
  frontLimits,
  get,
  opener,
  requestTurns,
  run,
  until,
  untilClosed,
} from './harness.ts';

const large = Buffer.alloc(88_000);
for (let index = 0; index < large.length; index += 1) large[index] = 97 + (index % 23);

t.test('large answers come whole through readers that pause', async (t) => {
  const running = await run({
    directory: t.testdir(),
    workers: 2,
    handler: (request, reply) => {
      if (request.path === '/later') setImmediate(() => reply.send(200, [], large));
      else reply.send(200, [], large);
    },
  });
  t.teardown(() => running.stop());
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const client = await running.open();
      for (let round = 0; round < 10; round += 1) {
        client.write(get(index % 2 === 0 ? '/now' : '/later'));
        client.pause();
        await new Promise((resolve) => setImmediate(resolve));
        client.resume();
        const text = await until(client, (text) => text.length >= large.length + 80);
        t.ok(text.endsWith(large.toString()));
      }
      client.destroy();
    }),
  );
});

t.test('peers that leave while a large answer is sent do not end the process', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) => {
      if (request.path === '/later') setImmediate(() => reply.send(200, [], large));
      else reply.send(200, [], large);
    },
  });
  t.teardown(() => running.stop());
  const leave = async (index: number): Promise<void> => {
    const client = await running.open();
    client.on('error', () => {});
    client.write(get(index % 2 === 0 ? '/now' : '/later'));
    // At once, at the first bytes, or with a second request under way.
    if (index % 3 > 0) await once(client, 'data');
    if (index % 3 > 1) client.write(get('/now'));
    client.destroy();
  };
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => leave(index)));
  }
  const client = await running.open();
  client.write(get('/now'));
  await until(client, (text) => text.length >= large.length);
  client.destroy();
  while (running.server.counters.requestsInFlight > 0) {
    await anotherLook();
  }
});

t.test('clients that ask and never read cost little memory', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) =>
      reply.send(200, [], request.path === '/large' ? large : large.subarray(0, 300)),
    // One that waits for its turn would end its connection, with nothing left to see.
    turns: requestTurns(new SimulatedClock()),
  });
  t.teardown(() => running.stop());
  const before = process.memoryUsage();
  const clients: TLSSocket[] = [];
  for (let index = 0; index < 20; index += 1) {
    const client = await running.open();
    client.on('error', () => {});
    client.write(get(index % 2 === 0 ? '/large' : '/small').repeat(4_000));
    clients.push(client);
  }
  const reader = await running.open();
  for (let round = 0; round < 50; round += 1) {
    reader.write(get('/small'));
    await until(reader, (text) => text.length > 300);
  }
  const after = process.memoryUsage();
  // Unbounded, ten times 4,000 answers of 88 KB would be 3.5 GB. The clients are in this process,
  // too.
  t.ok(after.rss - before.rss < 120e6, `grown by ${after.rss - before.rss} bytes`);
  t.equal(running.server.counters.requestsInFlight <= clients.length, true);
  for (const client of [...clients, reader]) client.destroy();
});

t.test('a chunk that its connection took in part is sent on as it drains', async (t) => {
  const huge = Buffer.alloc(3_000_000, large);
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) => reply.send(200, [], request.path === '/text' ? `${huge}` : huge),
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  for (const path of ['/bytes', '/text', '/bytes']) {
    client.write(get(path));
    const text = await until(client, (text) => text.length >= huge.length + 80);
    t.ok(text.endsWith(huge.toString()));
  }
  client.destroy();
});

t.test('of answers that nobody reads, those that wait longest are cut off', async (t) => {
  const huge = Buffer.alloc(8_000_000, large);
  const running = await run({
    directory: t.testdir(),
    handler: (_request, reply) => reply.send(200, [], huge),
    server: { unsentBytesMax: 2 * huge.length },
  });
  t.teardown(() => running.stop());
  const silent: TLSSocket[] = [];
  for (let index = 0; index < 4; index += 1) {
    const client = await running.open();
    client.on('error', () => {});
    client.pause();
    client.write(get('/'));
    silent.push(client);
    while (running.server.counters.requests <= index) {
      await anotherLook();
    }
  }
  t.equal(running.server.counters.answersCutOff, 2);
  const [first, , , last] = silent;
  if (first === undefined || last === undefined) return;
  first.resume();
  const cut = await untilClosed(first);
  t.ok(cut.length < huge.length, 'the first was closed before its answer was out');
  const whole = until(last, (text) => text.length > huge.length);
  last.resume();
  t.ok((await whole).endsWith(huge.toString()), 'the last gets all of its answer');
  for (const client of silent) client.destroy();
});

/** A TLS front before a server that is only a socket, so that a test says when it closes. */
async function bare(t: Test, parkAfterMs: number) {
  const place = unixSocketPlace(join(t.testdir(), 'run'), 'bare.sock');
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    server.emit('arrived', socket);
  });
  server.listen(place.path);
  await once(server, 'listening');
  const certificate = await issue('server');
  const front = await startTlsFront({
    host: '127.0.0.1',
    port: 0,
    workers: 1,
    server: certificate,
    socketPath: place.path,
    connections: new Connections(frontLimits.connectionsMax),
    limits: { ...frontLimits, parkAfterMs },
    failed: (error) => t.fail(error.message),
  });
  t.teardown(async () => {
    front.stopListening(100);
    await front.stopped();
    server.close();
    place.release();
  });
  const next = async (): Promise<{ socket: Socket; first: Buffer }> => {
    const [socket] = (await once(server, 'arrived')) as [Socket];
    const [first] = (await once(socket, 'data')) as [Buffer];
    return { socket, first };
  };
  return { front, sockets, next, open: opener(front.port, certificate) };
}

t.test('a quiet connection that the server closes stays open to its client', async (t) => {
  const { front, next, open } = await bare(t, 40);
  const client = await open();
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const arrived = next();
    client.write(get('/'));
    const { socket, first } = await arrived;
    t.equal(first.toString('hex', 0, 16), '0d0a0d0a000d0a515549540a21210024');
    ids.push(first.toString('hex', 16, 32));
    t.equal(first.subarray(52).toString(), get('/'));
    socket.write('answer');
    await until(client, (text) => text === 'answer');
    // Longer than parkAfterMs, as the server's keep-alive time-out is.
    await new Promise((resolve) => setTimeout(resolve, 150));
    socket.end();
    await once(socket, 'close');
  }
  t.equal(new Set(ids).size, 1, 'with the same id');
  t.equal(front.counters().connectionsOpen, 1);
  t.equal(front.counters().closedByServer, 0);
  client.destroy();
});

t.test('a quiet connection that a server closes as it stops does not wait for more', async (t) => {
  const { front, next, open } = await bare(t, 40);
  const client = await open();
  const arrived = next();
  client.write(get('/'));
  const { socket } = await arrived;
  socket.write('answer');
  await until(client, (text) => text === 'answer');
  await new Promise((resolve) => setTimeout(resolve, 150));
  // Far longer than the test may take.
  front.stopListening(600_000);
  const text = untilClosed(client);
  socket.end();
  t.equal(await text, '');
  await front.stopped();
});

t.test('one that the server closes right behind an answer, or unanswered, is closed', async (t) => {
  const { front, next, open } = await bare(t, 60_000);
  for (const answer of ['answer', '']) {
    const client = await open();
    const arrived = next();
    client.write(get('/'));
    const { socket } = await arrived;
    const text = untilClosed(client);
    socket.end(answer);
    t.equal(await text, answer);
  }
  t.equal(front.counters().closedByServer, 2);
});

t.test('the bytes behind a pause in both directions are the ones that were sent', async (t) => {
  const { next, open } = await bare(t, 60_000);
  const client = await open();
  const arrived = next();
  const sent = Buffer.alloc(6_000_000, large);
  client.write(get('/', `Content-Length: ${sent.length}`));
  const { socket } = await arrived;
  let upward = 0;
  socket.pause();
  client.pause();
  client.write(sent);
  socket.write(sent);
  await new Promise((resolve) => setImmediate(resolve));
  const whole = new Promise<void>((resolve) => {
    const parts: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      parts.push(chunk);
      upward += chunk.length;
      if (upward < sent.length) return;
      t.ok(Buffer.concat(parts).equals(sent));
      resolve();
    });
  });
  const text = until(client, (text) => text.length >= sent.length);
  socket.resume();
  client.resume();
  await whole;
  t.equal(
    count(await text, 'abcdefghijklmnopqrstuvw'),
    count(sent.toString(), 'abcdefghijklmnopqrstuvw'),
  );
  client.destroy();
});

t.test('a server that is busy loses nobody, however many speak at once', async (t) => {
  const running = await run({
    directory: t.testdir(),
    workers: 2,
    front: { connectionsMax: 1024, handshakeTimeoutMs: 60_000, silentTimeoutMs: 60_000 },
    handler: (_request, reply) => reply.send(200, [], 'answered'),
  });
  t.teardown(() => running.stop());
  const clients = await Promise.all(Array.from({ length: 1000 }, () => running.open()));
  // More than its queue takes.
  const answers = clients.map((client) => {
    client.write(get('/'));
    return until(client, (text) => text.endsWith('answered'));
  });
  // The server's thread is busy, while the workers hear them all.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await Promise.all(answers);
  t.equal(running.front.counters().connectionsOpen, 1000);
  t.equal(running.front.counters().closedByServer, 0);
  for (const client of clients) client.destroy();
});
