// The direct listener: TLS in the server's own process, no certificates, no PROXY header.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import t from 'tap';
import { encodeProxyHeader } from '../../src/http/front/proxy-protocol.ts';
import type { HttpHandler } from '../../src/platform/http-exchange.ts';
import { realHello } from './first-flight.ts';
import { direct, get, until } from './harness.ts';

const who: HttpHandler = (request, reply) => {
  const { address, certificates } = request.peer;
  reply.send(200, [], `<${address} ${certificates.length} ${request.body}>`);
};

t.test('requests are answered on a connection that is kept', async (t) => {
  const { server, open } = await direct(t, who);
  const client = await open();
  for (let round = 0; round < 3; round += 1) {
    client.write(get('/'));
    t.match(await until(client, (text) => text.endsWith('>')), '<127.0.0.1 0 >');
  }
  client.write(`${get('/', 'Content-Length: 2').replace('GET', 'POST')}ab`);
  t.match(await until(client, (text) => text.endsWith('>')), '<127.0.0.1 0 ab>');
  t.equal(server.counters.requests, 4);
  client.destroy();
});

t.test(
  'a PROXY header of a client changes nothing: the address is that of the socket',
  async (t) => {
    const { server, open } = await direct(t, who);
    const client = await open();
    for (let round = 0; round < 2; round += 1) {
      client.write(Buffer.concat([encodeProxyHeader(Buffer.alloc(16, 7)), Buffer.from(get('/'))]));
      t.match(await until(client, (text) => text.endsWith('>')), '<127.0.0.1 0 >');
    }
    t.equal(server.counters.unknownConnections, 0);
    client.destroy();
  },
);

t.test('large answers, early leavers and large bodies', async (t) => {
  const large = Buffer.alloc(88_000, 'x');
  const { server, open } = await direct(t, (_request, reply) => reply.send(200, [], large));
  for (let round = 0; round < 60; round += 1) {
    const client = await open();
    client.on('error', () => {});
    client.write(get('/'));
    if (round % 2 === 0) await once(client, 'data');
    client.destroy();
  }
  const client = await open();
  client.write(get('/'));
  await until(client, (text) => text.endsWith('x'.repeat(large.length)));
  client.write(get('/', 'Content-Length: 70000').replace('GET', 'POST'));
  t.match(await until(client, (text) => text.endsWith('too large')), 'Connection: close');
  t.equal(server.counters.bodiesTooLarge, 1);
  client.destroy();
});

t.test('unfinished handshakes delay nobody', async (t) => {
  const { server, open } = await direct(t, who);
  const hello = await realHello();
  const stuck: Socket[] = [];
  t.teardown(() => {
    for (const socket of stuck) socket.destroy();
  });
  const before = await open();
  for (const bytes of [hello.subarray(0, 1), hello.subarray(0, 100), hello]) {
    for (let count = 0; count < 200; count += 1) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      stuck.push(socket);
      await once(socket, 'connect');
      socket.write(bytes);
    }
    for (const client of [before, await open()]) {
      client.write(get('/'));
      t.match(await until(client, (text) => text.endsWith('>')), '<127.0.0.1 0 >');
    }
  }
  t.equal(stuck.filter((socket) => socket.closed).length, 0, 'they were there meanwhile');
});

t.test('a port that somebody else holds is said so', async (t) => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await t.rejects(direct(t, who, port), {
    code: 'EADDRINUSE',
    message: `cannot listen on 127.0.0.1:${port}: the port is in use`,
  });
  other.close();
});
