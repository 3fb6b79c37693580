// Which connections may begin a TLS handshake, and which are dropped: real sockets, simulated time.

import { once } from 'node:events';
import { connect as connectTcp, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { ClaimedPorts } from '../../src/http/front/claimed-ports.ts';
import { TlsAdmission } from '../../src/http/front/connection-admission.ts';
import type { SeatedClient } from '../../src/http/front/connection-capacity.ts';
import { ConnectionTable, type FrontCounterName } from '../../src/http/front/connection-table.ts';
import type { FrontLimits } from '../../src/http/front/tls-messages.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { freePort } from '../system/free-ports.ts';
import { issue } from './certificates.ts';
import { inRecords, realHello } from './first-flight.ts';
import { frontLimits } from './harness.ts';

const attacker = '127.0.0.2';
const honest = '127.0.0.1';

class Admitting {
  readonly clock = new SimulatedClock();
  readonly table = new ConnectionTable(0, 1);
  readonly secured: TLSSocket[] = [];
  /** The clients of those for requests. */
  readonly clients: (SeatedClient & { awaitsAnswer: boolean })[] = [];
  /** Accepts the hello of each control connection that is in `secured`. */
  readonly admitted: (() => void)[] = [];
  /** Called for each of them. */
  onSecured: () => void = () => {};
  /** Connections that were let in. */
  arrived = 0;
  readonly #t: Test;
  readonly #admission: TlsAdmission;
  readonly port: number;
  /** The port for control connections alone. */
  readonly controlPort: number;

  static async start(t: Test, limits: Partial<FrontLimits>): Promise<Admitting> {
    const host = '0.0.0.0';
    const claims = new ClaimedPorts();
    const any = { host, port: 0 };
    const ports = [await claims.claim(any), await claims.claim(any)] as const;
    const admitting = new Admitting(t, limits, await issue('server'), ports);
    await new Promise<void>((resolve, reject) => {
      const { controlPort, port } = admitting;
      const next = () =>
        admitting.#admission.listen({ host, port: controlPort }, 'control', resolve, reject);
      admitting.#admission.listen({ host, port }, 'both', next, reject);
    });
    claims.release();
    return admitting;
  }

  private constructor(
    t: Test,
    limits: Partial<FrontLimits>,
    server: { certificate: string; key: string },
    [port, controlPort]: readonly [number, number],
  ) {
    this.#t = t;
    this.port = port;
    this.controlPort = controlPort;
    this.#admission = new TlsAdmission({
      server,
      table: this.table,
      clock: this.clock,
      limits: { ...frontLimits, ...limits },
      secure: (socket, seat) => {
        this.#secure(socket);
        const client = { ...quiet, closeFor: () => void socket.destroy() };
        this.clients.push(client);
        this.#admission.capacity.settle(seat, client);
      },
      secureControl: (socket, admitted) => {
        this.#secure(socket);
        this.admitted.push(admitted);
        this.onSecured();
      },
      arrived: () => void this.arrived++,
    });
    t.teardown(() => this.#admission.stop());
  }

  #secure(socket: TLSSocket): void {
    socket.on('error', () => {});
    this.secured.push(socket);
    this.#t.teardown(() => socket.destroy());
  }

  /** A connection that says `bytes` and nothing else, once the listener has taken it. */
  async tcp(from: string, bytes?: Buffer, port = this.port): Promise<Socket> {
    const before = this.table.count('connectionsAccepted');
    const socket = connectTcp({ port, host: '127.0.0.1', localAddress: from });
    this.#t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'connect');
    await this.until(() => this.table.count('connectionsAccepted') > before);
    if (bytes !== undefined) socket.write(bytes);
    return socket;
  }

  /** A handshake that goes on as soon as it may. */
  tls(from: string, to = '127.0.0.1', localPort?: number): TLSSocket {
    const at = { port: this.port, host: to, localAddress: from };
    const socket = connect({
      ...at,
      ...(localPort === undefined ? {} : { localPort }),
      rejectUnauthorized: false,
    });
    socket.on('error', () => {});
    this.#t.teardown(() => socket.destroy());
    return socket;
  }

  /** A router's handshake that goes on as soon as it may. */
  router(from: string, port = this.controlPort): TLSSocket {
    const at = { port, host: '127.0.0.1', localAddress: from };
    const ALPNProtocols = ['ziti-ctrl'];
    const socket = connect({ ...at, rejectUnauthorized: false, ALPNProtocols });
    socket.on('error', () => {});
    this.#t.teardown(() => socket.destroy());
    return socket;
  }

  /** A client whose handshake is begun and stuck. */
  async stuck(from: string, hello: Buffer, port = this.port): Promise<Socket> {
    const before = this.table.count('handshakesUnfinished');
    const socket = await this.tcp(from, hello, port);
    await this.counted('handshakesUnfinished', before + 1);
    return socket;
  }

  async until(holds: () => boolean): Promise<void> {
    const patience = performance.now() + 20_000;
    while (!holds()) {
      if (performance.now() > patience) throw new Error('waited for too long');
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.drain();
    }
  }

  async counted(name: FrontCounterName, value: number): Promise<void> {
    await this.until(() => this.table.count(name) === value);
  }

  /** Lets time go by, as a worker does that sweeps each second. */
  advance(ms: number): void {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(left, 1000));
      this.#admission.sweep();
    }
  }

  get isEmpty(): boolean {
    return this.#admission.isEmpty;
  }

  stop(): void {
    this.#admission.stop();
  }
}

/** A client that does nothing. */
const quiet = { active: false, awaitsAnswer: false, takeSessionUse: () => false };

const begun = Buffer.from([22]);

/** Resolves when a connection is closed, reset or not. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

t.test('there is nothing to sweep before the first connection and after the last', async (t) => {
  const admitting = await Admitting.start(t, {});
  t.ok(admitting.isEmpty);
  const silent = await admitting.tcp(attacker);
  const secured = admitting.tls(honest);
  const router = admitting.router(honest);
  await Promise.all([once(secured, 'secureConnect'), once(router, 'secureConnect')]);
  t.equal(admitting.arrived, 3);
  for (const socket of [silent, secured, router]) {
    t.notOk(admitting.isEmpty);
    socket.destroy();
  }
  await admitting.until(() => admitting.isEmpty);
  t.equal(admitting.table.count('connectionsOpen'), 0);
});

t.test('a connection that has begun its ClientHello takes no room', async (t) => {
  const admitting = await Admitting.start(t, { handshakesUnfinishedMax: 4 });
  for (let count = 0; count < 4; count += 1) await admitting.tcp(attacker, begun);
  await once(admitting.tls(attacker), 'secureConnect');
  await once(admitting.tls(honest), 'secureConnect');
  t.equal(admitting.table.count('handshakesDropped'), 0);
});

t.test('a ClientHello has its time from its first byte on', async (t) => {
  const admitting = await Admitting.start(t, {});
  const hello = await realHello();
  const slow = await admitting.tcp(honest);
  admitting.advance(5000);
  const started = closing(slow);
  slow.write(hello.subarray(0, 10));
  const silent = await admitting.tcp(honest);
  await admitting.until(() => admitting.table.count('connectionsOpen') === 2);
  // Its first byte has come when a later connection of the same client is answered.
  await once(admitting.tls(honest), 'secureConnect');
  admitting.advance(2000);
  t.equal(admitting.table.count('handshakesTimedOut'), 0);
  admitting.advance(1000);
  await started;
  t.equal(admitting.table.count('handshakesTimedOut'), 1);
  const closed = closing(silent);
  admitting.advance(7000);
  await closed;
  t.equal(
    admitting.table.count('handshakesTimedOut'),
    2,
    'who says nothing has handshakeTimeoutMs',
  );
});

t.test('a handshake that does not go on has its time from the connection on', async (t) => {
  const admitting = await Admitting.start(t, {});
  const closed = closing(await admitting.stuck(honest, await realHello()));
  admitting.advance(9000);
  t.equal(admitting.table.count('handshakesTimedOut'), 0);
  admitting.advance(1000);
  await closed;
  t.equal(admitting.table.count('handshakesTimedOut'), 1);
  t.equal(admitting.table.count('handshakesUnfinished'), 0);
  t.equal(admitting.table.count('connectionsOpen'), 0);
});

t.test('a ClientHello in many records and segments is taken', async (t) => {
  const admitting = await Admitting.start(t, {});
  for (const bytes of [1, 3, 100]) {
    const socket = await admitting.tcp(honest);
    let isFirst = true;
    const cut = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        const sent = isFirst ? inRecords(chunk, bytes) : chunk;
        isFirst = false;
        socket.write(sent.subarray(0, 20));
        setImmediate(() => socket.write(sent.subarray(20), () => done()));
      },
    });
    socket.on('data', (chunk) => cut.push(chunk));
    const client = connect({ socket: cut, rejectUnauthorized: false });
    client.on('error', () => {});
    await once(client, 'secureConnect');
    t.pass(`records of ${bytes} bytes`);
  }
  t.equal(admitting.table.count('handshakesFailed'), 0);
});

t.test('a ClientHello that is too long, or none at all, is closed at once', async (t) => {
  const admitting = await Admitting.start(t, { clientHelloBytesMax: 4096 });
  const hello = await realHello();
  const tooLong = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x10, 1]);
  const trailing = Buffer.concat([tooLong.subarray(0, 8), Buffer.from([0]), Buffer.alloc(5000)]);
  const ended = Buffer.from(hello.subarray(0, 10));
  for (const bytes of [tooLong, trailing, Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
    await closing(await admitting.tcp(honest, bytes));
  }
  const leaving = await admitting.tcp(honest, ended);
  leaving.end();
  await closing(leaving);
  await admitting.counted('handshakesFailed', 4);
  t.equal(admitting.table.count('connectionsOpen'), 0);
});

t.test('when handshakes are full, the oldest makes room once its grace is over', async (t) => {
  const admitting = await Admitting.start(t, { handshakesUnfinishedMax: 2 });
  const hello = await realHello();
  const oldest = await admitting.stuck(attacker, hello);
  admitting.advance(500);
  const other = await admitting.stuck(attacker, hello);
  const client = admitting.tls(honest);
  await admitting.counted('handshakesWaiting', 1);
  admitting.advance(1499);
  t.equal(admitting.table.count('handshakesDropped'), 0);
  const closed = closing(oldest);
  const secured = once(client, 'secureConnect');
  admitting.advance(1);
  await Promise.all([closed, secured]);
  await admitting.counted('handshakesUnfinished', 1);
  t.equal(admitting.table.count('handshakesDropped'), 1);
  t.notOk(other.closed);
});

t.test('the address with most handshakes makes room, whatever their age', async (t) => {
  const admitting = await Admitting.start(t, { handshakesUnfinishedMax: 3 });
  const hello = await realHello();
  const alone = await admitting.stuck('127.0.0.3', hello);
  const first = await admitting.stuck(attacker, hello);
  const second = await admitting.stuck(attacker, hello);
  admitting.advance(2000);
  const closed = closing(first);
  await once(admitting.tls(honest), 'secureConnect');
  await closed;
  t.notOk(alone.closed);
  t.notOk(second.closed);
});

t.test('addresses that wait for a handshake take turns', async (t) => {
  const admitting = await Admitting.start(t, { handshakesUnfinishedMax: 3 });
  const hello = await realHello();
  for (let count = 0; count < 3; count += 1) await admitting.stuck(attacker, hello);
  for (let count = 0; count < 2; count += 1) await admitting.tcp(attacker, hello);
  await admitting.counted('handshakesWaiting', 2);
  const client = admitting.tls(honest);
  await admitting.counted('handshakesWaiting', 3);
  admitting.advance(2000);
  await once(client, 'secureConnect');
  t.equal(admitting.table.count('handshakesDropped'), 3);
  t.equal(admitting.table.count('handshakesWaiting'), 0);
});

t.test('those that wait for a handshake are bounded as well', async (t) => {
  const admitting = await Admitting.start(t, { handshakesUnfinishedMax: 2 });
  const hello = await realHello();
  for (let count = 0; count < 2; count += 1) await admitting.stuck(attacker, hello);
  for (let count = 0; count < 5; count += 1) await admitting.tcp(attacker, hello);
  await admitting.counted('handshakesDropped', 3);
  t.equal(admitting.table.count('handshakesWaiting'), 2);
  for (let count = 0; count < 6; count += 1) await admitting.tcp(attacker, begun);
  await admitting.counted('handshakesDropped', 7);
  t.equal(admitting.table.count('connectionsOpen'), 6);
  t.equal(admitting.table.count('handshakesUnfinished'), 2);
});

t.test('only some handshakes are begun in one turn of the event loop', async (t) => {
  const admitting = await Admitting.start(t, { handshakesPerTurnMax: 2 });
  const hello = await realHello();
  // Turns of the simulated clock are only made where a test waits by it.
  const sockets = Array.from({ length: 5 }, () => admitting.tcp(honest));
  for (const socket of await Promise.all(sockets)) socket.write(hello);
  const seen: number[] = [];
  for (const expected of [2, 4, 5]) {
    while (admitting.table.count('handshakesUnfinished') < expected) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    seen.push(admitting.table.count('handshakesUnfinished'));
    admitting.clock.turn();
  }
  t.same(seen, [2, 4, 5]);
});

t.test('an address has its bound of connections, other addresses have theirs', async (t) => {
  const admitting = await Admitting.start(t, { connectionsPerAddressMax: 2 });
  const first = await admitting.tcp(attacker);
  await admitting.tcp(attacker);
  await closing(await admitting.tcp(attacker));
  t.equal(admitting.table.count('connectionsRefusedOfAddress'), 1);
  await once(admitting.tls(honest), 'secureConnect');
  first.destroy();
  await admitting.counted('connectionsOpen', 2);
  await once(admitting.tls(attacker), 'secureConnect');
});

t.test('one address that holds all connections makes room for every other one', async (t) => {
  const admitting = await Admitting.start(t, { connectionsMax: 8 });
  const held: TLSSocket[] = [];
  for (let count = 0; count < 8; count += 1) {
    const socket = admitting.tls(attacker);
    await once(socket, 'secureConnect');
    held.push(socket);
  }
  await admitting.until(() => admitting.clients.length === 8);
  const closed = Promise.all(held.slice(0, 5).map((socket) => closing(socket)));
  for (const from of [honest, '127.0.0.3', '127.0.0.4', '127.0.0.5', attacker]) {
    await once(admitting.tls(from), 'secureConnect');
  }
  await closed;
  t.same(
    held.map((socket) => socket.closed),
    [true, true, true, true, true, false, false, false],
    'the one that was unused longest goes first',
  );
  t.equal(admitting.table.count('connectionsRefused'), 0);
  await admitting.counted('connectionsOpen', 8);
});

t.test('a connection is refused where all others are needed', async (t) => {
  const admitting = await Admitting.start(t, { connectionsMax: 2 });
  for (const from of [attacker, honest]) await once(admitting.tls(from), 'secureConnect');
  await admitting.until(() => admitting.clients.length === 2);
  for (const client of admitting.clients) client.awaitsAnswer = true;
  await closing(await admitting.tcp(honest));
  t.equal(admitting.table.count('connectionsRefused'), 1);
  for (const client of admitting.clients) client.awaitsAnswer = false;
  await once(admitting.tls(honest), 'secureConnect');
  await admitting.counted('connectionsOpen', 2);
});

t.test('a handshake has its time before it makes room for one of its address', async (t) => {
  const admitting = await Admitting.start(t, { connectionsMax: 3 });
  const oldest = await admitting.tcp(attacker);
  for (let count = 0; count < 2; count += 1) await admitting.tcp(attacker);
  await closing(await admitting.tcp(attacker));
  t.equal(admitting.table.count('connectionsRefused'), 1);
  admitting.advance(2000);
  const closed = closing(oldest);
  await once(admitting.tls(attacker), 'secureConnect');
  await closed;
  t.equal(admitting.table.count('handshakesDropped'), 1);
});

t.test('an address that only begins handshakes keeps no other one out', async (t) => {
  const admitting = await Admitting.start(t, { connectionsMax: 8 });
  const begun: Socket[] = [];
  for (let count = 0; count < 8; count += 1) begun.push(await admitting.tcp(attacker));
  const closed = closing(begun[0] ?? new Socket());
  await once(admitting.tls(honest), 'secureConnect');
  await closed;
  await closing(await admitting.tcp(attacker));
  t.equal(admitting.table.count('connectionsRefused'), 1);
  await admitting.counted('connectionsOpen', 8);
});

t.test('two connections from one port to two addresses are told apart', async (t) => {
  const admitting = await Admitting.start(t, {});
  const localPort = await freePort();
  const clients = [
    admitting.tls(honest, '127.0.0.1', localPort),
    admitting.tls(honest, '127.0.0.2', localPort),
  ];
  await Promise.all(clients.map((client) => once(client, 'secureConnect')));
  await admitting.counted('handshakesUnfinished', 0);
  t.equal(admitting.secured.length, 2);
});

t.test(
  'waiting connections are dropped at a stop; a handshake in progress is finished',
  async (t) => {
    const admitting = await Admitting.start(t, { handshakesUnfinishedMax: 1 });
    const hello = await realHello();
    const stuck = await admitting.stuck(attacker, hello);
    const others = [
      await admitting.tcp(honest),
      await admitting.tcp(honest, begun),
      await admitting.tcp(honest, hello),
    ];
    const closed = others.map((socket) => closing(socket));
    admitting.stop();
    await Promise.all(closed);
    t.notOk(stuck.closed);
  },
);

t.test('control connections have bounds of their own until their hello is accepted', async (t) => {
  const admitting = await Admitting.start(t, {
    connectionsPerAddressMax: 1,
    controlPendingPerAddressMax: 2,
  });
  const { table } = admitting;
  await once(admitting.tls(honest), 'secureConnect');
  for (const port of [admitting.controlPort, admitting.port]) {
    await once(admitting.router(attacker, port), 'secureConnect');
  }
  await admitting.until(() => admitting.admitted.length === 2);
  await closing(admitting.router(attacker));
  await closing(admitting.router(attacker, admitting.port));
  t.equal(table.count('controlRefused'), 2);
  await once(admitting.router(honest), 'secureConnect');
  await once(admitting.tls(attacker), 'secureConnect');

  admitting.admitted[0]?.();
  await once(admitting.router(attacker), 'secureConnect');
  await closing(admitting.router(attacker));
  // One that closes makes room, too.
  admitting.secured.at(-1)?.destroy();
  await admitting.counted('connectionsOpen', 5);
  await once(admitting.router(attacker), 'secureConnect');
  t.equal(table.count('controlRefused'), 3);
});

t.test('when pending control connections are full, the address with most makes room', async (t) => {
  const admitting = await Admitting.start(t, { controlPendingMax: 3 });
  const { table } = admitting;
  const hello = await realHello(['ziti-ctrl']);
  const silent = await admitting.tcp(attacker, undefined, admitting.controlPort);
  await admitting.stuck(attacker, hello, admitting.controlPort);
  await once(admitting.router(attacker), 'secureConnect');
  await closing(admitting.router(honest));
  t.equal(table.count('controlRefused'), 1, 'nobody is old enough');
  await once(admitting.tls(honest), 'secureConnect');
  admitting.advance(2000);
  const closed = closing(silent);
  await once(admitting.router(honest), 'secureConnect');
  await closed;
  await once(admitting.router('127.0.0.3'), 'secureConnect');
  await admitting.until(() => admitting.admitted.length === 3);
  const never = admitting.secured.filter(({ alpnProtocol }) => alpnProtocol === 'ziti-ctrl');
  admitting.advance(2000);
  await once(admitting.router('127.0.0.4'), 'secureConnect');
  const dropped = never.filter(({ destroyed }) => destroyed);
  t.equal(dropped.length, 1, 'one that was not accepted yet makes room as well');
});

t.test('a router that has waited for 4 s is closed unread', async (t) => {
  const limits = { controlHandshakesMax: 1, handshakeGraceMs: 60_000 };
  const admitting = await Admitting.start(t, limits);
  const { table } = admitting;
  const hello = await realHello(['ziti-ctrl']);
  const stuck = await admitting.stuck(attacker, hello, admitting.controlPort);
  const late = [admitting.router(honest), admitting.router(honest, admitting.port)];
  await admitting.counted('handshakesWaiting', 2);
  admitting.advance(30);
  const inTime = admitting.router(honest);
  await admitting.counted('handshakesWaiting', 3);
  await once(admitting.tls(honest), 'secureConnect');
  admitting.advance(3970);
  t.equal(table.count('controlTooLate'), 0);
  const closed = late.map((router) => closing(router));
  const secured = once(inTime, 'secureConnect');
  stuck.destroy();
  await Promise.all([...closed, secured]);
  t.equal(table.count('controlTooLate'), 2);
  t.equal(table.count('handshakesWaiting'), 0);
  await admitting.counted('handshakesUnfinished', 0);
});

t.test('routers that cannot be served in time are closed one by one', async (t) => {
  const admitting = await Admitting.start(t, { controlHandshakesMax: 1, handshakeGraceMs: 60_000 });
  const { table, clock } = admitting;
  const stuck = await admitting.stuck(
    attacker,
    await realHello(['ziti-ctrl']),
    admitting.controlPort,
  );
  for (let count = 0; count < 170; count++) admitting.router(honest);
  await admitting.counted('handshakesWaiting', 170);
  const startMs = clock.monotonic();
  const closedMs: number[] = [];
  admitting.onSecured = () => {
    admitting.advance(30);
    admitting.admitted.at(-1)?.();
    while (closedMs.length < table.count('controlTooLate')) {
      closedMs.push(clock.monotonic() - startMs);
    }
  };
  stuck.destroy();
  await admitting.counted('handshakesWaiting', 0);
  await admitting.until(() => admitting.secured.length + table.count('controlTooLate') === 170);
  t.ok(admitting.secured.length >= 130, `${admitting.secured.length} were served in 4 s`);
  const early = closedMs.filter((ms) => ms < 3500).length;
  t.ok(early > 10, `${early} of ${closedMs.length} were closed well before`);
});

t.test('a router that goes in its handshake, or before its hello, is counted', async (t) => {
  const admitting = await Admitting.start(t, {});
  const { table } = admitting;
  const hello = await realHello(['ziti-ctrl']);
  (await admitting.stuck(honest, hello, admitting.controlPort)).resetAndDestroy();
  await admitting.counted('controlAbandoned', 1);
  const stuck = await admitting.stuck(honest, hello, admitting.controlPort);
  stuck.write(Buffer.alloc(100));
  await admitting.counted('handshakesFailed', 1);
  t.equal(table.count('controlAbandoned'), 1);
});

t.test('the control port spends no handshake on others', async (t) => {
  const admitting = await Admitting.start(t, {});
  const { table } = admitting;
  await closing(await admitting.tcp(honest, await realHello(), admitting.controlPort));
  await closing(await admitting.tcp(honest, await realHello(['http/1.1']), admitting.controlPort));
  t.equal(table.count('controlUnfit'), 2);
  t.equal(table.count('handshakesFailed'), 0);
  // A name in another extension is no offer: the connection counts as any other.
  const named = connect({
    port: admitting.port,
    host: '127.0.0.1',
    servername: 'ziti-ctrl',
    rejectUnauthorized: false,
  });
  await once(named, 'secureConnect');
  await admitting.until(() => admitting.secured.length === 1);
  t.equal(admitting.admitted.length, 0);
  named.destroy();
});

t.test('an offer in many records is understood after the handshake', async (t) => {
  const admitting = await Admitting.start(t, { controlPendingPerAddressMax: 1 });
  const split = async () => {
    const socket = await admitting.tcp(honest);
    let isFirst = true;
    const cut = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        socket.write(isFirst ? inRecords(chunk, 30) : chunk, () => done());
        isFirst = false;
      },
    });
    socket.on('data', (chunk) => cut.push(chunk));
    socket.on('close', () => cut.destroy());
    const client = connect({
      socket: cut,
      rejectUnauthorized: false,
      ALPNProtocols: ['ziti-ctrl'],
    });
    client.on('error', () => {});
    return client;
  };
  await once(await split(), 'secureConnect');
  await admitting.until(() => admitting.admitted.length === 1);
  await closing(await split());
  t.equal(admitting.table.count('controlRefused'), 1);
  await admitting.counted('handshakesUnfinished', 0);
});

t.test('a router takes a third of the descriptors of another connection', async (t) => {
  const admitting = await Admitting.start(t, { descriptorsMax: 7 });
  const { table } = admitting;
  for (let count = 0; count < 2; count += 1) {
    await once(admitting.tls(honest), 'secureConnect');
  }
  await admitting.until(() => admitting.clients.length === 2);
  for (const client of admitting.clients) client.awaitsAnswer = true;
  await once(admitting.router(honest), 'secureConnect');
  await closing(admitting.router(honest));
  await closing(admitting.tls(honest));
  t.equal(table.count('connectionsRefused'), 2);
  await admitting.until(() => admitting.admitted.length === 1);
  admitting.secured[0]?.destroy();
  await admitting.counted('connectionsOpen', 2);
  for (let count = 0; count < 3; count += 1) {
    await once(admitting.router(honest), 'secureConnect');
  }
  await closing(admitting.router(honest));
});

t.test('a control connection has handshakeTimeoutMs until its hello is accepted', async (t) => {
  const admitting = await Admitting.start(t, {});
  const [accepted, other] = [admitting.router(honest), admitting.router(honest)];
  await Promise.all([accepted, other].map((router) => once(router, 'secureConnect')));
  await admitting.until(() => admitting.admitted.length === 2);
  admitting.advance(9000);
  admitting.admitted[0]?.();
  const closed = closing(admitting.secured[1] ?? other);
  admitting.advance(1000);
  await closed;
  admitting.advance(60_000);
  t.notOk(admitting.secured[0]?.destroyed);
});
