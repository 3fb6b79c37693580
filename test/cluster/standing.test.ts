// Who may lead: the silence of a leader, and every reason against a candidate.

import t from 'tap';
import type { HighWaterMark, Member } from '../../src/cluster/membership.ts';
import { EndWatch } from '../../src/cluster/node/end-watch.ts';
import { NodeLife } from '../../src/cluster/node/node-life.ts';
import { ServerTime } from '../../src/cluster/node/server-time.ts';
import { Silence } from '../../src/cluster/node/silence.ts';
import { objectionTo, type StandingFacts } from '../../src/cluster/node/standing.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function member(id: string, changes: Partial<Member> = {}): Member {
  return {
    id,
    version: '1',
    formats: { log: 1 },
    advertised: '',
    internal: '',
    role: 'following',
    generation: 2,
    term: 4,
    last: { lsn: 7, crc: 70 },
    keys: {},
    settingsHash: 'same',
    atMs: 0,
    ...changes,
  };
}

const end = { generation: 2, lsn: 9, crc: 90 };
const mark = (id: string, changes: Partial<HighWaterMark> = {}): HighWaterMark => {
  return { id, generation: 2, term: 4, lsn: 9, crc: 90, ...changes };
};
const answers = new Map([['b', end]]);
const facts: StandingFacts = {
  self: member('a'),
  end,
  members: [member('a'), member('b'), member('c')],
  formats: { log: 1 },
  marks: [],
  answers,
  crcAt: (lsn) => (lsn === 7 ? 70 : undefined),
  clockSkewMs: 5000,
  clockSkewWarnMs: 500,
  isForced: false,
};
const others = (changes: Partial<Member>) => [member('a'), member('b', changes), member('c')];
const said = (id: string, changes: Partial<typeof end>) => new Map([[id, { ...end, ...changes }]]);

const cases: readonly (readonly [string, Partial<StandingFacts>, string | undefined])[] = [
  ['two of three agree', {}, undefined],
  [
    'its clock is wrong',
    { clockSkewMs: -5001 },
    'the clock of this node differs from that of the server by -5001 ms',
  ],
  [
    'somebody has more',
    { answers: said('b', { lsn: 10 }) },
    'node b is at LSN 10, and the stream ends at 9',
  ],
  [
    'somebody had more',
    { marks: [mark('c', { lsn: 12 })] },
    'the high-water mark of node c is at LSN 12, and the stream ends at 9',
  ],
  [
    'somebody has something else',
    { answers: said('b', { crc: 91 }) },
    'node b has checksum 91 at LSN 9, the stream has 90',
  ],
  [
    'somebody has something else before the end',
    { answers: said('b', { lsn: 7, crc: 71 }) },
    'node b has checksum 71 at LSN 7, the stream has 70',
  ],
  ['what is long ago cannot be compared', { answers: said('b', { lsn: 5, crc: 1 }) }, undefined],
  ['somebody is behind', { answers: said('b', { lsn: 7, crc: 70 }) }, undefined],
  [
    'a later generation has begun',
    { marks: [mark('c', { generation: 3, lsn: 1 })] },
    'the high-water mark of node c is of generation 3, the stream of 2',
  ],
  ['an earlier one does not matter', { marks: [mark('c', { generation: 1, lsn: 99 })] }, undefined],
  ['nobody was heard', { answers: new Map() }, 'only 1 of 3 nodes were heard'],
  ['nobody was heard, but it must', { answers: new Map(), isForced: true }, undefined],
  [
    'even then nobody may have more',
    { answers: said('b', { lsn: 10 }), isForced: true },
    'node b is at LSN 10, and the stream ends at 9',
  ],
  [
    'a node that is only known by its mark counts',
    { marks: [mark('d')] },
    'only 2 of 4 nodes were heard',
  ],
  ['it is alone', { members: [member('a')], answers: new Map() }, undefined],
  [
    'the others share settings',
    { self: member('a', { settingsHash: 'own' }) },
    'the settings of this node differ from those that most nodes share',
  ],
  ['one other has other settings', { members: others({ settingsHash: 'new' }) }, undefined],
  [
    'of two nodes, either settings will do',
    { members: [member('a'), member('b', { settingsHash: 'new' })] },
    undefined,
  ],
  [
    'an upgrade has become final',
    { formats: { log: 1, new: 2 } },
    'the nodes write version 2 of new, this one reads 0',
  ],
  ['another reads more than is written', { members: others({ formats: { log: 2 } }) }, undefined],
];

t.test('reasons against a candidate', async (t) => {
  for (const [what, changes, objection] of cases) {
    t.equal(objectionTo({ ...facts, ...changes }), objection, what);
  }
});

t.test('the silence of a leader counts while the stream answers', async (t) => {
  const clock = new SimulatedClock();
  const silence = new Silence(clock);
  t.notOk(silence.isOver, 'nothing is known yet');
  silence.message(false);
  clock.advance(2000);
  silence.answered();
  clock.advance(999);
  t.notOk(silence.isOver);
  clock.advance(1);
  t.ok(silence.isOver);
  silence.message(false);
  t.notOk(silence.isOver, 'a message came');
  clock.advance(2501);
  t.equal(silence.lastedMs, 0, 'the stream has not answered for too long');
  silence.answered();
  clock.advance(2500);
  t.equal(silence.lastedMs, 2500);
  silence.unanswered();
  t.equal(silence.lastedMs, 0, 'the stream did not answer');
  silence.answered();
  clock.advance(2000);
  silence.answered();
  clock.jump(60_000);
  t.notOk(silence.isOver, 'the wall clock does not count');
  clock.advance(1000);
  t.ok(silence.isOver);
});

t.test('nobody waits after a resignation', async (t) => {
  const silence = new Silence(new SimulatedClock());
  silence.message(true);
  t.ok(silence.isOver);
  silence.unanswered();
  t.notOk(silence.isOver);
  silence.answered();
  t.ok(silence.isOver);
  silence.message(false);
  t.notOk(silence.isOver);
});

t.test("the server's time is that of the message that arrived fastest", async (t) => {
  const clock = new SimulatedClock();
  const time = new ServerTime(clock);
  t.equal(time.skewMs, 0);
  t.equal(time.ageMs(5), 0);
  const arrive = (latencyMs: number, aheadMs = 0) => {
    const serverTimeMs = clock.now() + aheadMs;
    clock.advance(latencyMs);
    time.sample(serverTimeMs, clock.monotonic());
  };
  arrive(3);
  arrive(2000);
  t.equal(time.skewMs, 3, 'a late message says nothing');
  t.equal(time.ageMs(clock.now() - 500), 497);
  clock.jump(700);
  t.equal(time.skewMs, 703, 'a clock that was set is noticed at once');
  arrive(1, 9000);
  t.equal(time.skewMs, -8999);
  for (let count = 0; count < 8; count++) arrive(1);
  t.equal(time.skewMs, 1, 'the server was set back');
});

t.test('an end that is too early must last', async (t) => {
  const clock = new SimulatedClock();
  const watch = new EndWatch(clock);
  t.equal(watch.told(5, 5), undefined);
  t.equal(watch.told(3, 5), undefined);
  t.ok(watch.isSuspicious);
  clock.advance(14_999);
  t.equal(watch.told(4, 6), undefined);
  t.equal(watch.told(5, 6), undefined, 'all is there');
  t.notOk(watch.isSuspicious);
  t.equal(watch.told(5, 6), undefined);
  clock.advance(15_000);
  t.equal(watch.told(5, 6), 'the stream ends with message 5, after message 6 was seen');
});

t.test('the last 32 transitions of a node are kept', async (t) => {
  const clock = new SimulatedClock();
  const life = new NodeLife('n', clock);
  t.equal(life.role, 'recovering');
  t.notOk(life.send({ type: 'stand' }), 'it does not follow yet');
  life.send({ type: 'follow' });
  for (let count = 0; count < 20; count++) {
    life.send({ type: 'stand' });
    life.send({ type: 'withdraw', reason: `${count}` });
  }
  t.equal(life.reason, '19');
  t.equal(life.transitions.length, 32);
  const atMs = clock.now();
  t.same(life.transitions.slice(0, 2), [
    { atMs, event: 'stand', from: 'following', to: 'standing', reason: '' },
    { atMs, event: 'withdraw', from: 'standing', to: 'following', reason: '4' },
  ]);
  t.ok(life.send({ type: 'end', reason: 'stopped' }));
  t.equal(life.role, 'ended');
  t.notOk(life.send({ type: 'halt', reason: 'late' }));
});
