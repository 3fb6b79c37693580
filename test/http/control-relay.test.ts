// Control connections through the TLS front: real threads, sockets and certificates.

import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { ControlConnection } from '../../src/channel/channel-api.ts';
import { controlWindowBytes } from '../../src/http/front/control-frames.ts';
import type { FrontLimits } from '../../src/http/front/tls-messages.ts';
import { isNightly } from '../campaigns.ts';
import { anotherLook } from '../real-waits.ts';
import { type Issued, issue } from './certificates.ts';
import { get, type Running, run, until, untilClosed } from './harness.ts';

const root = await issue('root', { authority: true });
const leaf = await issue('router', { issuer: root });

/** What a test sees of one connection on the main thread. */
interface Seen {
  readonly connection: ControlConnection;
  /** Everything that arrived, unless the bytes are only hashed. */
  text: string;
  bytes: number;
  readonly hash: Hash;
  drained: number;
  closed: number;
}

class Controlled {
  readonly seen: Seen[] = [];
  readonly t: Test;
  running: Running;
  #isStopped = false;

  /** `echoes` sends everything back. */
  static async start(
    t: Test,
    options: {
      readonly workers?: number;
      readonly controlWorkers?: number;
      readonly echoes?: boolean;
      readonly front?: Partial<FrontLimits>;
    } = {},
  ): Promise<Controlled> {
    const { workers = 1, controlWorkers = 1, echoes = false, front } = options;
    const made: { controlled?: Controlled } = {};
    const running = await run({
      directory: t.testdir(),
      workers,
      controlWorkers,
      // In these tests nobody says hello, and a busy machine may take its time.
      front: { handshakeTimeoutMs: 600_000, controlWaitMs: 600_000, ...front },
      acceptControl: (connection) => made.controlled?.accept(connection, echoes),
    });
    made.controlled = new Controlled(t, running);
    t.teardown(() => made.controlled?.stop());
    return made.controlled;
  }

  private constructor(t: Test, running: Running) {
    this.t = t;
    this.running = running;
  }

  accept(connection: ControlConnection, echoes: boolean): void {
    const hash = createHash('sha256');
    const seen: Seen = { connection, text: '', bytes: 0, hash, drained: 0, closed: 0 };
    this.seen.push(seen);
    connection.listen({
      data: (bytes) => {
        if (bytes.length < 1000) seen.text += bytes.toString();
        seen.bytes += bytes.length;
        hash.update(bytes);
        if (bytes.toString() === 'throw') throw new Error('a bug of the owner');
        if (echoes) connection.write([bytes]);
      },
      drained: () => (seen.drained += 1),
      closed: () => (seen.closed += 1),
    });
  }

  get controlPort(): number {
    return this.running.front.controlPort ?? 0;
  }

  /** A router whose handshake is done. */
  async router(more: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({
      host: '127.0.0.1',
      port: this.controlPort,
      servername: 'localhost',
      ca: this.running.certificate.certificate,
      cert: leaf.certificate,
      key: leaf.key,
      ALPNProtocols: ['ziti-ctrl'],
      ...more,
    });
    this.t.teardown(() => socket.destroy());
    await once(socket, 'secureConnect');
    socket.on('error', () => {});
    return socket;
  }

  /** A router, and the other end of its connection; there is no other new one. */
  async pair(more: ConnectionOptions = {}): Promise<{ router: TLSSocket; seen: Seen }> {
    const count = this.seen.length;
    const router = await this.router(more);
    await holds(() => this.seen.length > count);
    const seen = this.seen[count];
    if (seen === undefined) throw new Error('nothing was accepted');
    return { router, seen };
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.running.stop();
  }
}

/** Waits for something that other threads do. */
async function holds(isSo: () => boolean): Promise<void> {
  const patience = performance.now() + 120_000;
  while (!isSo()) {
    if (performance.now() > patience) throw new Error(`waited for too long: ${isSo}`);
    await anotherLook();
  }
}

/** Lets other threads work for some turns, to see that nothing happens. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function digestOf(...bytes: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const part of bytes) hash.update(part);
  return hash.digest('hex');
}

/** Bytes that differ from place to place. */
function pattern(bytes: number): Buffer {
  const made = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) made.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  return made;
}

t.test('both ports serve routers, and the port of the API serves requests as before', async (t) => {
  const controlled = await Controlled.start(t, { workers: 2, echoes: true });
  const { running } = controlled;
  const chain = { cert: leaf.certificate + root.certificate, key: leaf.key };
  for (const port of [controlled.controlPort, running.front.port]) {
    const { router, seen } = await controlled.pair({ port, ...chain });
    t.equal(router.alpnProtocol, 'ziti-ctrl');
    t.equal(seen.connection.address, '127.0.0.1');
    t.same(seen.connection.certificates, [leaf.der, root.der]);
    router.write('hello');
    await until(router, (text) => text === 'hello');
    router.destroy();
    await holds(() => seen.closed === 1);
  }
  const client = await running.open();
  client.write(get('/'));
  await until(client, (text) => text.endsWith('hello'));
  client.destroy();
  await holds(() => running.front.counters().connectionsOpen === 0);
  t.equal(running.front.counters().controlConnectionsOpen, 0);
  const mode = statSync(join(t.testdirName, 'run', 'control.sock')).mode & 0o777;
  t.equal(mode, 0o600);
});

t.test('the control port has a worker of its own, which is replaced when it dies', async (t) => {
  const begun: Worker[] = [];
  const note = (thread: Worker) => void begun.push(thread);
  process.on('worker', note);
  t.teardown(() => process.off('worker', note));
  const controlled = await Controlled.start(t, { workers: 2, echoes: true });
  const { running } = controlled;
  t.equal(begun.length, 3);
  t.equal(running.front.workers, 3);
  const ask = async (client: TLSSocket) => {
    client.write(get('/'));
    await until(client, (text) => text.endsWith('hello'));
  };
  const clients = await Promise.all(Array.from({ length: 8 }, () => running.open()));
  await Promise.all(clients.map(ask));
  const atApi = await controlled.pair({ port: running.front.port });
  const routers = await Promise.all(Array.from({ length: 8 }, () => controlled.router()));
  await holds(() => controlled.seen.length === 9);

  const lost = routers.map((router) => once(router, 'close'));
  await begun[2]?.terminate();
  await Promise.all(lost);
  await holds(() => running.failures.length === 1);
  t.match(running.failures, [{ message: 'a TLS worker ended by itself' }]);
  await holds(() => begun.length === 4);
  await Promise.all(clients.map(ask));
  atApi.router.write('still here');
  await until(atApi.router, (text) => text === 'still here');
  t.equal(running.front.counters().controlConnectionsOpen, 1);

  let back: TLSSocket | undefined;
  // The port is closed until the new worker listens.
  while (back === undefined) back = await controlled.router().catch(() => undefined);
  back.write('back');
  await until(back, (text) => text === 'back');
  const renewed = await issue('renewed');
  running.front.renew(renewed);
  const untrusted = () => controlled.router({ ca: renewed.certificate }).catch(() => undefined);
  let after: TLSSocket | undefined;
  while (after === undefined) after = await untrusted();
  t.equal(after.getPeerCertificate().subject.CN, 'renewed');
  for (const client of clients) client.destroy();
});

t.test('two workers of the control port share its routers', async (t) => {
  const controlled = await Controlled.start(t, { controlWorkers: 2, echoes: true });
  const { running } = controlled;
  t.equal(running.front.workers, 3);
  // The kernel chooses the worker by the addresses: that all 40 meet the same one is improbable.
  const routers = await Promise.all(Array.from({ length: 40 }, () => controlled.router()));
  await holds(() => controlled.seen.length === 40);
  let lost = 0;
  for (const router of routers) router.on('close', () => (lost += 1));
  await workersOf(running)[2]?.terminate();
  await holds(() => running.failures.length === 1);
  await holds(
    () => controlled.seen.filter(({ closed }) => closed === 1).length === lost && lost > 0,
  );
  t.ok(lost < 40);
  for (const router of routers.filter(({ closed }) => !closed)) {
    router.write('still here');
    await until(router, (text) => text === 'still here');
  }
});

t.test('the control port serves nothing else', async (t) => {
  const controlled = await Controlled.start(t);
  const { running } = controlled;
  const port = controlled.controlPort;
  // Without the name in its ClientHello no handshake is spent on a connection.
  for (const ALPNProtocols of [undefined, ['http/1.1'], ['h2']]) {
    await t.rejects(running.open({ port, ...(ALPNProtocols && { ALPNProtocols }) }));
  }
  t.equal(running.front.counters().controlUnfit, 3);
  // The server prefers HTTP.
  const both = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl', 'http/1.1'],
  });
  t.equal(await untilClosed(both), '');
  await holds(() => running.front.counters().controlUnfit === 4);
  for (const at of [port, running.front.port]) {
    const anonymous = await controlled.router({ port: at, cert: undefined, key: undefined });
    t.equal(await untilClosed(anonymous), '', 'a router without certificate');
  }
  await holds(() => running.front.counters().controlUnfit === 6);
  t.equal(controlled.seen.length, 0);
  await holds(() => running.front.counters().connectionsOpen === 0);
});

const sharing = isNightly ? 1000 : 300;

t.test(`${sharing} connections share one socket per worker`, async (t) => {
  const count = sharing;
  // None of them is admitted before all are there.
  const front = { controlHandshakesMax: 2 * count };
  const controlled = await Controlled.start(t, { workers: 2, echoes: true, front });
  const descriptors = () => readdirSync('/proc/self/fd').length;
  await controlled.pair();
  const before = descriptors();
  const routers: TLSSocket[] = [];
  for (let batch = 0; batch < count / 50; batch += 1) {
    routers.push(...(await Promise.all(Array.from({ length: 50 }, () => controlled.router()))));
  }
  await holds(() => controlled.seen.length === count + 1);
  // One for the router in this process, one for the worker, and the second worker's own two.
  t.ok(descriptors() - before <= 2 * count + 2, `${descriptors() - before} descriptors`);
  await Promise.all(
    routers.map(async (router, index) => {
      for (const size of [1, 900, 5000, 40_000]) {
        const text = `${index}.`.repeat(size).slice(0, size);
        router.write(text);
        let seen = '';
        await until(router, (got) => (seen = got).length >= size);
        if (seen !== text) t.fail(`router ${index} got the bytes of another`);
      }
    }),
  );
  t.equal(controlled.running.front.counters().controlConnectionsOpen, count + 1);
  for (const router of routers) router.destroy();
  await holds(() => controlled.running.front.counters().controlConnectionsOpen === 1);
  await holds(() => controlled.seen.filter(({ closed }) => closed === 1).length === count);
});

t.test('a router that does not read holds up nobody else, and costs a window', async (t) => {
  const controlled = await Controlled.start(t);
  const { router, seen } = await controlled.pair();
  const other = await controlled.pair();
  router.pause();
  const chunk = pattern(2 ** 20);
  const before = process.memoryUsage().rss;
  const count = 40;
  for (let sent = 0; sent < count; sent += 1) seen.connection.write([chunk]);
  const total = count * chunk.length;
  for (let round = 0; round < 100; round += 1) {
    other.seen.connection.write([Buffer.from(`${round};`)]);
    await until(other.router, (text) => text.endsWith(`${round};`));
  }
  // The kernel's buffers of a TCP connection within this machine hold up to 6 MB.
  t.ok(seen.connection.unsentBytes > total - 16 * 2 ** 20, `${seen.connection.unsentBytes} unsent`);
  t.ok(process.memoryUsage().rss - before < 48 * 2 ** 20);
  t.equal(seen.drained, 0);
  const hash = createHash('sha256');
  let bytes = 0;
  router.on('data', (data: Buffer) => {
    hash.update(data);
    bytes += data.length;
  });
  router.resume();
  await holds(() => bytes === total);
  t.equal(hash.digest('hex'), digestOf(...Array.from({ length: count }, () => chunk)));
  await holds(() => seen.drained === 1);
  t.equal(seen.connection.unsentBytes, 0);
});

t.test('a paused connection takes a window of bytes, and all of them later', async (t) => {
  const controlled = await Controlled.start(t);
  const { router, seen } = await controlled.pair();
  const other = await controlled.pair();
  seen.connection.pause();
  const sent = pattern(24 * 2 ** 20);
  router.write(sent);
  for (let round = 0; round < 50; round += 1) {
    other.router.write(`${round};`);
    await holds(() => other.seen.text.endsWith(`${round};`));
  }
  await holds(() => seen.bytes > 0);
  t.ok(seen.bytes <= controlWindowBytes, `${seen.bytes} bytes`);
  seen.connection.resume();
  await holds(() => seen.bytes === sent.length);
  t.equal(seen.hash.digest('hex'), digestOf(sent));
});

t.test('16 MiB in both directions at once arrive unchanged', async (t) => {
  const controlled = await Controlled.start(t, { echoes: true });
  const { router } = await controlled.pair();
  const sent = pattern(16 * 2 ** 20);
  const hash = createHash('sha256');
  let bytes = 0;
  router.on('data', (data: Buffer) => {
    hash.update(data);
    bytes += data.length;
  });
  router.write(sent);
  await holds(() => bytes === sent.length);
  t.equal(hash.digest('hex'), digestOf(sent));
});

t.test('an end comes behind the last byte, a destroy at once', async (t) => {
  const controlled = await Controlled.start(t);
  const ended = await controlled.pair();
  const sent = pattern(3 * 2 ** 20);
  const closed = untilClosed(ended.router);
  ended.seen.connection.write([Buffer.alloc(0), sent.subarray(0, 10), sent.subarray(10)]);
  ended.seen.connection.end();
  ended.seen.connection.write([Buffer.from('too late')]);
  ended.router.write('nobody reads this');
  t.equal(digestOf(Buffer.from(await closed, 'latin1')), digestOf(sent));
  await holds(() => ended.seen.closed === 1);
  t.equal(ended.seen.text, '');

  const destroyed = await controlled.pair();
  destroyed.router.pause();
  for (let count = 0; count < 64; count += 1) destroyed.seen.connection.write([sent]);
  destroyed.seen.connection.destroy();
  t.equal(destroyed.seen.closed, 1);
  t.equal(destroyed.seen.connection.unsentBytes, 0);
  destroyed.seen.connection.destroy();
  destroyed.seen.connection.end();
  t.equal(destroyed.seen.closed, 1);
  const rest = untilClosed(destroyed.router);
  destroyed.router.resume();
  t.ok((await rest).length < 64 * sent.length);
  await holds(() => controlled.running.front.counters().controlConnectionsOpen === 0);
});

t.test('a router that does not close its side after an end is dropped', async (t) => {
  const controlled = await Controlled.start(t, { front: { lingerTimeoutMs: 200 } });
  const { router, seen } = await controlled.pair();
  // It reads nothing, not even the end.
  router.pause();
  const large = pattern(2 ** 20);
  for (let count = 0; count < 32; count += 1) seen.connection.write([large]);
  await turns(10);
  seen.connection.destroy();
  const other = await controlled.pair();
  other.router.pause();
  other.seen.connection.write([large.subarray(0, 10_000)]);
  other.seen.connection.end();
  await holds(() => other.seen.closed === 1);
  await holds(() => controlled.running.front.counters().controlConnectionsOpen === 0);
});

t.test('routers that end, half close or reset their connection are gone', async (t) => {
  const controlled = await Controlled.start(t);
  const leave: readonly ((router: TLSSocket, plain: Socket) => void)[] = [
    (router) => router.end(),
    (router) => router.end('last words'),
    (router) => router.destroy(),
    (_, plain) => void plain.resetAndDestroy(),
  ];
  for (const [index, act] of leave.entries()) {
    const plain = connectPlain({ port: controlled.controlPort, allowHalfOpen: true });
    const { router, seen } = await controlled.pair({ socket: plain });
    act(router, plain);
    await holds(() => seen.closed === 1);
    t.equal(seen.text, index === 1 ? 'last words' : '');
    seen.connection.write([Buffer.from('nobody')]);
    t.equal(seen.connection.unsentBytes, 0);
  }
  await holds(() => controlled.running.front.counters().connectionsOpen === 0);
});

t.test('an answer admits a router, and a refusal does not', async (t) => {
  const controlled = await Controlled.start(t, { front: { controlPendingPerAddressMax: 1 } });
  const accepted = await controlled.pair();
  await t.rejects(controlled.router(), 'the first one is not accepted yet');
  accepted.seen.connection.write([Buffer.from('welcome')]);
  await until(accepted.router, (text) => text === 'welcome');
  await holds(() => controlled.running.front.counters().controlConnectionsOpen === 1);

  const refused = await controlled.pair();
  // It does not read, so its connection stays open for a while.
  refused.router.pause();
  refused.seen.connection.write([pattern(8 * 2 ** 20)]);
  refused.seen.connection.end();
  await turns(20);
  await t.rejects(controlled.router(), 'the second one is refused but not gone');
  t.equal(controlled.running.front.counters().controlRefused, 2);
  refused.router.destroy();
  await holds(() => refused.seen.closed === 1);
  await controlled.pair();
  t.equal(accepted.seen.closed, 0);
});

t.test('an owner that throws loses that connection alone', async (t) => {
  const controlled = await Controlled.start(t, { echoes: true });
  const { router, seen } = await controlled.pair();
  const other = await controlled.pair();
  router.write('throw');
  t.equal(await untilClosed(router), '');
  t.equal(seen.closed, 1);
  t.equal(controlled.running.failures.length, 1);
  other.router.write('still here');
  await until(other.router, (text) => text === 'still here');
});

t.test('what arrives before there is a listener is kept', async (t) => {
  const connections: ControlConnection[] = [];
  const running = await run({
    directory: t.testdir(),
    acceptControl: (connection) => void connections.push(connection),
  });
  t.teardown(() => running.stop());
  const router = await running.open({
    port: running.front.controlPort,
    cert: leaf.certificate,
    key: leaf.key,
    ALPNProtocols: ['ziti-ctrl'],
  });
  const sent = pattern(2 ** 20);
  router.write(sent);
  await holds(() => connections.length === 1);
  await turns(100);
  let bytes = 0;
  const hash = createHash('sha256');
  let closed = 0;
  connections[0]?.listen({
    data: (data) => {
      hash.update(data);
      bytes += data.length;
    },
    drained: () => {},
    closed: () => (closed += 1),
  });
  await holds(() => bytes === sent.length);
  t.equal(hash.digest('hex'), digestOf(sent));
  router.destroy();
  await holds(() => closed === 1);
});

t.test('a malformed frame closes the connections of its worker, and is logged', async (t) => {
  const controlled = await Controlled.start(t, { echoes: true });
  const { router } = await controlled.pair();
  const path = controlled.running.controlSocketPath ?? '';
  const open = Buffer.from('00010000000b0000000700000061646472657373', 'hex');
  const tooMuch = Buffer.concat([
    Buffer.from('010100000000000100', 'hex'),
    Buffer.alloc(65_536),
    Buffer.from('010100000001000000', 'hex'),
    Buffer.alloc(1),
  ]);
  const bad = [
    Buffer.from('garbage that is no frame'),
    Buffer.concat([open, open]),
    Buffer.from('030100000000000000', 'hex'),
    Buffer.from('050100000000000000', 'hex'),
  ];
  const speak = (bytes: Buffer) => {
    const worker = connectPlain(path);
    worker.on('error', () => {});
    worker.write(bytes);
    return worker.resume();
  };
  for (const [index, bytes] of bad.entries()) {
    await once(speak(bytes), 'close');
    t.equal(controlled.running.failures.length, index + 1);
  }
  const count = controlled.seen.length;
  const worker = speak(open);
  await holds(() => controlled.seen.length > count);
  controlled.seen[count]?.connection.pause();
  worker.write(tooMuch);
  await once(worker, 'close');
  t.equal(controlled.running.failures.length, bad.length + 1);
  t.ok(controlled.seen.slice(1).every(({ closed }) => closed === 1));
  router.write('unconcerned');
  await until(router, (text) => text === 'unconcerned');
});

/** The workers of a front, which it keeps to itself. */
function workersOf({ front, certificate }: Running): Worker[] {
  const { postMessage } = Worker.prototype;
  const caught: Worker[] = [];
  Worker.prototype.postMessage = function (this: Worker, message: unknown): void {
    caught.push(this);
    postMessage.call(this, message);
  };
  front.renew(certificate);
  Worker.prototype.postMessage = postMessage;
  return caught;
}

t.test('a worker that dies takes its connections with it, and no others', async (t) => {
  const controlled = await Controlled.start(t, { workers: 2, echoes: true });
  const { port } = controlled.running.front;
  const routers = await Promise.all(Array.from({ length: 16 }, () => controlled.router({ port })));
  await holds(() => controlled.seen.length === 16);
  const closed = new Set<TLSSocket>();
  for (const router of routers) router.on('close', () => closed.add(router));
  await workersOf(controlled.running)[0]?.terminate();
  await holds(() => controlled.running.failures.length === 1);
  const lost = () => controlled.seen.filter((seen) => seen.closed === 1).length;
  // All connections of the worker are lost in one moment, and their routers learn it later.
  await holds(() => lost() > 0);
  await holds(() => closed.size === lost());
  for (const router of routers.filter((router) => !closed.has(router))) {
    router.write('still here');
    await until(router, (text) => text === 'still here');
  }
  const { router } = await controlled.pair({ port });
  router.write('new here');
  await until(router, (text) => text === 'new here');
});

t.test('a renewed certificate is shown to new routers, old connections stay', async (t) => {
  const controlled = await Controlled.start(t, { echoes: true });
  const { router } = await controlled.pair();
  const next: Issued = await issue('renewed');
  controlled.running.front.renew(next);
  const shows = async () => {
    const other = await controlled.router({ rejectUnauthorized: false });
    return other.getPeerCertificate().subject.CN;
  };
  // The worker may have taken the connection before the message.
  while ((await shows()) !== 'renewed') await anotherLook();
  router.write('old');
  await until(router, (text) => text === 'old');
});

t.test('a stop closes connections behind what was written', async (t) => {
  const controlled = await Controlled.start(t, { workers: 2 });
  const pairs = [await controlled.pair(), await controlled.pair(), await controlled.pair()];
  const sent = pattern(300_000);
  const read = pairs.map(({ router }) => untilClosed(router));
  for (const { seen } of pairs) seen.connection.write([sent]);
  await controlled.stop();
  for (const text of await Promise.all(read)) {
    t.equal(digestOf(Buffer.from(text, 'latin1')), digestOf(sent));
  }
  // The main thread may hear of the last end after its router.
  await holds(() => controlled.seen.every(({ closed }) => closed > 0));
  t.ok(controlled.seen.every(({ closed }) => closed === 1));
  t.same(controlled.running.failures, []);
});
