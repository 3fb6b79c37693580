// What one router can take of the controller: memory, turns, frames per second.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { flood, type HostileAct, hostileActs, writeFrame } from '../simulated/hostile-twin.ts';
import { ChannelBench } from './harness.ts';

const mebibyte = 1024 * 1024;
const block = Buffer.alloc(mebibyte);

t.test(
  'what hostile routers send ends their channels or is dropped, and harms no other',
  async (t) => {
    for (const [name, { act, ends }] of Object.entries<HostileAct>(hostileActs)) {
      const bench = new ChannelBench();
      const honest = bench.open('honest');
      const hostile = bench.open('hostile');
      hostile.owner.knows = new Set();
      act(hostile.twin);
      bench.clock.drain();
      t.equal(hostile.twin.isClosed, ends, name);
      t.equal(hostile.owner.closings.length, ends ? 1 : 0);
      const answer = honest.twin.ask({ contentType: contentTypes.ping });
      bench.clock.drain();
      t.ok(await answer);
      t.strictSame(bench.logged, []);
      bench.clock.advance(60_000);
      t.notOk(honest.twin.isClosed);
    }
  },
);

t.test('a router that does not read is closed at 32 MiB', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  twin.wire.pause();
  for (let sent = 0; sent < 31; sent++) {
    owner.open.send({ contentType: 20200, body: block });
    bench.clock.drain();
  }
  t.ok(owner.open.unsentBytes > 31 * mebibyte);
  t.notOk(owner.open.isClosed);
  owner.open.send({ contentType: 20200, body: block });
  bench.clock.drain();
  t.ok(owner.open.isClosed);
  t.equal(bench.channels.counts.closedUnread, 1);
  t.match(owner.closings, [/does not read/]);
});

t.test('too much in one turn closes the channel before it is written', async (t) => {
  const bench = new ChannelBench();
  const { owner, connection } = bench.open('r1');
  for (let sent = 0; sent < 33; sent++) owner.open.send({ contentType: 20200, body: block });
  t.ok(owner.open.isClosed);
  t.ok(connection.isClosed);
});

t.test('data that has waited for a minute closes the channel', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  owner.open.send({ contentType: 20200, body: block });
  bench.clock.advance(70_000);
  t.notOk(owner.open.isClosed, 'while it reads');
  twin.wire.pause();
  owner.open.send({ contentType: 20200, body: block });
  bench.clock.advance(59_000);
  t.notOk(owner.open.isClosed);
  bench.clock.advance(14_000);
  t.ok(owner.open.isClosed);
  t.match(owner.closings, [/has not read for 60 s/]);
});

t.test('a router that always has some data to read, but reads, stays', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  for (let second = 0; second < 200; second++) {
    owner.open.send({ contentType: 20200, body: Buffer.alloc(100) });
    if (second % 20 === 0) twin.wire.resume();
    bench.clock.drain();
    twin.wire.pause();
    bench.clock.advance(1000);
  }
  t.notOk(owner.open.isClosed);
});

t.test('the channel that holds the most is closed when all hold too much', async (t) => {
  const bench = new ChannelBench({ heldBytesMax: 16 * mebibyte });
  const routers = Array.from({ length: 6 }, (_, index) => bench.open(`r${index}`));
  for (const [index, { twin, owner }] of routers.entries()) {
    twin.wire.pause();
    for (let sent = 0; sent < (index === 4 ? 4 : 3); sent++) {
      owner.open.send({ contentType: 20200, body: block });
    }
  }
  bench.clock.advance(1000);
  const closed = routers.flatMap(({ owner }, index) => (owner.open.isClosed ? [index] : []));
  t.strictSame(closed, [4]);
  t.equal(bench.channels.counts.closedHeavy, 1);
});

t.test('unfinished frames count, too, before the next tick', async (t) => {
  const bench = new ChannelBench({ heldBytesMax: 16 * mebibyte, receivedBytesMax: 4 * mebibyte });
  const routers = Array.from({ length: 24 }, (_, index) => bench.open(`r${index}`));
  for (const { twin } of routers) {
    hostileActs.halfFrame.act(twin);
    twin.wire.write([block]);
    bench.clock.drain();
  }
  const open = routers.filter(({ owner }) => !owner.open.isClosed);
  t.ok(open.length >= 14 && open.length <= 20, `${open.length} routers are left`);
});

t.test('a flood waits for its turns, and others are handled in between', async (t) => {
  const bench = new ChannelBench();
  const flooding = bench.open('flooding');
  const honest = bench.open('honest');
  const order: string[] = [];
  flooding.owner.onFrame = () => order.push('flooding');
  honest.owner.onFrame = () => order.push('honest');
  for (let sent = 0; sent < 1000; sent++) {
    writeFrame(flooding.twin, { contentType: 1007, sequence: sent });
  }
  honest.twin.send({ contentType: 1052 });
  bench.clock.drain();
  t.equal(order.length, 1001);
  t.ok(order.indexOf('honest') <= 64, `behind ${order.indexOf('honest')} frames`);
});

t.test('a router sends no more frames per second than it may', async (t) => {
  const bench = new ChannelBench({}, 1000);
  const flooding = bench.open('flooding', { beats: false });
  const honest = bench.open('honest');
  flood(flooding.twin, 10_000);
  bench.clock.drain();
  const received = () => flooding.twin.received.length;
  t.ok(received() <= 1000);
  t.ok(flooding.connection.isPaused, 'what does not fit waits at the router');
  for (let second = 1; second < 10; second++) {
    bench.clock.advance(1000);
    t.ok(received() >= second * 1000 - 2 && received() <= (second + 1) * 1000);
  }
  bench.clock.advance(2000);
  t.equal(received(), 10_000);
  t.notOk(flooding.connection.isPaused);
  t.ok(bench.channels.counts.framesHeldBack >= 9);
  t.notOk(honest.twin.isClosed);
});

t.test('frames that wait are bounded: the router is not read meanwhile', async (t) => {
  const bench = new ChannelBench({}, 100);
  const { twin, connection } = bench.open('r1');
  flood(twin, 1000);
  bench.clock.drain();
  t.notOk(connection.isPaused, '20 KB are held');
  flood(twin, 10_000);
  bench.clock.drain();
  t.ok(connection.isPaused);
});
