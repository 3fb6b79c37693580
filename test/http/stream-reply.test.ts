// Answers that go on after their request, over real sockets and TLS.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { t } from 'tap';
import type { HttpHandler, ReplyStream } from '../../src/platform/http-exchange.ts';
import { direct, get, run, until, untilClosed } from './harness.ts';

const head: readonly (readonly [string, string])[] = [['Content-Type', 'text/event-stream']];

/** Takes the chunks of an answer out of their frame. @throws where the frame is broken. */
class Unchunked {
  readonly digest = createHash('sha1');
  bytes = 0;
  isEnded = false;
  #rest: Buffer = Buffer.alloc(0);
  #inHead = true;

  take(piece: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    if (this.#inHead) {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.#inHead = false;
      // The first chunk begins behind the line break that ends the headers.
      this.#rest = this.#rest.subarray(end + 4);
    }
    while (this.#chunk());
  }

  #chunk(): boolean {
    const end = this.#rest.indexOf('\r\n');
    if (end < 0) return false;
    const size = this.#rest.subarray(0, end).toString();
    if (!/^[0-9a-f]+$/i.test(size)) throw new Error(`no size of a chunk: ${size.slice(0, 40)}`);
    const length = Number.parseInt(size, 16);
    if (this.#rest.length < end + 2 + length + 2) return false;
    this.digest.update(this.#rest.subarray(end + 2, end + 2 + length));
    this.bytes += length;
    this.isEnded = length === 0;
    this.#rest = this.#rest.subarray(end + 2 + length + 2);
    return true;
  }
}

/** Writes pieces of a size, as fast as the peer takes them. */
class Pouring {
  readonly digest = createHash('sha1');
  /** Pieces that were given to a stream that kept up. */
  written = 0;
  blocked = 0;
  isGone = false;
  stream: ReplyStream | undefined;
  readonly #size: number;
  readonly #count: number;

  constructor(size: number, count: number) {
    this.#size = size;
    this.#count = count;
  }

  readonly handler: HttpHandler = (_request, reply) => {
    const stream = reply.open(200, head);
    this.stream = stream;
    stream.onGone(() => {
      this.isGone = true;
    });
    stream.onDrain(() => this.#pour(stream));
    this.#pour(stream);
  };

  #pour(stream: ReplyStream): void {
    while (this.written < this.#count) {
      const piece = String(this.written)
        .padStart(10, '0')
        .repeat(this.#size / 10);
      this.digest.update(piece);
      this.written += 1;
      if (!stream.write(piece)) {
        this.blocked += 1;
        return;
      }
    }
    stream.end();
  }
}

async function reading(socket: TLSSocket, unchunked: Unchunked): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.on('close', () => reject(new Error('closed')));
    socket.on('data', (piece: Buffer) => {
      try {
        unchunked.take(piece);
      } catch (error) {
        reject(error);
      }
      if (unchunked.isEnded) resolve();
    });
  });
}

for (const size of [1000, 20_000, 300_000]) {
  t.test(`a peer that stops now and then gets all of it, in pieces of ${size}`, async (t) => {
    const pouring = new Pouring(size, Math.ceil(12_000_000 / size));
    const running = await run({ directory: t.testdir({}), handler: pouring.handler });
    t.teardown(() => running.stop());
    const socket = await running.open();
    socket.write(get('/'));
    const unchunked = new Unchunked();
    let pieces = 0;
    socket.on('data', () => {
      pieces += 1;
      if (pieces % 50 !== 0) return;
      socket.pause();
      setImmediate(() => socket.resume());
    });
    await reading(socket, unchunked);
    t.ok(pouring.blocked > 0, 'it was told to wait');
    t.equal(unchunked.digest.digest('hex'), pouring.digest.digest('hex'));
    t.equal(unchunked.bytes, size * pouring.written);
    t.equal(running.server.counters.requestsInFlight, 0);
    socket.write(get('/'));
    const second = await until(socket, (text) => text.includes('HTTP/1.1 200'));
    t.match(second, 'text/event-stream', 'the connection takes another request');
    socket.destroy();
    t.same(running.failures, []);
  });
}

t.test('the same with TLS in the process of the server', async (t) => {
  const pouring = new Pouring(20_000, 600);
  const { open } = await direct(t, pouring.handler);
  const socket = await open();
  socket.write(get('/'));
  const unchunked = new Unchunked();
  socket.once('data', () => {
    socket.pause();
    setImmediate(() => socket.resume());
  });
  await reading(socket, unchunked);
  t.equal(unchunked.digest.digest('hex'), pouring.digest.digest('hex'));
  socket.destroy();
});

t.test('who reads nothing is given a bounded part', async (t) => {
  const pouring = new Pouring(100_000, 10_000);
  const running = await run({ directory: t.testdir({}), handler: pouring.handler });
  t.teardown(() => running.stop());
  const socket = await running.open();
  socket.write(get('/'));
  await once(socket, 'readable');
  const clear = setInterval(() => undefined, 10);
  let before = -1;
  // Until nothing moves any more.
  while (pouring.written !== before) {
    before = pouring.written;
    for (let turns = 0; turns < 200; turns++) await new Promise((done) => setImmediate(done));
  }
  clearInterval(clear);
  t.ok(pouring.written < 100, `${pouring.written} pieces of 100 kB, in buffers of the system`);
  t.throws(() => pouring.stream?.write('more'), /before its peer kept up/);
  socket.destroy();
  while (!pouring.isGone) await new Promise((done) => setImmediate(done));
  t.equal(pouring.stream?.isOver, true);
  t.equal(pouring.stream?.write('more'), false);
  pouring.stream?.end();
  t.equal(running.server.counters.requestsAborted, 1);
});

t.test('a stop ends it, and says so', async (t) => {
  let gone = 0;
  const running = await run({
    directory: t.testdir({}),
    handler: (_request, reply) => {
      const stream = reply.open(200, head);
      stream.onGone(() => {
        gone += 1;
      });
      stream.write('first\n');
    },
  });
  const socket = await running.open();
  socket.write(get('/'));
  await until(socket, (text) => text.includes('first'));
  const closed = untilClosed(socket);
  await running.stop();
  t.match(await closed, /0\r\n\r\n$/, 'a whole answer');
  t.equal(gone, 1);
});

t.test('a listener that throws as the peer takes more ends its answer only', async (t) => {
  let gone = 0;
  const running = await run({
    directory: t.testdir({}),
    handler: (request, reply) => {
      if (request.path === '/next') {
        reply.send(200, [], 'next');
        return;
      }
      const stream = reply.open(200, head);
      stream.onGone(() => {
        gone += 1;
      });
      stream.onDrain(() => {
        throw new Error('a broken listener');
      });
      while (stream.write('x'.repeat(1_000_000))) gone = 0;
    },
  });
  t.teardown(() => running.stop());
  const socket = await running.open();
  socket.write(get('/'));
  await reading(socket, new Unchunked());
  t.match(running.failures, [{ message: 'a broken listener' }]);
  t.equal(running.failures.length, 1);
  t.equal(gone, 1);
  socket.write(get('/next'));
  await until(socket, (text) => text.includes('next'));
  socket.destroy();
});

t.test('HEAD gets the headers', async (t) => {
  let isOver: boolean | undefined;
  const running = await run({
    directory: t.testdir({}),
    handler: (_request, reply) => {
      const stream = reply.open(200, head);
      isOver = stream.isOver && !stream.write('x');
      stream.end();
    },
  });
  t.teardown(() => running.stop());
  const socket = await running.open();
  socket.write('HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const text = await until(socket, (all) => all.includes('\r\n\r\n'));
  t.match(text, /^HTTP\/1.1 200 OK\r\nContent-Type: text\/event-stream/);
  t.equal(isOver, true);
  socket.destroy();
});
