// The socket by which the owner of a home gives orders.

import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { sendToOwnerSocket, startOwnerSocket } from '../../src/http/server/owner-socket.ts';
import { wayToUnixSocket } from '../../src/http/server/unix-socket.ts';
import { SimulatedClock } from '../simulated/clock.ts';

async function opened(t: Test) {
  const home = t.testdir({});
  const clock = new SimulatedClock();
  const orders: unknown[] = [];
  const handler = async (order: unknown) => {
    orders.push(order);
    return { echo: order };
  };
  const socket = await startOwnerSocket({ home, clock, timeoutMs: 1000, handler });
  return { home, clock, orders, socket };
}

/** What comes back for bytes that are sent, until the connection is closed. */
function said(home: string, text: string, connected: () => void = () => {}): Promise<string> {
  const way = wayToUnixSocket(join(home, 'run'), 'owner.sock');
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(way.path, connected);
    socket.on('data', (piece) => {
      answer += piece.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      way.release();
      resolve(answer);
    });
    socket.write(text);
  });
}

t.test('an order is answered; only the owner can give one', async (t) => {
  const { home, orders, socket } = await opened(t);
  t.same(await sendToOwnerSocket(home, { order: 'x' }, 10_000), { echo: { order: 'x' } });
  t.same(orders, [{ order: 'x' }]);
  t.equal(statSync(join(home, 'run')).mode & 0o777, 0o700);
  t.equal(statSync(join(home, 'run/owner.sock')).mode & 0o777, 0o600);
  await socket.stop();
  t.notOk(existsSync(join(home, 'run/owner.sock')));
  await t.rejects(sendToOwnerSocket(home, {}, 10_000), /ENOENT/);
});

t.test('a handler hears when its answer has left, or cannot', async (t) => {
  const home = t.testdir({});
  const heard: string[] = [];
  let abandoned: Socket | undefined;
  let left: Promise<unknown> = Promise.resolve();
  const socket = await startOwnerSocket({
    home,
    clock: new SimulatedClock(),
    timeoutMs: 1000,
    handler: async (order, answered) => {
      abandoned?.destroy();
      left = answered.then(() => void heard.push('it has left'));
      if (abandoned !== undefined) await once(abandoned, 'close');
      heard.push('it is answered');
      return order;
    },
  });
  t.equal(await sendToOwnerSocket(home, 'order', 10_000), 'order');
  await left;
  t.same(heard.splice(0), ['it is answered', 'it has left']);
  const way = wayToUnixSocket(join(home, 'run'), 'owner.sock');
  abandoned = createConnection(way.path);
  abandoned.write('"order"\n');
  await once(abandoned, 'close');
  way.release();
  await left;
  t.same(heard, ['it is answered', 'it has left']);
  await socket.stop();
});

t.test('what is no order is closed without an answer', async (t) => {
  const { home, clock, orders, socket } = await opened(t);
  t.equal(await said(home, 'no JSON\n'), '');
  t.equal(await said(home, 'x'.repeat(100_000)), '');
  const slow = await said(home, '{"half": ', () => {
    setImmediate(function look() {
      // Once it was accepted, its time runs.
      clock.advance(1000);
      if (orders.length === 0) setImmediate(look).unref();
    });
  });
  t.equal(slow, '');
  t.same(orders, []);
  await socket.stop();
});

t.test('a stale one is replaced; the controller stops beside open connections', async (t) => {
  const home = t.testdir({});
  mkdirSync(join(home, 'run'), { mode: 0o755 });
  writeFileSync(join(home, 'run/owner.sock'), 'stale');
  const options = { home, clock: new SimulatedClock(), timeoutMs: 1000 };
  const socket = await startOwnerSocket({ ...options, handler: async () => 'done' });
  t.equal(await sendToOwnerSocket(home, {}, 10_000), 'done');
  let isConnected: () => void = () => {};
  const connected = new Promise<void>((resolve) => {
    isConnected = resolve;
  });
  const hanging = said(home, '{', isConnected);
  await connected;
  await socket.stop();
  t.equal(await hanging, '');
});
