// WebSockets over real TLS: behind the front with its workers and Unix socket, and on the direct
// listener.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { directOrigin } from '../../src/http/server/origin.ts';
import { startServer } from '../../src/http/server/server.ts';
import { isOwnOrigin, type Socket, type SocketHandler } from '../../src/http/server/sockets.ts';
import { anotherLook } from '../real-waits.ts';
import { issue } from './certificates.ts';
import {
  echo,
  get,
  malformed,
  opener,
  realClock,
  requestTurns,
  run,
  serverLimits,
  socketLimits,
  tooLarge,
  until,
} from './harness.ts';
import { openWebSocket, type Refused } from './web-socket-client.ts';

const path = '/stream';

/** Takes all who do not ask to be refused, and tells back what they say. */
class Echo implements SocketHandler {
  readonly path = path;
  readonly sockets: Socket[] = [];
  readonly peers: string[] = [];
  closed = 0;

  upgrade(...[request, reply]: Parameters<SocketHandler['upgrade']>) {
    if (request.query === 'throw') throw new Error('broken');
    if (request.query === 'refuse') {
      reply.send(401, [['x-why', 'no']], 'go away');
      return undefined;
    }
    this.peers.push(`${request.peer.address} ${request.header('x-name')}`);
    return (socket: Socket) => {
      this.sockets.push(socket);
      socket.send('welcome');
      return {
        message: (text: string) => socket.send(`<${text}>`, 'twice'),
        closed: () => {
          this.closed += 1;
        },
      };
    };
  }
}

async function direct(t: Test, sockets: SocketHandler) {
  const directory = t.testdir();
  const certificate = await issue('server');
  const certificateFile = join(directory, 'server.pem');
  const keyFile = join(directory, 'server.key');
  writeFileSync(certificateFile, certificate.certificate);
  writeFileSync(keyFile, certificate.key);
  const failures: unknown[] = [];
  const server = await startServer({
    origin: directOrigin({ host: '127.0.0.1', port: 0, certificateFile, keyFile }),
    handler: echo,
    malformed,
    tooLarge,
    sockets: { handlers: [sockets], limits: socketLimits },
    failed: (error) => failures.push(error),
    clock: realClock,
    limits: serverLimits,
    turns: requestTurns(realClock),
  });
  const stop = () => server.stop(2_000);
  t.teardown(stop);
  return { server, failures, stop, open: opener(server.port, certificate) };
}

const listeners = {
  'behind the front': async (t: Test, sockets: SocketHandler) => {
    const running = await run({ directory: t.testdir(), sockets });
    t.teardown(() => running.stop());
    return running;
  },
  'on the direct listener': direct,
};

for (const [where, start] of Object.entries(listeners)) {
  t.test(`${where}: messages both ways, refusals, the end`, async (t) => {
    const handler = new Echo();
    const { open, server, failures } = await start(t, handler);
    const client = await openWebSocket(await open(), path, { 'x-name': 'Ada' });
    t.equal(await client.next(), 'welcome');
    client.send('hello');
    t.equal(await client.next(), '<hello>');
    t.equal(await client.next(), 'twice');
    client.frame(0x82, Buffer.from('bytes'));
    t.equal(await client.next(), '<bytes>');
    await client.next();
    t.same(handler.peers, ['127.0.0.1 Ada']);
    t.equal(server.sockets, 1);

    const refused = await openWebSocket(await open(), `${path}?refuse`).catch((e) => e as Refused);
    t.match(refused, { status: 401, body: 'go away' });
    const broken = await openWebSocket(await open(), `${path}?throw`).catch((e) => e as Refused);
    t.match(broken, { status: 500 });
    t.match(failures, [{ message: 'broken' }]);
    const elsewhere = await openWebSocket(await open(), '/other').catch((e) => e as Refused);
    t.match(elsewhere, { status: 200, body: 'hello' }, 'no WebSocket there: an ordinary request');
    const plain = await open();
    plain.write(get(path));
    t.match(await until(plain, (text) => text.endsWith('hello')), /^HTTP\/1.1 200/);
    plain.destroy();

    client.send('x'.repeat(socketLimits.socketMessageBytesMax + 1));
    t.match(await client.closed, { code: /^(1006|1009)$/ }, 'too long a message');
    t.equal(handler.closed, 1);
    t.equal(server.sockets, 0);
    t.equal(server.counters.requestsInFlight, 0);
  });

  t.test(`${where}: binary messages, where both sides want them`, async (t) => {
    const handler: SocketHandler = {
      path,
      sendsBinary: true,
      limits: { socketMessageBytesMax: 10 },
      upgrade: () => (socket) => ({
        message: (text) => socket.send(`text ${text}`),
        binary: (bytes) => socket.send(bytes),
        closed: () => undefined,
      }),
    };
    const { open } = await start(t, handler);
    const client = await openWebSocket(await open(), path);
    client.frame(0x82, Buffer.of(0, 255, 128));
    client.send('one');
    t.equal(await client.next(), 'text one');
    t.same(client.binaries, [Buffer.of(0, 255, 128)]);
    client.frame(0x82, Buffer.alloc(11));
    t.match(await client.closed, { code: /^(1006|1009)$/ }, 'its own bound');
  });

  t.test(`${where}: who leaves is noticed, who is told to go sees why`, async (t) => {
    const handler = new Echo();
    const { open } = await start(t, handler);
    const gone = await openWebSocket(await open(), path);
    const told = await openWebSocket(await open(), path);
    const dropped = await openWebSocket(await open(), path);
    const [first, second, third] = handler.sockets;
    gone.tls.destroy();
    second?.close(1008, 'enough');
    t.same(await told.closed, { code: 1008, reason: 'enough' });
    third?.terminate();
    t.match(await dropped.closed, { code: 1006 });
    while (first?.isOpen) await anotherLook();
    t.equal(handler.closed, 3);
    for (const socket of handler.sockets) {
      socket.send('into the void');
      socket.close(1000, '');
      socket.terminate();
      t.equal(socket.bufferedBytes, 0);
    }
    t.equal(handler.closed, 3, 'nothing is told twice');
  });

  t.test(`${where}: the server stops`, async (t) => {
    const { open, stop } = await start(t, new Echo());
    const client = await openWebSocket(await open(), path);
    await client.next();
    await stop();
    t.match(await client.closed, { code: 1001 });
  });

  t.test(`${where}: what a reader that stopped does not take is bounded`, async (t) => {
    const handler = new Echo();
    const { open } = await start(t, handler);
    const client = await openWebSocket(await open(), path);
    client.tls.pause();
    const [socket] = handler.sockets;
    const message = 'x'.repeat(64 * 1024);
    let most = 0;
    for (let sent = 0; socket?.isOpen && sent < 10_000; sent++) {
      socket.send(message);
      most = Math.max(most, socket.bufferedBytes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    t.notOk(socket?.isOpen, 'beyond the bound it is dropped');
    t.ok(most > 0 && most <= socketLimits.socketBufferBytesMax + 2 * message.length, `${most}`);
    client.tls.destroy();
  });
}

t.test('only pages of this very host may open one', (t) => {
  t.ok(isOwnOrigin('', 'edge:1280'), 'no page');
  t.ok(isOwnOrigin('https://edge:1280', 'edge:1280'));
  t.ok(isOwnOrigin('https://EDGE', 'edge:443'));
  for (const origin of [
    'null',
    'https://evil',
    'http://edge:1280',
    'https://edge',
    'https://edge:1280.evil',
  ]) {
    t.notOk(isOwnOrigin(origin, 'edge:1280'), origin);
  }
  t.notOk(isOwnOrigin('https://edge', ''));
  t.end();
});
