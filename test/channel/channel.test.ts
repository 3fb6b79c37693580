// A channel: its hello, frames, replies, heartbeats and its end.

import t from 'tap';
import { type Frame, MalformedMessage } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeFrame } from '../../src/channel/frame.ts';
import { booleanHeader, encodeHeaders, headerKeys } from '../../src/channel/headers.ts';
import { helloBytes } from '../simulated/router-twin.ts';
import { ChannelBench, type Connected } from './harness.ts';

const message = (contentType: number, text = '') => ({ contentType, body: Buffer.from(text) });

/** Counts the writes of a connection. */
function countWrites({ connection }: Pick<Connected, 'connection'>): { count: number } {
  const writes = { count: 0 };
  const write = connection.write.bind(connection);
  connection.write = (chunks) => {
    writes.count += 1;
    write(chunks);
  };
  return writes;
}

const replyFor = (frame: Frame | undefined) =>
  frame?.headers.get(headerKeys.replyFor)?.readInt32LE(0);

t.test('a hello is accepted, and what is sent at once leaves with the result', async (t) => {
  const bench = new ChannelBench();
  const { twin, connection } = bench.connect({ id: 'r1', beats: false });
  const writes = countWrites({ connection });
  bench.greet = (hello) => ({
    owner: {
      opened: (channel) => {
        t.equal(hello.routerId, 'r1');
        channel.send(message(contentTypes.updateCtrlAddresses));
        channel.send(message(contentTypes.serverHello));
      },
      frame: () => true,
      closed: () => undefined,
    },
  });
  twin.greet();
  bench.clock.drain();
  t.ok(twin.isAccepted);
  t.equal(writes.count, 1);
  t.strictSame(
    twin.received.map(({ contentType, sequence }) => [contentType, sequence]),
    [
      [1037, 1],
      [20000, 2],
    ],
  );
});

t.test('a refused hello is told why, then the connection ends', async (t) => {
  const bench = new ChannelBench();
  bench.greet = () => ({ refusal: 'router r1 is disabled', rejectionClass: 2 });
  const { twin } = bench.connect({ id: 'r1' });
  twin.greet();
  bench.clock.drain();
  t.notOk(twin.isAccepted);
  t.equal(twin.result?.body.toString(), 'router r1 is disabled');
  t.ok(twin.isClosed);
});

t.test('a hello must be there within 5 s, and whole', async (t) => {
  for (const bytes of [0, 10, 60]) {
    const bench = new ChannelBench();
    const { twin } = bench.connect({ id: 'r1' });
    const hello = Buffer.concat(helloBytes(twin.options));
    twin.wire.write([hello.subarray(0, bytes)]);
    bench.clock.advance(4999);
    t.notOk(twin.isClosed);
    bench.clock.advance(1);
    t.ok(twin.isClosed);
    t.equal(bench.clock.timers, 0);
  }
});

t.test('a hello that its router has given up is not read', async (t) => {
  const bench = new ChannelBench();
  const { twin } = bench.connect({ id: 'r1' });
  bench.clock.advance(4001);
  twin.greet();
  bench.clock.drain();
  t.ok(twin.isClosed);
  t.equal(twin.result, undefined);
  t.equal(bench.owners.length, 0);
});

t.test('a first frame that is no hello ends the connection without an answer', async (t) => {
  const bench = new ChannelBench();
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), Buffer.alloc(20)]) {
    const { twin } = bench.connect({ id: 'r1' });
    twin.wire.write([bytes]);
    bench.clock.drain();
    t.ok(twin.isClosed);
    t.equal(twin.result, undefined);
  }
  t.equal(bench.channels.counts.closedMalformed, 2);
});

t.test('an error while a hello is handled ends the connection', async (t) => {
  const closings: string[] = [];
  const fails = () => {
    throw new Error('broken');
  };
  for (const greet of [
    fails,
    () => ({
      owner: {
        opened: fails,
        frame: () => true,
        closed: (reason: string) => closings.push(reason),
      },
    }),
  ]) {
    const bench = new ChannelBench();
    bench.greet = greet;
    const { twin } = bench.connect({ id: 'r1' });
    twin.greet();
    bench.clock.drain();
    t.ok(twin.isClosed);
    t.match(bench.logged.join(''), /broken/);
  }
  t.strictSame(closings, ['its hello could not be handled']);
});

t.test('frames of one turn leave in one write', async (t) => {
  const bench = new ChannelBench();
  const connected = bench.open('r1');
  const writes = countWrites(connected);
  for (let number = 0; number < 100; number++) connected.owner.open.send(message(20200, 'x'));
  t.ok(connected.owner.open.unsentBytes > 2000);
  bench.clock.drain();
  t.equal(writes.count, 1);
  t.equal(connected.twin.received.length, 100);
  t.equal(connected.owner.open.unsentBytes, 0);
});

t.test('replies name the request and reflect its header', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  const reflected = Buffer.from('kept');
  const headers = encodeHeaders([[headerKeys.reflected, reflected]]);
  owner.onFrame = (frame, channel) => channel.replyResult(frame, false, 'not now');
  twin.send({ contentType: contentTypes.verifyRouter, headers });
  bench.clock.drain();
  const [reply] = twin.received;
  t.equal(reply?.contentType, contentTypes.result);
  t.equal(replyFor(reply), owner.frames.at(-1)?.sequence);
  t.strictSame(reply?.headers.get(headerKeys.reflected), reflected);
  t.equal(reply && booleanHeader(reply.headers, headerKeys.resultSuccess), false);
  t.equal(reply?.body.toString(), 'not now');
});

t.test('a ping is answered', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  const reply = twin.ask(message(contentTypes.ping));
  bench.clock.drain();
  t.ok(booleanHeader((await reply).headers, headerKeys.resultSuccess));
  t.equal(owner.frames.length, 0);
});

t.test('a request gets its reply; other replies go to the handler of their type', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  twin.handle(contentTypes.route, (frame) => twin.reply(frame, message(1022, 'done')));
  const replies: (string | undefined)[] = [];
  owner.open.request(message(contentTypes.route), 1000, (reply) =>
    replies.push(reply?.body.toString()),
  );
  bench.clock.drain();
  t.strictSame(replies, ['done']);
  owner.open.send(message(contentTypes.route));
  bench.clock.drain();
  t.strictSame(replies, ['done']);
  t.strictSame(
    owner.frames.map(({ contentType }) => contentType),
    [contentTypes.routeResult],
  );
});

t.test('a request waits for its time, and not beyond the end of the channel', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  twin.handle(contentTypes.route, () => undefined);
  const outcomes: string[] = [];
  const ask = (name: string, timeoutMs: number) =>
    owner.open.request(message(contentTypes.route), timeoutMs, (reply) =>
      outcomes.push(`${name} ${reply === undefined ? 'none' : 'reply'}`),
    );
  ask('short', 1000);
  ask('long', 5000);
  bench.clock.advance(999);
  t.strictSame(outcomes, []);
  bench.clock.advance(1);
  t.strictSame(outcomes, ['short none']);
  owner.open.close('test');
  t.strictSame(outcomes, ['short none'], 'not within the call');
  bench.clock.drain();
  t.strictSame(outcomes, ['short none', 'long none']);
  ask('late', 1000);
  bench.clock.drain();
  t.strictSame(outcomes, ['short none', 'long none', 'late none']);
});

t.test('an error of a waiter is logged, or closes the channel', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  const ask = (error: Error) =>
    owner.open.request(message(contentTypes.route), 1000, () => {
      throw error;
    });
  twin.handle(contentTypes.route, () => undefined);
  ask(new Error('broken'));
  bench.clock.advance(1000);
  t.equal(bench.logged.length, 1);
  t.notOk(twin.isClosed);
  twin.handle(contentTypes.route, (frame) => twin.reply(frame, message(1022)));
  ask(new MalformedMessage('no result'));
  bench.clock.drain();
  t.ok(twin.isClosed);
  t.strictSame(owner.closings, ['no result']);
});

t.test('requests that wait are bounded', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  twin.handle(contentTypes.route, () => undefined);
  let none = 0;
  for (let number = 0; number < 8193; number++) {
    owner.open.request(message(contentTypes.route), 60_000, (reply) => {
      if (reply === undefined) none += 1;
    });
  }
  bench.clock.drain();
  t.equal(none, 1);
  t.equal(twin.received.length, 8192);
});

t.test('types that are not known are counted and dropped', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  owner.knows = new Set([1052]);
  for (const type of [999, 1052, -7]) twin.send(message(type));
  bench.clock.drain();
  t.equal(bench.channels.counts.framesUnknown, 2);
  t.equal(owner.frames.length, 1);
  t.notOk(twin.isClosed);
});

t.test('a malformed message closes the channel; another error is logged', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  owner.onFrame = ({ contentType }) => {
    throw contentType === 7 ? new Error('broken') : new MalformedMessage('no such thing');
  };
  twin.send(message(7));
  twin.send(message(7));
  bench.clock.drain();
  t.notOk(twin.isClosed);
  t.equal(bench.logged.length, 2);
  twin.send(message(8));
  twin.send(message(7));
  bench.clock.drain();
  t.ok(twin.isClosed);
  t.strictSame(owner.closings, ['no such thing']);
  t.equal(owner.frames.length, 3);
});

t.test('what was sent before a channel is closed still leaves', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  owner.open.send(message(1006, 'last'));
  owner.open.close('router r1 was deleted');
  owner.open.send(message(1006, 'later'));
  t.ok(owner.open.isClosed);
  t.strictSame(owner.closings, []);
  bench.clock.drain();
  t.strictSame(
    twin.received.map(({ body }) => body.toString()),
    ['last'],
  );
  t.ok(twin.isClosed);
  t.strictSame(owner.closings, ['router r1 was deleted']);
});

t.test('a router that reads nothing has 5 s until its connection is closed', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner, connection } = bench.open('r1');
  twin.wire.pause();
  owner.open.send(message(1006, 'last'));
  owner.open.close('test');
  bench.clock.advance(4999);
  t.notOk(connection.isClosed);
  bench.clock.advance(1);
  t.ok(connection.isClosed);
});

t.test('the owner hears once that the router has gone', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1');
  twin.close();
  bench.clock.drain();
  owner.open.close('later');
  bench.clock.drain();
  t.strictSame(owner.closings, ['the connection has ended']);
});

t.test('the first heartbeat rides on the first frame', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1', { beats: false });
  owner.open.send(message(1037));
  owner.open.send(message(20000));
  bench.clock.drain();
  t.strictSame(
    twin.received.map(({ headers }) => headers.has(headerKeys.heartbeat)),
    [true, false],
  );
});

t.test('heartbeats go out every 10 s, and nothing times without routers', async (t) => {
  const bench = new ChannelBench();
  const { twin } = bench.open('r1');
  bench.clock.advance(1000);
  t.equal(twin.beats, 1);
  bench.clock.advance(120_000);
  t.ok(twin.beats >= 12 && twin.beats <= 14, `${twin.beats} heartbeats`);
  t.ok(bench.clock.timers > 0);
  twin.close();
  bench.clock.advance(20_000);
  t.equal(bench.clock.timers, 0);
});

t.test('a heartbeat is answered on the next frame, or by itself', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1', { beats: false });
  const frames: Frame[] = [];
  twin.handle(20217, (frame) => frames.push(frame));
  const stamp = Buffer.from('0102030405060708', 'hex');
  const headers = encodeHeaders([[headerKeys.heartbeat, stamp]]);
  owner.onFrame = (frame, channel) => channel.reply(frame, message(20217));
  const sent = bench.channels.counts.framesSent;
  twin.send({ contentType: 20216, headers });
  bench.clock.drain();
  t.equal(bench.channels.counts.framesSent, sent + 1);
  t.strictSame(frames[0]?.headers.get(headerKeys.heartbeatResponse), stamp);
  twin.send({ contentType: contentTypes.heartbeat, headers });
  bench.clock.drain();
  t.equal(bench.channels.counts.framesSent, sent + 2);
  t.equal(owner.frames.length, 1);
  const short = encodeHeaders([[headerKeys.heartbeat, Buffer.alloc(7)]]);
  twin.send({ contentType: contentTypes.heartbeat, headers: short });
  bench.clock.drain();
  t.equal(bench.channels.counts.framesSent, sent + 2);
});

t.test('a channel on which nothing arrives for 30 s is closed', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1', { beats: false });
  bench.clock.advance(25_000);
  twin.send(message(1007));
  bench.clock.advance(30_000);
  t.notOk(twin.isClosed);
  bench.clock.advance(2_000);
  t.ok(twin.isClosed);
  t.match(owner.closings, [/nothing has arrived/]);
  t.equal(bench.channels.counts.closedSilent, 1);
  bench.clock.advance(20_000);
  t.equal(bench.clock.timers, 0);
});

t.test('half a frame is no sign of life', async (t) => {
  const bench = new ChannelBench();
  const { twin, owner } = bench.open('r1', { beats: false });
  const frame: Buffer[] = [];
  encodeFrame({ contentType: 1007, sequence: 1, body: Buffer.alloc(100) }, frame);
  for (const byte of Buffer.concat(frame).subarray(0, 35)) {
    twin.wire.write([Buffer.of(byte)]);
    bench.clock.advance(1000);
  }
  t.ok(twin.isClosed);
  t.match(owner.closings, [/nothing has arrived/]);
});

t.test('a flush writes what was sent so far', async (t) => {
  const bench = new ChannelBench();
  const connected = bench.open('r1');
  const writes = countWrites(connected);
  connected.owner.open.send(message(20200));
  connected.owner.open.flush();
  t.equal(writes.count, 1);
  connected.owner.open.send(message(20200));
  bench.clock.drain();
  t.equal(writes.count, 2);
  t.equal(connected.twin.received.length, 2);
});
