// The TLS front as its clients see it: certificates, smuggled headers, and clients that misbehave.

import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net';
import { connect, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { encodeProxyHeader } from '../../src/http/front/proxy-protocol.ts';
import { startTlsFront, TlsThreads } from '../../src/http/front/tls-front.ts';
import type { Peer } from '../../src/platform/http-exchange.ts';
import { anotherLook } from '../real-waits.ts';
import { issue } from './certificates.ts';
import { realHello } from './first-flight.ts';
import { frontLimits, get, type Running, run, until, untilClosed } from './harness.ts';

/** Waits until a count of the front, which other threads raise, is `value`. */
async function counted(
  running: Running,
  name: keyof ReturnType<Running['front']['counters']>,
  value: number,
): Promise<void> {
  const patience = performance.now() + 20_000;
  while (running.front.counters()[name] !== value) {
    if (performance.now() > patience) throw new Error(JSON.stringify(running.front.counters()));
    await anotherLook();
  }
}

/** A connection without TLS. */
async function plain(running: Running): Promise<Socket> {
  const socket = connectPlain(running.front.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** A request and its answer on a new connection: nothing else is disturbed. */
async function stillServes(running: Running): Promise<void> {
  const client = await running.open();
  client.write(get('/'));
  await until(client, (text) => text.endsWith('hello'));
  client.destroy();
}

t.test('the chain that a client shows is handed over unevaluated', async (t) => {
  const root = await issue('root', { authority: true });
  const upper = await issue('upper', { authority: true, issuer: root });
  const lower = await issue('lower', { authority: true, issuer: upper });
  const leaf = await issue('leaf', { issuer: lower, expired: true });
  const peers: Peer[] = [];
  const running = await run({
    directory: t.testdir(),
    workers: 2,
    handler: (request, reply) => {
      peers.push(request.peer);
      reply.send(200, [], 'hello');
    },
  });
  t.teardown(() => running.stop());
  const chains = [
    [leaf, lower, upper],
    [leaf, upper, lower],
    [leaf, lower, lower, upper, root, root],
    [leaf],
    [root],
  ];
  const shown = [
    [leaf, lower, upper],
    [leaf, upper, lower],
    [leaf, lower, upper, root],
    [leaf],
    [root],
  ];
  for (const [index, chain] of chains.entries()) {
    const client = await running.open({
      cert: chain.map((issued) => issued.certificate).join(''),
      key: chain[0]?.key,
    });
    for (const path of ['/first', '/second']) {
      client.write(get(path));
      await until(client, (text) => text.endsWith('hello'));
    }
    client.destroy();
    const seen = peers.splice(0);
    t.equal(seen[0], seen[1], 'one peer for a connection');
    t.equal(seen[0]?.address, '127.0.0.1');
    t.same(
      seen[0]?.certificates,
      shown[index]?.map((issued) => issued.der),
    );
  }
  await counted(running, 'connectionsOpen', 0);
  t.equal(running.front.counters().certificatesShown, 5);
});

t.test('many clients with certificates at once are each taken for themselves', async (t) => {
  const running = await run({
    directory: t.testdir(),
    workers: 2,
    handler: (request, reply) =>
      void setImmediate(() => reply.send(200, [], request.peer.certificates[0] ?? 'none')),
  });
  t.teardown(() => running.stop());
  const leaves = await Promise.all(Array.from({ length: 8 }, (_, index) => issue(`leaf ${index}`)));
  await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const leaf = index % 4 === 3 ? undefined : leaves[index % leaves.length];
      const client = await running.open({ cert: leaf?.certificate, key: leaf?.key });
      const expected = leaf?.der.toString('latin1') ?? 'none';
      client.write(get('/'));
      await until(client, (text) => text.endsWith(`\r\n\r\n${expected}`));
      client.destroy();
    }),
  );
});

t.test('a chain over the bounds closes the connection', async (t) => {
  const limits = { certificatesMax: 2, certificatesBytesMax: 4096 };
  const running = await run({ directory: t.testdir(), front: limits });
  t.teardown(() => running.stop());
  const root = await issue('root', { authority: true });
  const upper = await issue('upper', { authority: true, issuer: root });
  const leaf = await issue('leaf', { issuer: upper });
  const wide = await issue('wide', { padding: 5000 });
  for (const [cert, key] of [
    [leaf.certificate + upper.certificate + root.certificate, leaf.key],
    [wide.certificate, wide.key],
  ]) {
    t.equal(await untilClosed(await running.open({ cert, key })), '');
  }
  t.equal(running.front.counters().closedCertificatesTooLarge, 2);
  await stillServes(running);
});

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  t.test(`a session is never resumed: ${version}`, async (t) => {
    const running = await run({ directory: t.testdir() });
    t.teardown(() => running.stop());
    const versions = { minVersion: version, maxVersion: version };
    const client = connect({
      host: '127.0.0.1',
      port: running.front.port,
      servername: 'localhost',
      ca: running.certificate.certificate,
      ...versions,
    });
    let session: Buffer | undefined;
    client.on('session', (given) => (session = given));
    await once(client, 'secureConnect');
    client.write(get('/'));
    await until(client, (text) => text.endsWith('hello'));
    session ??= client.getSession();
    client.destroy();
    const again = await running.open({ session, ...versions });
    t.equal(again.getProtocol(), version);
    t.equal(again.isSessionReused(), false);
    again.destroy();
  });
}

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  t.test(
    `a ticket of another server with the same key counts for nothing: ${version}`,
    async (t) => {
      const running = await run({
        directory: t.testdir(),
        handler: (request, reply) =>
          void setImmediate(() => reply.send(200, [], request.peer.certificates[0] ?? 'none')),
      });
      t.teardown(() => running.stop());
      const { certificate: cert, key } = running.certificate;
      const versions = { minVersion: version, maxVersion: version };
      const former = createTlsServer({ cert, key, requestCert: true, rejectUnauthorized: false });
      former.on('secureConnection', (socket) => void socket.end('hello'));
      former.listen(0, '127.0.0.1');
      await once(former, 'listening');
      t.teardown(() => void former.close());
      const { port } = former.address() as AddressInfo;
      const [first, second] = [await issue('first'), await issue('second')];
      const client = connect({
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        ca: cert,
        cert: first.certificate,
        key: first.key,
        ...versions,
      });
      const [session] = await once(client, 'session');
      client.destroy();
      // The certificate that was shown with the ticket is not the caller's either.
      const shown = { cert: second.certificate, key: second.key };
      const again = await running.open({ session, ...shown, ...versions });
      t.equal(again.isSessionReused(), false);
      again.write(get('/'));
      await until(again, (text) => text.endsWith(`\r\n\r\n${second.der.toString('latin1')}`));
      again.destroy();
    },
  );
}

t.test('older protocol versions and other application protocols are refused', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  await t.rejects(running.open({ ALPNProtocols: ['h2'] }));
  await t.rejects(
    running.open({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  );
  const client = await running.open({ ALPNProtocols: ['h2', 'http/1.1'] });
  t.equal(client.alpnProtocol, 'http/1.1');
  // Destroyed at once, it could be gone before the server has seen the end of its handshake.
  client.write(get('/'));
  await until(client, (text) => text.endsWith('hello'));
  client.destroy();
  await counted(running, 'handshakesFailed', 2);
});

t.test("a client's own PROXY header before its first request closes it", async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const header = encodeProxyHeader(Buffer.alloc(16, 7));
  for (const first of [header, header.subarray(0, 3), Buffer.from('\r\n')]) {
    const client = await running.open();
    const closed = untilClosed(client);
    client.write(first);
    t.equal(await closed, '');
  }
  t.equal(running.front.counters().closedProxyHeader, 3);
  t.equal(running.server.counters.requests, 0);
  await stillServes(running);
});

t.test("a client's own PROXY header between two requests closes it", async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const whole = encodeProxyHeader(Buffer.alloc(16, 7));
  const v4 = Buffer.concat([whole.subarray(0, 13), Buffer.from([0x11, 0, 12]), Buffer.alloc(12)]);
  const unspecified = Buffer.concat([whole.subarray(0, 13), Buffer.from([0, 0, 0])]);
  // Only its first bytes replaced, an id leads nowhere either.
  const partial = Buffer.concat([whole.subarray(0, 14), Buffer.from([0, 5]), Buffer.alloc(5, 7)]);
  let pieces = 0;
  for (const header of [whole, v4, unspecified, partial]) {
    // In one piece with a request it is where the next request should begin.
    const client = await running.open();
    const closed = untilClosed(client);
    client.write(Buffer.concat([Buffer.from(get('/')), header, Buffer.from(get('/'))]));
    t.notMatch(await closed, /hello.*hello/s);
    pieces += 1;
    t.equal(running.server.counters.requestsMalformed, pieces);
    // In a piece of its own it closes the connection at once.
    const second = await running.open();
    second.write(get('/'));
    await until(second, (text) => text.endsWith('hello'));
    const secondClosed = untilClosed(second);
    second.write(Buffer.concat([header, Buffer.from(get('/'))]));
    t.equal(await secondClosed, '');
    t.equal(running.front.counters().closedProxyHeader, pieces);
  }
  await stillServes(running);
});

t.test('an id of zeros serves nobody', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const unused = encodeProxyHeader(Buffer.alloc(16));
  const client = await running.open();
  const closed = untilClosed(client);
  client.write(Buffer.concat([Buffer.from(get('/')), unused, Buffer.from(get('/'))]));
  t.notMatch(await closed, /hello.*hello/s);
  t.equal(running.server.counters.requestsMalformed, 1);
  t.equal(running.server.counters.unknownConnections, 0);
});

t.test(
  'garbage before TLS, and a peer that leaves in the handshake, are failed handshakes',
  async (t) => {
    const running = await run({ directory: t.testdir() });
    t.teardown(() => running.stop());
    const garbage = await plain(running);
    const closed = untilClosed(garbage);
    garbage.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed;
    const leaving = await plain(running);
    leaving.write(Buffer.from('160301', 'hex'));
    leaving.destroy();
    const resetting = await plain(running);
    resetting.resetAndDestroy();
    await counted(running, 'connectionsOpen', 0);
    // Who never said a word began no handshake.
    await counted(running, 'handshakesFailed', 2);
    t.equal(running.front.counters().handshakesUnfinished, 0);
    await stillServes(running);
  },
);

t.test('connections that do not speak are closed in each state', async (t) => {
  const running = await run({
    directory: t.testdir(),
    front: { handshakeTimeoutMs: 400, silentTimeoutMs: 400, idleTimeoutMs: 400 },
  });
  t.teardown(() => running.stop());
  await Promise.all([
    // Before TLS.
    plain(running).then(untilClosed),
    // After the handshake.
    running.open().then(untilClosed),
    // With half a request.
    running.open().then((client) => {
      client.write('GET / HTTP/1.1\r\nHost: loc');
      return untilClosed(client);
    }),
    // After an answer.
    running.open().then((client) => {
      client.write(get('/'));
      return untilClosed(client);
    }),
  ]);
  await counted(running, 'connectionsOpen', 0);
  const { handshakesTimedOut, closedSilent, closedIdle } = running.front.counters();
  t.same(
    { handshakesTimedOut, closedSilent, closedIdle },
    {
      handshakesTimedOut: 1,
      closedSilent: 2,
      closedIdle: 1,
    },
  );
});

t.test('handshakes over the bound wait, and continue when others are done', async (t) => {
  const running = await run({ directory: t.testdir(), front: { handshakesUnfinishedMax: 2 } });
  t.teardown(() => running.stop());
  // A whole ClientHello, and nothing more.
  const stuck = [await plain(running), await plain(running)];
  const hello = await realHello();
  for (const socket of stuck) socket.write(hello);
  await counted(running, 'handshakesUnfinished', 2);
  const waiting = running.open();
  const gone = await plain(running);
  await counted(running, 'connectionsOpen', 4);
  gone.destroy();
  t.equal(running.front.counters().handshakesUnfinished, 2);
  stuck[0]?.destroy();
  const client = await waiting;
  client.write(get('/'));
  await until(client, (text) => text.endsWith('hello'));
  client.destroy();
  stuck[1]?.destroy();
  await counted(running, 'connectionsOpen', 0);
  await counted(running, 'handshakesUnfinished', 0);
});

t.test('a handshake that goes on for ever does not outlast a stop', async (t) => {
  const front = { handshakeTimeoutMs: 600_000 };
  const running = await run({ directory: t.testdir(), front });
  const stuck = await plain(running);
  stuck.write(await realHello());
  await counted(running, 'handshakesUnfinished', 1);
  await running.stop();
  await untilClosed(stuck);
});

t.test('connections that say nothing keep nobody out', async (t) => {
  const running = await run({ directory: t.testdir(), front: { handshakesUnfinishedMax: 1 } });
  t.teardown(() => running.stop());
  const silent = await Promise.all(Array.from({ length: 40 }, () => plain(running)));
  await counted(running, 'connectionsOpen', 40);
  await stillServes(running);
  for (const socket of silent) socket.destroy();
  await counted(running, 'connectionsOpen', 0);
});

t.test('connections that only begin their handshake keep nobody out', async (t) => {
  const patient = { handshakeTimeoutMs: 600_000, clientHelloTimeoutMs: 600_000 };
  const front = { ...patient, handshakesUnfinishedMax: 32 };
  const running = await run({ directory: t.testdir(), front });
  t.teardown(() => running.stop());
  const begun = await Promise.all(Array.from({ length: 40 }, () => plain(running)));
  await counted(running, 'connectionsOpen', 40);
  for (const socket of begun) socket.write(Buffer.from([22]));
  await stillServes(running);
  t.ok(running.front.counters().connectionsOpen >= 32, 'all that the bound lets begin are there');
  for (const socket of begun) socket.destroy();
  await counted(running, 'connectionsOpen', 0);
});

t.test('a connection that waits too long for its handshake is closed', async (t) => {
  const running = await run({
    directory: t.testdir(),
    front: { handshakesUnfinishedMax: 1, handshakeTimeoutMs: 300 },
  });
  t.teardown(() => running.stop());
  await Promise.all(Array.from({ length: 6 }, () => plain(running).then(untilClosed)));
  t.equal(running.front.counters().handshakesTimedOut, 6);
  await stillServes(running);
});

t.test('slots are used again after connections that left or made room', async (t) => {
  const running = await run({ directory: t.testdir(), front: { connectionsMax: 3 } });
  t.teardown(() => running.stop());
  for (let round = 1; round <= 3; round += 1) {
    const clients: TLSSocket[] = [];
    for (let index = 0; index < 6; index += 1) {
      const client = await running.open();
      client.on('error', () => {});
      client.write(get('/'));
      await until(client, (text) => text.endsWith('hello'));
      clients.push(client);
    }
    t.equal(running.front.counters().connectionsDisplaced, 3 * round);
    for (const client of clients) client.destroy();
    await counted(running, 'connectionsOpen', 0);
  }
  t.equal(running.front.counters().connectionsRefused, 0);
});

t.test('a port that somebody else holds is said so, shared or not', async (t) => {
  const other = createServer();
  for (const reusePort of [false, true]) {
    other.listen({ port: 0, host: '127.0.0.1', reusePort });
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const running = run({ directory: t.testdir() });
    const { connections, certificate, stop } = await running;
    const options = {
      workers: 1,
      server: certificate,
      socketPath: '/nowhere',
      connections,
      limits: frontLimits,
      failed: () => {},
    };
    await t.rejects(startTlsFront({ ...options, host: '127.0.0.1', port }), {
      code: 'EADDRINUSE',
      message: `cannot listen on 127.0.0.1:${port}: the port is in use`,
    });
    await t.rejects(startTlsFront({ ...options, host: '192.0.2.1', port: 0 }), {
      message: 'cannot listen on 192.0.2.1:0: this machine has no such address',
    });
    await stop();
    other.close();
    await once(other, 'close');
  }
});

/** Threads as they are begun from now on, until `t` ends. */
function begunFrom(t: Test): readonly Worker[] {
  const begun: Worker[] = [];
  const note = (thread: Worker) => void begun.push(thread);
  process.on('worker', note);
  t.teardown(() => process.off('worker', note));
  return begun;
}

t.test('threads that were begun before become the workers; those not taken end', async (t) => {
  const begun = begunFrom(t);
  const threads = new TlsThreads(3);
  const running = await run({ directory: t.testdir(), workers: 2, threads });
  t.teardown(() => running.stop());
  t.equal(begun.length, 3);
  await stillServes(running);
  await threads.end();
  t.same(
    begun.map(({ threadId }) => threadId < 0),
    [false, false, true],
  );
  await stillServes(running);
});

t.test('a thread that has ended before it was taken is replaced', async (t) => {
  const begun = begunFrom(t);
  const threads = new TlsThreads(1);
  const [thread] = (await once(process, 'worker')) as [Worker];
  await thread.terminate();
  const running = await run({ directory: t.testdir(), threads });
  t.teardown(() => running.stop());
  t.equal(begun.length, 2);
  await stillServes(running);
  await threads.end();
  await stillServes(running);
});

t.test('a certificate can be renewed while serving', async (t) => {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  const before = await running.open();
  const other = await issue('other');
  t.throws(() => running.front.renew({ ...other, key: running.certificate.key }));
  const next = await issue('renewed');
  running.front.renew(next);
  const after = await running.open({ ca: next.certificate }).catch(() =>
    // The worker may have taken the connection before the message.
    running.open({ ca: next.certificate }),
  );
  t.equal(after.getPeerCertificate().subject.CN, 'renewed');
  for (const client of [before, after]) {
    client.write(get('/'));
    await until(client, (text) => text.endsWith('hello'));
    client.destroy();
  }
});

t.test('a worker that dies is replaced; connections of the others stay open', async (t) => {
  const running = await run({ directory: t.testdir(), workers: 2 });
  t.teardown(() => running.stop());
  const clients = await Promise.all(Array.from({ length: 16 }, () => running.open()));
  const ask = async (client: TLSSocket): Promise<void> => {
    client.write(get('/'));
    await until(client, (text) => text.endsWith('hello'));
  };
  await Promise.all(clients.map(ask));
  // The front keeps its workers to itself: the first that it speaks to is caught here.
  const { postMessage } = Worker.prototype;
  const caught: Worker[] = [];
  Worker.prototype.postMessage = function (this: Worker, message: unknown): void {
    caught.push(this);
    postMessage.call(this, message);
  };
  running.front.renew(running.certificate);
  Worker.prototype.postMessage = postMessage;
  const closed: TLSSocket[] = [];
  for (const client of clients) {
    client.on('error', () => {});
    client.on('close', () => closed.push(client));
  }
  await caught[0]?.terminate();
  while (running.failures.length === 0) await anotherLook();
  t.match(running.failures, [{ message: 'a TLS worker ended by itself' }]);
  for (let index = 0; index < 8; index += 1) await stillServes(running);
  await Promise.all(clients.filter((client) => !closed.includes(client)).map(ask));
  for (const client of clients) client.destroy();
});
