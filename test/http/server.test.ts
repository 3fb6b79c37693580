// Requests and answers over real TLS, worker threads and Unix sockets.

import { once } from 'node:events';
import t, { type Test } from 'tap';
import type { HttpHandler, HttpReply } from '../../src/platform/http-exchange.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { roomOf } from '../system/process.ts';
import { count, direct, echo, get, requestTurns, run, until, untilClosed } from './harness.ts';

const post = (...headers: string[]): string => get('/', ...headers).replace('GET', 'POST');

t.test('a connection is kept, and its requests are answered in order', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) => reply.send(200, [], `<${request.path}|${request.query}>`),
    // Where each is answered in its own turn: one that waits ends a connection that does not.
    turns: requestTurns(new SimulatedClock()),
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  client.write(get('/first?a=b'));
  t.match(await until(client, (text) => text.endsWith('>')), '</first|a=b>');
  client.write(get('/second'));
  t.match(await until(client, (text) => text.endsWith('>')), '</second|>');
  client.write(Array.from({ length: 20 }, (_, index) => get(`/${index}`)).join(''));
  const text = await until(client, (text) => count(text, '|>') === 20);
  t.same(
    text.match(/<\/\d+/g),
    Array.from({ length: 20 }, (_, index) => `</${index}`),
    'pipelined',
  );
  t.equal(running.front.counters().connectionsAccepted, 1);
  client.destroy();
});

t.test('HEAD, 204 and 304 have no body, and the connection stays open', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) => reply.send(Number(request.path.slice(1)), [['X-A', 'b']], 'body'),
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  client.write(get('/200').replace('GET', 'HEAD'));
  const head = await until(client, (text) => text.endsWith('\r\n\r\n'));
  t.match(head, /Content-Length: 4\r\n/);
  t.equal(count(head, 'Content-Length'), 1);
  for (const status of [204, 304]) {
    client.write(get(`/${status}`));
    const text = await until(client, (text) => text.endsWith('\r\n\r\n'));
    t.match(text, new RegExp(`^HTTP/1.1 ${status} `));
    t.notMatch(text, 'Content-Length');
  }
  client.write(get('/404'));
  t.match(await until(client, (text) => text.endsWith('body')), 'HTTP/1.1 404 Not Found\r\nX-A: b');
  client.destroy();
});

t.test('an answer says that only TLS is spoken here, and not by which library', async (t) => {
  const running = await run({ directory: roomOf(t) });
  t.teardown(() => running.stop());
  const other = await direct(t, echo);
  for (const client of [await running.open(), await other.open()]) {
    for (const request of [get('/'), get('/', 'Host: other')]) {
      client.write(request);
      const text = await until(client, (text) => /hello$|host must/.test(text));
      t.match(text, /\r\nStrict-Transport-Security: max-age=31536000\r\n/);
      t.notMatch(text, /uWebSockets/i);
    }
    client.destroy();
  }
});

t.test('any method reaches the handler', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) => reply.send(200, [], `<${request.method}>`),
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  for (const method of ['OPTIONS', 'PATCH', 'DELETE', 'PUT', 'BREW']) {
    client.write(get('/').replace('GET', method));
    t.match(await until(client, (text) => text.endsWith('>')), `<${method}>`);
  }
  client.destroy();
});

t.test('headers: long ones pass, too long ones are refused, lists are joined', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: (request, reply) => {
      const { length } = request.header('authorization');
      reply.send(200, [], `<${length} ${request.header('accept')} ${request.header('x-none')}>`);
    },
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  const bearer = `Authorization: Bearer ${'a'.repeat(20_000)}`;
  for (const request of [
    get('/', bearer, 'Accept: a', 'ACCEPT: b'),
    `${post(bearer, 'Accept: a', 'ACCEPT: b', 'Content-Length: 2')}xy`,
  ]) {
    client.write(request);
    t.match(await until(client, (text) => text.endsWith('>')), '<20007 a, b >');
  }
  const over = untilClosed(client);
  client.write(get('/', `Authorization: ${'a'.repeat(40_000)}`));
  t.match(await over, /^HTTP\/1.1 431 /);
  t.equal(running.server.counters.requestsMalformed, 1);
});

t.test('bodies arrive whole: declared, chunked, in pieces', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const client = await running.open();
  client.write(`${post('Content-Length: 5')}abcde`);
  t.match(await until(client, (text) => text.endsWith('abcde')), '200 OK');
  client.write(post('Transfer-Encoding: chunked'));
  client.write('3\r\nabc\r\n');
  client.write('2\r\nfg\r\n0\r\n\r\n');
  t.match(await until(client, (text) => text.endsWith('abcfg')), '200 OK');
  const long = 'x'.repeat(60_000);
  client.write(post(`Content-Length: ${long.length}`) + long.slice(0, 1));
  for (let at = 1; at < long.length; at += 10_000) client.write(long.slice(at, at + 10_000));
  t.match(await until(client, (text) => text.endsWith(long)), '200 OK');
  client.write(post('Content-Length: 0'));
  t.match(await until(client, (text) => text.endsWith('hello')), '200 OK');
  client.destroy();
});

t.test('a body over bodyBytesMax is refused by its declared length, at once', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const client = await running.open();
  const text = untilClosed(client);
  client.write(post('Content-Length: 65537'));
  t.match(await text, /^HTTP\/1.1 413 .*\r\nConnection: close\r\n.*too large$/s);
  t.equal(running.server.counters.bodiesTooLarge, 1);
});

t.test('the same while the client sends all of it', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  for (let time = 0; time < 20; time += 1) {
    const client = await running.open();
    const text = untilClosed(client);
    client.write(post('Content-Length: 4000000'));
    client.write(Buffer.alloc(4_000_000));
    t.match(await text, /^HTTP\/1.1 413 .*too large$/s);
  }
});

t.test('a body over bodyBytesMax is refused by its actual length', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const client = await running.open();
  const text = untilClosed(client);
  client.write(post('Transfer-Encoding: chunked'));
  for (let sent = 0; sent < 5; sent += 1) client.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`);
  t.match(await text, /^HTTP\/1.1 413 .*too large$/s);
  t.equal(running.server.counters.bodiesTooLarge, 1);
  t.equal(running.server.counters.requests, 1);
});

t.test('a body that does not come to its end in time closes its connection', async (t) => {
  const clock = new SimulatedClock();
  const running = await run({ directory: t.testdir(), clock });
  const client = await running.open();
  const closed = untilClosed(client);
  const other = await running.open();
  client.write(`${post('Content-Length: 10')}half`);
  other.write(get('/'));
  await until(other, (text) => text.endsWith('hello'));
  while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5_000);
  t.equal(await closed, '');
  t.equal(running.server.counters.bodiesTimedOut, 1);
  t.equal(running.server.counters.requestsAborted, 1);
  other.write(get('/'));
  await until(other, (text) => text.endsWith('hello'));
  other.destroy();
  await running.stop();
});

t.test('all bodies on their way together are bounded', async (t) => {
  const running = await run({ directory: t.testdir(), server: { bodiesBytesMax: 100_000 } });
  t.teardown(() => running.stop());
  const clients = await Promise.all([running.open(), running.open()]);
  const closed = clients.map((client) => once(client, 'close'));
  for (const client of clients) {
    client.on('error', () => {});
    client.resume();
    client.write(post('Content-Length: 65000') + 'x'.repeat(40_000));
  }
  await Promise.race(closed);
  t.equal(running.server.counters.bodiesRefused, 1);
  for (const client of clients) client.destroy();
});

t.test(
  'a handler may answer later; a gone peer is seen and answers to it are dropped',
  async (t) => {
    const replies: HttpReply[] = [];
    const running = await run({
      directory: t.testdir(),
      handler: (_request, reply) => void replies.push(reply),
    });
    t.teardown(() => running.stop());
    const staying = await running.open();
    const leaving = await running.open();
    staying.write(get('/'));
    leaving.write(get('/'));
    while (replies.length < 2) await new Promise((resolve) => setImmediate(resolve));
    t.equal(running.server.counters.requestsInFlight, 2);
    leaving.destroy();
    while (!replies.some((reply) => reply.done))
      await new Promise((resolve) => setImmediate(resolve));
    for (const reply of replies) {
      reply.send(200, [], 'late');
      reply.send(200, [], 'twice');
    }
    t.match(await until(staying, (text) => text.endsWith('late')), '200 OK');
    t.equal(running.server.counters.requestsInFlight, 0);
    t.equal(running.server.counters.requestsAborted, 1);
    staying.destroy();
  },
);

t.test('a handler that throws is answered 500, and the server continues', async (t) => {
  const running = await run({
    directory: t.testdir(),
    handler: () => {
      throw new Error('broken');
    },
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  for (const request of [get('/'), `${post('Content-Length: 1')}x`]) {
    client.write(request);
    t.match(await until(client, (text) => text.endsWith('\r\n\r\n')), /^HTTP\/1.1 500 /);
  }
  t.match(running.failures, [{ message: 'broken' }, { message: 'broken' }]);
  client.destroy();
});

t.test('one request in flight per connection: a second one closes it', async (t) => {
  const replies: HttpReply[] = [];
  const running = await run({
    directory: t.testdir(),
    handler: (_request, reply) => void replies.push(reply),
  });
  t.teardown(() => running.stop());
  const client = await running.open();
  const closed = untilClosed(client);
  client.write(get('/') + get('/'));
  t.equal(await closed, '');
  t.equal(replies.length, 1);
  t.equal(replies[0]?.done, true);
});

t.test('stop lets the request in flight end, and takes no new connection', async (t) => {
  const replies: HttpReply[] = [];
  const running = await run({
    directory: t.testdir(),
    handler: (_request, reply) => void replies.push(reply),
  });
  const busy = await running.open();
  const quiet = await running.open();
  const silentClosed = untilClosed(quiet);
  const answer = untilClosed(busy);
  busy.write(get('/'));
  while (replies.length < 1) await new Promise((resolve) => setImmediate(resolve));
  const stopped = running.stop();
  t.equal(await silentClosed, '');
  await t.rejects(running.open(), { code: 'ECONNREFUSED' });
  const large = Buffer.alloc(400_000, 'x');
  replies[0]?.send(200, [], large);
  const text = await answer;
  t.match(text.slice(0, 300), 'Connection: close');
  t.equal(count(text, 'x'.repeat(1000)), 400);
  await stopped;
});

/** A server whose turn has no room for requests, until the clock goes on by two turns. */
async function runFull(t: Test, handler: HttpHandler) {
  const clock = new SimulatedClock();
  const turns = requestTurns(clock);
  turns.handled(clock.monotonic() - 10);
  const running = await run({ directory: t.testdir(), handler, turns });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= running.stop());
  t.teardown(stop);
  const deferred = async (count: number) => {
    while (turns.deferred < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { running, clock, deferred, stop };
}

t.test('requests beyond the share of a turn wait for a later one, whole', async (t) => {
  const taken: string[] = [];
  const waited: boolean[] = [];
  const { running, clock, deferred } = await runFull(t, (request, reply) => {
    taken.push(request.method);
    waited.push(request.arrivedMs !== undefined);
    const { method, path, query, body } = request;
    reply.send(200, [], `<${method} ${path} ${query} ${request.header('accept')} ${body}>`);
  });
  const clients = [await running.open(), await running.open()] as const;
  clients[0].write(get('/first?a=b', 'Accept: a', 'Accept: b'));
  await deferred(1);
  clients[1].write(`${post('Accept: c', 'Content-Length: 5')}whole`);
  await deferred(2);
  clock.turn();
  t.strictSame(taken, [], 'the turn that was full goes by');
  clock.turn();
  t.strictSame(taken, ['GET', 'POST'], 'in their order');
  for (const client of clients) {
    const expected = client === clients[0] ? '<GET /first a=b a, b >' : '<POST /  c whole>';
    t.match(await until(client, (text) => text.endsWith('>')), expected);
    client.write(get('/again'));
    t.match(await until(client, (text) => text.endsWith('>')), '<GET /again   >');
    client.destroy();
  }
  t.strictSame(waited, [true, true, false, false]);
});

t.test('a request whose peer leaves while it waits is not handled', async (t) => {
  let handled = 0;
  const { running, clock, deferred } = await runFull(t, (_request, reply) => {
    handled += 1;
    reply.send(200, [], 'done');
  });
  const leaving = await running.open();
  const staying = await running.open();
  leaving.write(`${post('Content-Length: 1')}x`);
  staying.write(`${post('Content-Length: 1')}x`);
  await deferred(2);
  leaving.destroy();
  const { counters } = running.server;
  while (counters.requestsAborted < 1) await new Promise((resolve) => setImmediate(resolve));
  clock.drain();
  t.match(await until(staying, (text) => text.endsWith('done')), '200 OK');
  t.equal(handled, 1);
  t.equal(counters.requestsInFlight, 0);
  staying.destroy();
});

t.test('one that throws in a later turn is answered 500', async (t) => {
  const { running, clock, deferred } = await runFull(t, () => {
    throw new Error('broken');
  });
  const client = await running.open();
  client.write(get('/'));
  await deferred(1);
  clock.drain();
  t.match(await until(client, (text) => text.endsWith('\r\n\r\n')), /^HTTP\/1.1 500 /);
  t.match(running.failures, [{ message: 'broken' }]);
  client.destroy();
});

t.test('a header is the same whether its request waited or not', async (t) => {
  const { running, clock, deferred } = await runFull(t, (request, reply) => {
    const { arrivedMs } = request;
    const values = ['authorization', 'accept'].map((name) => request.header(name));
    reply.send(200, [], `<${arrivedMs === undefined ? 'now' : 'later'} ${values.join('|')}>`);
  });
  const client = await running.open();
  const lines = ['Authorization:', 'Authorization: Bearer t', 'Accept: a', 'Accept:', 'Accept: b'];
  client.write(get('/', ...lines));
  await deferred(1);
  clock.drain();
  t.match(await until(client, (text) => text.endsWith('>')), '<later |a, , b>');
  client.write(get('/', ...lines));
  t.match(await until(client, (text) => text.endsWith('>')), '<now |a, , b>');
  client.destroy();
});

t.test('an answer that goes on may begin in a later turn', async (t) => {
  const { running, clock, deferred } = await runFull(t, (_request, reply) => {
    const stream = reply.open(200, []);
    stream.write('first ');
    stream.write('last');
    stream.end();
  });
  const client = await running.open();
  client.write(get('/'));
  await deferred(1);
  clock.drain();
  t.match(await until(client, (text) => text.endsWith('0\r\n\r\n')), /first .*last/s);
  client.destroy();
});

t.test('stop waits for requests that wait for their turn', async (t) => {
  const { running, clock, deferred, stop } = await runFull(t, (_request, reply) => {
    reply.send(200, [], 'answered');
  });
  const client = await running.open();
  const answer = untilClosed(client);
  client.write(get('/'));
  await deferred(1);
  const stopped = stop();
  clock.drain();
  t.match(await answer, /Connection: close.*answered$/s);
  await stopped;
});

t.test('requests that still wait when the server stops for good are not handled', async (t) => {
  let handled = 0;
  const { running, clock, deferred } = await runFull(t, () => void handled++);
  const client = await running.open();
  const closed = untilClosed(client);
  client.write(get('/'));
  await deferred(1);
  await running.server.stop(1);
  t.equal(await closed, '');
  clock.drain();
  t.equal(handled, 0);
});
