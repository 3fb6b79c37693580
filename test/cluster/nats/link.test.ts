// A connection to NATS, with servers that do not behave.

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { type NatsAccess, NatsLink } from '../../../src/cluster/nats/link.ts';
import { StreamMisconfigured, StreamUnreachable } from '../../../src/cluster/stream.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';

const greeting = {
  server_id: 'x',
  server_name: 'x',
  version: '2.15.1',
  proto: 1,
  headers: true,
  jetstream: true,
  max_payload: 8_388_608,
};

t.test(
  'a server that takes connections is connected to once, and again after an end',
  async (t) => {
    const { access, sockets } = await serving(t, (socket) => {
      socket.write(info());
      answerPings(socket);
    });
    const link = linkTo(t, access);
    const [one, same] = await Promise.all([link.connected(), link.connected()]);
    t.equal(one, same);
    t.equal(sockets.length, 1);
    link.drop(one);
    const other = await link.connected();
    t.not(other, one);
    sockets[1]?.destroy();
    await other.connection.closed();
    const last = await link.connected();
    t.not(last, other);
    await t.rejects(
      link.ask(() => Promise.reject(new Error('no'))),
      StreamUnreachable,
    );
    t.equal(await link.connected(), last);
    await link.close();
    await t.rejects(link.connected(), {
      name: 'StreamUnreachable',
      message: 'the link was closed',
    });
  },
);

t.test('servers that go away or talk nonsense are not reached', async (t) => {
  const behaviours: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end('SSH-2.0-x\r\n'),
    (socket) => socket.write(info(), () => socket.resetAndDestroy()),
    (socket) => socket.write(info({ tls_required: true }), () => socket.resetAndDestroy()),
    (socket) => socket.write(info({ tls_required: true }), () => socket.write('no TLS')),
  ];
  for (const behave of behaviours) {
    const { access } = await serving(t, behave);
    await t.rejects(linkTo(t, access).connected(), StreamUnreachable);
  }
});

t.test('a server that refuses the credentials will go on to refuse them', async (t) => {
  const refusal = `${info()}-ERR 'Authorization Violation'\r\n`;
  const { access } = await serving(t, (socket) => socket.write(refusal));
  const connecting = linkTo(t, access).connected();
  await t.rejects(connecting, StreamMisconfigured);
});

t.test('a server without TLS is refused where TLS is wanted', async (t) => {
  const { access } = await serving(t, (socket) => socket.write(info()));
  const link = linkTo(t, { ...access, tls: () => ({}) });
  await t.rejects(link.connected(), /does not support 'tls'/);
});

t.test('a server that takes no whole frame is not used', async (t) => {
  const { access } = await serving(t, (socket) => {
    socket.write(info({ max_payload: 999 }));
    answerPings(socket);
  });
  await t.rejects(linkTo(t, access).connected(), /max_payload is 999/);
});

t.test('credentials are kept out of errors', async (t) => {
  const { access } = await serving(t, (socket) => socket.write(info()));
  const read = () => Buffer.from('a secret');
  const link = linkTo(t, { ...access, credentials: { kind: 'file', read } });
  const text = await link.connected().then(
    () => '',
    (thrown) => `${thrown.stack} ${thrown.cause}`,
  );
  t.match(text, /they are no JWT with a seed and no line USER:PASSWORD/);
  t.notMatch(text, /a secret/);
});

t.test('a password that was replaced is used by the next connection', async (t) => {
  const shown: string[] = [];
  const { access } = await serving(t, (socket) => {
    socket.on('data', (data) => {
      const [, fields] = /^CONNECT (\{.*\})\r\n/.exec(data.toString()) ?? [];
      if (fields !== undefined) shown.push(JSON.parse(fields).pass);
    });
    socket.write(info());
    answerPings(socket);
  });
  let password = 'old';
  const read = () => Buffer.from(`node:${password}\n`);
  const link = linkTo(t, { ...access, credentials: { kind: 'file', read } });
  const first = await link.connected();
  password = 'new';
  link.drop(first);
  await link.connected();
  t.same(shown, ['old', 'new']);
});

function info(changes: object = {}): string {
  return `INFO ${JSON.stringify({ ...greeting, ...changes })}\r\n`;
}

function answerPings(socket: Socket): void {
  socket.on('data', (data) => {
    if (data.includes('PING\r\n')) socket.write('PONG\r\n');
  });
}

async function serving(t: Test, behave: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // The other side may go at any time.
    socket.on('error', () => undefined);
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const access: NatsAccess = { servers: [`127.0.0.1:${port}`], payloadBytesMin: 1000 };
  return { access, sockets };
}

function linkTo(t: Test, access: NatsAccess): NatsLink {
  const link = new NatsLink(access, systemClock, 'test');
  t.teardown(() => link.close());
  return link;
}
