// Channels over real TLS connections, with routers at their other ends.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import type { Greeting } from '../../src/channel/channel.ts';
import type { ControlConnection, Frame } from '../../src/channel/channel-api.ts';
import { Channels } from '../../src/channel/channels.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { createLog } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import { issue } from '../http/certificates.ts';
import { flood, type HostileAct, hostileActs } from '../simulated/hostile-twin.ts';
import { RouterTwin, tlsWire, twinMessages } from '../simulated/router-twin.ts';
import { ownVersion, RecordedOwner } from './harness.ts';

/** A control connection that is the server's end of a TLS socket. */
function connectionOf(socket: TLSSocket): ControlConnection {
  socket.on('error', () => undefined);
  return {
    address: socket.remoteAddress ?? '',
    certificates: [],
    get unsentBytes() {
      return socket.writableLength;
    },
    listen: (listener) => {
      socket.on('data', (bytes) => listener.data(bytes));
      socket.on('drain', () => listener.drained());
      socket.on('close', () => listener.closed());
    },
    write: (chunks) => {
      for (const chunk of chunks) socket.write(chunk);
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}

/** A controller's channels behind a TLS port. */
async function listen(t: Test) {
  const certificate = await issue('server');
  const owners = new Map<string, RecordedOwner>();
  const { log } = createLog({ level: 'error', clock: systemClock, readable: false });
  const channels = new Channels({
    clock: systemClock,
    random: systemRandom,
    log,
    identity: { controllerId: 'ctrl1', version: ownVersion },
    limits: { routerFramesPerSecondMax: 20_000 },
    greet: (hello): Greeting => {
      const owner = new RecordedOwner(hello);
      owners.set(hello.routerId, owner);
      return { owner };
    },
  });
  const server = createServer(
    { cert: certificate.certificate, key: certificate.key, ALPNProtocols: ['ziti-ctrl'] },
    (socket) => channels.accept(connectionOf(socket)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  /** A router whose hello was answered. */
  const open = async (id: string): Promise<RouterTwin> => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: certificate.certificate,
      ALPNProtocols: ['ziti-ctrl'],
    });
    await once(socket, 'secureConnect');
    const twin = new RouterTwin(tlsWire(socket), { id, clock: systemClock });
    const answered = new Promise((resolve) => (twin.onResult = resolve));
    twin.greet();
    await answered;
    t.teardown(() => twin.close());
    return twin;
  };
  return { channels, owners, open };
}

t.test('routers greet, ask and are asked', async (t) => {
  const { owners, open } = await listen(t);
  const twins = await Promise.all(['r1', 'r2', 'r3'].map(open));
  for (const twin of twins) {
    t.ok(twin.isAccepted);
    const owner = owners.get(twin.options.id);
    if (owner === undefined) throw new Error('no owner');
    owner.onFrame = (frame, channel) => channel.replyResult(frame, true, twin.options.id);
    const reply = await twin.ask(twinMessages.interfaces([{ name: 'eth0', addresses: ['::1'] }]));
    t.equal(reply.body.toString(), twin.options.id);
    const route = encodeMessage(fabric.Route, { circuitId: 'c1', attempt: 1 });
    const result = await new Promise<Frame | undefined>((resolve) =>
      owner.open.request({ contentType: contentTypes.route, body: route }, 60_000, resolve),
    );
    t.equal(result?.body.toString(), 'c1');
  }
});

t.test('large frames arrive whole in both directions', async (t) => {
  const { owners, open } = await listen(t);
  const twin = await open('r1');
  const owner = owners.get('r1');
  if (owner === undefined) throw new Error('no owner');
  owner.onFrame = (frame, channel) =>
    channel.reply(frame, { contentType: 7, body: Buffer.from(frame.body) });
  const body = systemRandom.bytes(4_000_000);
  t.ok((await twin.ask({ contentType: 1007, body })).body.equals(body));
});

t.test('what a hostile router does is not noticed by another', async (t) => {
  const { owners, open } = await listen(t);
  const honest = await open('honest');
  for (const [name, { act, ends }] of Object.entries<HostileAct>(hostileActs)) {
    const hostile = await open(name);
    const closed = new Promise<void>((resolve) => (hostile.onClosed = resolve));
    act(hostile);
    if (ends) await closed;
    t.ok((await honest.ask({ contentType: contentTypes.ping })).body, name);
    hostile.close();
  }
  const flooding = await open('flooding');
  flood(flooding, 30_000);
  t.ok(await honest.ask({ contentType: contentTypes.ping }));
  t.notOk(owners.get('honest')?.open.isClosed);
});
