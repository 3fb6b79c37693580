// The writer of a leader, case by case: what it makes of each answer.

import t from 'tap';
import { unpackValue } from '../../snapshots/log/codec.ts';
import { frameBytesAt, frameHeaderBytes, stampOf } from '../../snapshots/log/frame.ts';
import { groupMessage, groupsInFlightMax } from '../../src/cluster/log/group-message.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { type PublishFault, SimulatedStream } from '../simulated/stream.ts';
import { groupOf, leadership, trust } from './groups.ts';
import { endOf, Leader, readAll } from './leader.ts';

/** A stream that lacks something for so long has lost it. */
const shortStreamMs = 15_000;

/** A number that a term uses up before its leader writes. */
const firstNumber = groupsInFlightMax + 1;

async function leading(faults: readonly PublishFault[] = []) {
  const stream = new SimulatedStream({ clock: new SimulatedClock() });
  const leader = new Leader(stream, leadership(1));
  leader.writer.begin();
  await stream.clock.elapse(200);
  leader.confirmed.splice(0);
  leader.connection.plan(...faults);
  return { stream, leader };
}

/** The values of the frames in a stream; a term shows as `[time, number, nonce]`. */
function valuesOf(stream: SimulatedStream): unknown[] {
  const { frames } = readAll(stream);
  const values: unknown[] = [];
  for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
    const end = at + frames.readUInt32LE(at);
    values.push(unpackValue(frames.subarray(at + frameHeaderBytes, end)));
  }
  return values.filter((value) => typeof value === 'string');
}

/** Frames of which seven fill a group. */
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 10}`);

t.test('a term uses up the numbers that others may expect, then it begins', async (t) => {
  const { stream, leader } = await leading();
  t.same(leader.told, ['begun']);
  t.equal(stream.last, groupsInFlightMax);
  t.equal(leader.writer.inFlight, 0);
  t.equal(readAll(stream).chain.last.lsn, 1);
});

t.test('groups gather while two are on their way, and are confirmed in order', async (t) => {
  const { stream, leader } = await leading();
  for (const name of 'abcdef') leader.write(name);
  t.equal(leader.writer.inFlight, 2);
  await stream.clock.elapse(100);
  t.equal(valuesOf(stream).join(''), 'abcdef');
  t.same(
    leader.confirmed.map(({ group, sequence }) => [sequence, group.after.lsn, group.last.lsn]),
    [
      [firstNumber, 1, 2],
      [firstNumber + 1, 2, 3],
      [firstNumber + 2, 3, 7],
    ],
  );
  const [first] = leader.confirmed;
  const wallMs = Date.UTC(2026, 0, 1) + 200;
  t.same(first?.firstSent, { monotonicMs: 200, wallMs, readsRequested: 0 });
  t.equal(stampOf(first?.group.frames ?? Buffer.alloc(0), 0).lsn, 2);
});

t.test('full groups are cut between frames, up to eight at a time', async (t) => {
  const { stream, leader } = await leading();
  leader.write(...names(100));
  t.equal(leader.writer.inFlight, groupsInFlightMax);
  await stream.clock.elapse(200);
  t.same(valuesOf(stream), names(100));
  const sizes = leader.confirmed.map(({ group }) => group.frames.length);
  t.ok(
    sizes.every((size) => size <= 256),
    sizes.join(),
  );
  t.ok(
    sizes.slice(0, -1).every((size) => size > 200),
    sizes.join(),
  );
});

t.test('a frame that no message can hold is refused', async (t) => {
  const { leader } = await leading();
  t.throws(() => leader.write('x'.repeat(300)), RangeError);
});

for (const fault of ['refused', 'lost', 'unheard', 'slow', 'late', 'twice'] as const) {
  t.test(`the first of eight messages is ${fault}: everything is confirmed once`, async (t) => {
    const { stream, leader } = await leading([fault]);
    leader.write(...names(100));
    await stream.clock.elapse(20_000);
    t.same(valuesOf(stream), names(100));
    t.same(
      leader.confirmed.map(({ sequence }) => sequence),
      leader.confirmed.map((_, index) => firstNumber + index),
    );
    t.equal(leader.confirmed.at(-1)?.group.last.lsn, 101);
    t.same(leader.told, ['begun'], 'and nobody is troubled');
    t.match(leader.confirmed[0]?.firstSent, { monotonicMs: 200 }, 'the first copy counts');
  });
}

t.test('an acknowledgement with a gap ends the writer', async (t) => {
  const { stream, leader } = await leading(['gap']);
  leader.write('a');
  await stream.clock.elapse(5000);
  t.same(leader.told, ['begun', 'failed: message 9 was acknowledged as message 10']);
  t.same(leader.confirmed, []);
});

t.test('contact is lost for a minute: the same groups are confirmed afterwards', async (t) => {
  const { stream, leader } = await leading();
  leader.write('a');
  leader.connection.cut();
  await stream.clock.elapse(30_000);
  leader.write('b');
  await stream.clock.elapse(30_000);
  t.match(leader.told.slice(1), [/^unreachable/]);
  leader.connection.restore();
  await stream.clock.elapse(10_000);
  t.equal(valuesOf(stream).join(''), 'ab');
  t.equal(leader.told.at(-1), 'resumed');
  t.equal(leader.writer.trouble, undefined);
  t.match(leader.confirmed[0]?.firstSent, { monotonicMs: 200 });
});

t.test('an account that is full is unreachable until there is room', async (t) => {
  const { stream, leader } = await leading();
  stream.isFull = true;
  leader.write('a');
  await stream.clock.elapse(5000);
  t.same(leader.told.slice(1), ['unreachable: the account is full']);
  stream.isFull = false;
  await stream.clock.elapse(1000);
  t.same(leader.told.slice(2), ['resumed']);
  t.equal(valuesOf(stream).join(''), 'a');
});

t.test('a writer whose place is taken is fenced, and confirms nothing more', async (t) => {
  const { stream, leader } = await leading();
  const next = new Leader(stream, leadership(2, 'b'));
  next.writer.begin();
  await stream.clock.elapse(100);
  leader.write('a');
  await stream.clock.elapse(100);
  t.same(leader.told.slice(1), ['fenced: message 9 is of the leader of term 2']);
  t.same(leader.confirmed, []);
  t.throws(() => leader.write('b'), /only a leader/);
  next.write('c');
  await stream.clock.elapse(100);
  t.equal(valuesOf(stream).join(''), 'c');
});

t.test('messages behind a taken place get in, are never confirmed and hinder nobody', async (t) => {
  const { stream, leader } = await leading();
  leader.write(...names(100));
  // The new leader's term arrives before the first of eight messages; the rest fits behind it.
  const by = leadership(2, 'b');
  const end = endOf(stream);
  stream.take(groupMessage(groupOf(by, end.last, [], 'term'), firstNumber, trust.key));
  await stream.clock.elapse(100);
  t.same(leader.told.slice(1), ['fenced: message 9 is of the leader of term 2']);
  t.same(leader.confirmed, []);
  t.equal(stream.last, firstNumber + 7, 'seven messages of the old leader were taken');
  t.same(valuesOf(stream), [], 'and nobody takes them for a part of the log');
});

t.test('a new leader passes over what an old one still gets in', async (t) => {
  const { stream, leader } = await leading();
  const next = new Leader(stream, leadership(2, 'b'));
  next.writer.begin();
  // Its term is taken, and it does not know it yet.
  await stream.clock.elapse(3);
  leader.write(...names(100));
  await stream.clock.elapse(100);
  t.equal(next.told.join(), 'begun');
  t.match(leader.told.slice(1), [/^fenced/]);
  next.write('a');
  await stream.clock.elapse(100);
  t.equal(valuesOf(stream).join(''), 'a');
  const foreign = stream.messages.filter(({ headers }) => headers.get('Edge-Term') === '1');
  t.ok(foreign.length > groupsInFlightMax, 'some of them were taken');
});

t.test('a candidate whose place is taken by the leader was not elected', async (t) => {
  const { stream, leader } = await leading();
  const end = endOf(stream);
  leader.write('a');
  await stream.clock.elapse(100);
  const next = new Leader(stream, leadership(2, 'b'), end);
  next.writer.begin();
  await stream.clock.elapse(100);
  t.same(next.told, ['fenced: message 9 is of the leader of term 1']);
  leader.write('b');
  await stream.clock.elapse(100);
  t.equal(valuesOf(stream).join(''), 'ab');
});

t.test('two candidates of one term: one is elected', async (t) => {
  const { stream } = await leading();
  const [one, other] = [
    new Leader(stream, leadership(2, 'c')),
    new Leader(stream, leadership(2, 'b')),
  ];
  one.writer.begin();
  other.writer.begin();
  await stream.clock.elapse(1000);
  t.same([...one.told, ...other.told].map((told) => told.replace(/:.*/, '')).sort(), [
    'begun',
    'fenced',
  ]);
});

t.test('heartbeats and the resignation wait for their turn', async (t) => {
  const { stream, leader } = await leading();
  leader.writer.heartbeat();
  await stream.clock.elapse(20);
  leader.write('a');
  leader.write('b');
  leader.writer.heartbeat();
  leader.write('c');
  leader.writer.resign();
  t.throws(() => leader.write('d'), /only a leader/);
  await stream.clock.elapse(100);
  t.same(
    leader.confirmed.map(({ group }) => group.kind),
    ['heartbeat', 'frames', 'frames', 'frames', 'resign'],
    'what is published later serves as a heartbeat, too',
  );
  t.equal(valuesOf(stream).join(''), 'abc');
  leader.writer.heartbeat();
  await stream.clock.elapse(100);
  t.equal(leader.confirmed.length, 5);
});

t.test('a stream that has lost what it acknowledged fails, but not at once', async (t) => {
  const { stream, leader } = await leading();
  leader.write('a');
  await stream.clock.elapse(100);
  stream.rollBack(1);
  leader.write('b');
  await stream.clock.elapse(shortStreamMs / 2);
  t.same(leader.told.slice(1), [
    'unreachable: the stream ends at message 8, and 9 was acknowledged',
  ]);
  await stream.clock.elapse(shortStreamMs);
  t.equal(leader.told.at(-1), 'failed: the stream ends at message 8, and 9 was acknowledged');
});

t.test('an answer from an old state is not believed', async (t) => {
  const { stream, leader } = await leading();
  leader.write('a');
  await stream.clock.elapse(100);
  leader.connection.plan('unheard');
  stream.faults = { publish: {}, unanswered: 0, stale: 0.9 };
  leader.write('b');
  await stream.clock.elapse(20_000);
  t.equal(valuesOf(stream).join(''), 'ab');
  t.notOk(leader.hasEnded);
});

t.test('a message that was changed, or purged, ends the writer', async (t) => {
  for (const change of ['corrupt', 'purge'] as const) {
    const { stream, leader } = await leading(['unheard']);
    leader.write('a');
    await stream.clock.elapse(100);
    if (change === 'purge') {
      stream.take({ headers: new Map(), body: Buffer.alloc(0) });
      stream.purge(firstNumber + 1);
    } else {
      stream.corrupt(firstNumber, (message) => ({ ...message, body: Buffer.alloc(64) }));
    }
    await stream.clock.elapse(5000);
    const reason = change === 'purge' ? /^fenced: .* was purged/ : /^failed: .* MAC/;
    t.match(leader.told.at(-1), reason);
    t.same(leader.confirmed, []);
  }
});

t.test('a writer that was stopped tells nothing more', async (t) => {
  const { stream, leader } = await leading();
  leader.write('a');
  leader.writer.stop();
  await stream.clock.elapse(5000);
  t.same(leader.confirmed, []);
  t.equal(valuesOf(stream).join(''), 'a');
});

t.test('a writer may be stopped while it tells something', async (t) => {
  const stream = new SimulatedStream({ clock: new SimulatedClock() });
  const leader = new Leader(stream, leadership(1));
  leader.onConfirmed = () => leader.writer.stop();
  leader.writer.begin();
  await stream.clock.elapse(1000);
  t.equal(leader.confirmed.length, 1);
  t.equal(stream.last, 1, 'it publishes nothing more');
  t.same(leader.told, []);
});
