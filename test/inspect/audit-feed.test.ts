// An audit feed whose reader is busy, behind, or fails.

import { t } from 'tap';
import { ApiError } from '../../src/errors/errors.ts';
import type { FrameOrder, FramePage } from '../../src/inspect/messages.ts';
import { AuditFeed, auditCommentMs } from '../../src/inspect/server/log/audit-feed.ts';
import { createLog } from '../../src/observe/logs.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { InjectedStream } from '../simulated/injected-stream.ts';

/** A feed from frame 1 of 3 on, over answers that a test makes up. */
function feedOver(frames: (order: FrameOrder, asked: number) => FramePage) {
  const clock = new SimulatedClock();
  const logged: string[] = [];
  const { log } = createLog({
    level: 'warn',
    clock,
    readable: false,
    write: (line) => void logged.push(line),
  });
  let asked = 0;
  const reader = {
    frames: async (order: FrameOrder) => {
      asked += 1;
      return frames(order, asked);
    },
  };
  const journal = { durableLsn: 3, onDurable: () => undefined };
  const feed = new AuditFeed({ reader, journal, clock, log, limits: defaultLimits });
  const head = { status: 200, headers: {}, body: Buffer.alloc(0), json: () => ({}) };
  const stream = new InjectedStream(head, false);
  let isAskedInVain = false;
  const isEntitled = () => {
    if (isAskedInVain) throw new Error('nobody knows');
    return true;
  };
  const failNext = () => {
    isAskedInVain = true;
  };
  const order = { fromLsn: 1, kind: undefined, id: undefined, isEntitled };
  const open = () => feed.open(order, stream);
  const pass = async (ms: number) => {
    clock.advance(ms);
    await clock.settle();
  };
  return { feed, stream, logged, open, pass, failNext, clock, asked: () => asked };
}

const lines = ['{"lsn":1,"x":0}', '{"lsn":2}', '{"lsn":3}'];
const whole = `retry: 1000\n\n${lines.map((line, at) => `id: ${at + 1}\ndata: ${line}\n\n`).join('')}`;
const page: FramePage = { lines, nextLsn: 4, oldestLsn: 1 };

t.test('comes again where too many wait, and where a frame is not in its file yet', async (t) => {
  const world = feedOver((_order, asked) => {
    if (asked === 1) throw new ApiError('RATE_LIMITED');
    return asked === 2 ? { ...page, lines: [], nextLsn: 1 } : page;
  });
  world.open();
  await world.pass(0);
  t.equal(world.asked(), 1);
  await world.pass(1000);
  t.equal(world.asked(), 2);
  await world.pass(999);
  t.equal(world.asked(), 2);
  await world.pass(1);
  t.equal(world.stream.text, whole);
  await world.pass(5000);
  t.equal(world.asked(), 3, 'nothing more is durable');
  t.same(world.logged, []);
  await world.feed.stop();
  t.ok(world.stream.isOver);
});

t.test('ends where the log cannot be read, and says so in the log', async (t) => {
  const world = feedOver(() => {
    throw new Error('damaged');
  });
  world.open();
  await world.pass(0);
  t.ok(world.stream.isOver);
  t.equal(world.feed.size, 0);
  t.match(world.logged, [/damaged.*an audit feed failed and was ended/]);
});

t.test('a page that comes when the peer has just stopped reading is told later', async (t) => {
  let tell: (page: FramePage) => void = () => undefined;
  const waiting = new Promise<FramePage>((resolve) => {
    tell = resolve;
  });
  const slow = feedOver(() => waiting as unknown as FramePage);
  slow.open();
  await slow.pass(0);
  slow.stream.takes(1);
  await slow.pass(auditCommentMs);
  t.match(slow.stream.text, /:\nid: 0\n\n$/);
  tell(page);
  await slow.pass(0);
  t.notMatch(slow.stream.text, '"lsn"');
  slow.stream.takes(1e9);
  t.match(slow.stream.text, /"lsn":3\}\n\n$/);
  await slow.feed.stop();
});

for (const [where, happens] of [
  ['at a sign of life', (world) => world.pass(auditCommentMs)],
  ['as the peer takes more', async (world) => world.stream.takes(1e9)],
] satisfies [string, (world: ReturnType<typeof feedOver>) => Promise<void>][]) {
  t.test(`what fails ${where} ends the feed, and is logged once`, async (t) => {
    const world = feedOver(() => page);
    world.stream.takes(where === 'at a sign of life' ? 1e9 : 20);
    world.open();
    await world.pass(0);
    world.failNext();
    await happens(world);
    t.ok(world.stream.isOver);
    t.equal(world.feed.size, 0);
    t.equal(world.clock.timers, 0);
    await world.pass(10 * auditCommentMs);
    t.match(world.logged, [/nobody knows.*an audit feed failed and was ended/]);
    t.equal(world.logged.length, 1);
  });
}

t.test('a stream that cannot even be ended does not hold up the feed', async (t) => {
  const world = feedOver(() => page);
  world.stream.end = () => {
    throw new Error('gone');
  };
  world.open();
  await world.pass(0);
  world.failNext();
  await world.pass(auditCommentMs);
  t.equal(world.feed.size, 0);
  t.equal(world.logged.length, 1);
});

t.test('none is opened behind the stop', async (t) => {
  const world = feedOver(() => page);
  await world.feed.stop();
  world.open();
  t.ok(world.stream.isOver);
  t.equal(world.feed.size, 0);
});
