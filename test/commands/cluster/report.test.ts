// What `cluster status` says of a cluster: one sentence for each thing that is wrong, none
// otherwise.

import t from 'tap';
import type { HighWaterMark, Member } from '../../../src/cluster/membership.ts';
import { memberAwayMs } from '../../../src/cluster/node/watch.ts';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { type ClusterFacts, readFacts, reportOf } from '../../../src/commands/cluster/report.ts';
import { reportLines } from '../../../src/commands/cluster/report-text.ts';
import { KeptStream, memberOf, SimulatedServers } from '../../simulated/cluster-servers.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';

const nowMs = 1_000_000;
const dataSetId = 'd'.repeat(32);
const snapshot = { name: 's', generation: 1, lsn: 90, crc: 5, sequence: 80, bytes: 1234 };
const stream = { first: 60, last: 95 };
const condition = {
  lagMs: 4,
  clockSkewMs: 2,
  inFlight: 0,
  takeovers: 1,
  trouble: undefined,
  localLog: undefined,
};
const leading = memberOf('n1', { role: 'leading' });

function facts(members: readonly Member[], but: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    dataSetId,
    generation: 1,
    atMs: nowMs,
    members,
    uncounted: [],
    full: undefined,
    knowsMembers: true,
    marks: [],
    formats: { log: 2 },
    halt: undefined,
    stream,
    end: { lsn: 100, crc: 7 },
    snapshots: [snapshot],
    store: undefined,
    faults: [],
    ...but,
  };
}

const settings = { clockSkewMs: 500, snapshotAgeMs: 3_600_000 };
const problemsOf = (given: ClusterFacts) => reportOf(given, settings).problems;

t.test('a cluster that is well', async (t) => {
  const report = reportOf(facts([leading, memberOf('n2'), memberOf('n3')]), settings);
  t.same(report.problems, []);
  t.same(report.notes, []);
  t.equal(report.leaderId, 'n1');
  t.same(reportLines(report), [
    `cluster    ${dataSetId}, generation 1`,
    'stream     messages 60 to 95',
    'snapshots  LSN 90 (1234 bytes)',
    '',
    'node  role       term  LSN  lag   clock  takeovers  version  address          heard',
    'n1 *  leading    3     100  4 ms  +2 ms  1          1.0.0    n1.example:1280  0 s ago',
    'n2    following  3     100  4 ms  +2 ms  1          1.0.0    n2.example:1280  0 s ago',
    'n3    following  3     100  4 ms  +2 ms  1          1.0.0    n3.example:1280  0 s ago',
    '',
    'All is well.',
  ]);
});

t.test('a name stands beside the id of its node', async (t) => {
  const members = [
    memberOf('n1', { role: 'leading', name: 'north' }),
    memberOf('n2'),
    memberOf('n3', { name: 'south', atMs: nowMs - 60_000 }),
    memberOf('n4', { name: 'north' }),
  ];
  const report = reportOf(facts(members), settings);
  t.match(report.problems, [/^south \(n3\) has been silent for 60 s: .*leave --node n3\.$/]);
  t.match(report.notes, ['Several nodes are called north: give them names of their own']);
  const lines = reportLines(report).join('\n');
  t.match(lines, /^node {2}name {3}role /m);
  t.match(lines, /^n1 \* {2}north {2}leading /m);
  t.match(lines, /^n2 {4}- {6}following /m);
});

t.test('each thing that is wrong has a sentence', async (t) => {
  const cases: readonly (readonly [readonly Member[], Partial<ClusterFacts>, RegExp])[] = [
    [[memberOf('n2')], {}, /^No node leads/],
    [[leading, memberOf('n2', { role: 'leading', term: 4 })], {}, /n1 \(term 3\), n2 \(term 4\)/],
    [[leading], { halt: 'n2 has more than the stream' }, /^No node may lead.*n2 has more/],
    [[leading], { faults: ['The stream has max_msgs 5.'] }, /^The stream has max_msgs 5\.$/],
    [[leading], { snapshots: [] }, /^No snapshot is in the object store/],
    [[leading], { stream: { first: 82, last: 95 } }, /ends with message 80.*begins with 82/],
    [
      [leading, memberOf('n2', { atMs: nowMs - memberAwayMs - 1 })],
      {},
      /^n2 has been silent for 10 s: .*leave --node n2\.$/,
    ],
    [[leading, memberOf('n2', { generation: 2 })], {}, /^n2 is of generation 2, .*of 1/],
    [
      [leading, memberOf('n2', { role: 'halted', condition: { ...condition, trouble: 'a fork' } })],
      {},
      /^n2 is halted: a fork\.$/,
    ],
    [[leading, memberOf('n2', { role: 'isolated', condition: undefined })], {}, /its log says why/],
    [
      [leading, memberOf('n2', { role: 'recovering', condition: undefined })],
      {},
      /^n2 is recovering, and could not take over yet: start it, or wait until it follows\.$/,
    ],
    [
      [
        leading,
        memberOf('n2', { role: 'recovering', condition: { ...condition, trouble: 'a gap' } }),
      ],
      {},
      /^n2 is recovering, and could not take over yet \(a gap\): /,
    ],
    [
      [leading, memberOf('n2', { condition: { ...condition, localLog: 'ENOSPC' } })],
      {},
      /^The log in the home of n2 lacks the newest changes, .*: ENOSPC\. See to its disk\.$/,
    ],
    [
      [leading, memberOf('n2', { condition: { ...condition, lagMs: 5001 } })],
      {},
      /^n2 is 5001 ms behind/,
    ],
    [
      [leading, memberOf('n2', { condition: { ...condition, clockSkewMs: -501 } })],
      {},
      /^The clock of n2 differs by -501 ms/,
    ],
    [
      [leading, memberOf('n2', { settingsHash: 'auth.x=1,session.timeoutMinutes=2' })],
      {},
      /^n2 has other settings than n1: auth\.x, session\.timeoutMinutes\.$/,
    ],
    [[leading, memberOf('n2', { keys: { 'API key': 'ab' } })], {}, /other keys than n1: API key/],
    [
      [leading, memberOf('n2', { last: { lsn: 100, crc: 8 } })],
      {},
      /^n2 and n1 have different frames at LSN 100/,
    ],
  ];
  for (const [members, but, expected] of cases) {
    const problems = problemsOf(facts(members, but));
    t.equal(problems.length, 1, String(expected));
    t.match(problems[0], expected);
  }
});

t.test('what NATS keeps, and how much room is left', async (t) => {
  const bound = { of: 'The account at NATS', usedBytes: 800, bytesMax: 1000, copies: 1 };
  const server = { of: 'The NATS server n1', usedBytes: 910, bytesMax: 1000, copies: 1 };
  const shared = { lsn: 90, bytes: 30, atMs: nowMs - 65_000 };
  const store = { streamBytes: 20, shared, bounds: [bound] };
  const seen = { ...store, bounds: [{ ...bound, usedBytes: 700 }, server] };
  const members = [leading, memberOf('n2', { condition: { ...condition, store: seen } })];
  const report = reportOf(facts(members, { store }), settings);
  const lines = reportLines(report);
  for (const line of [
    'stream     messages 60 to 95, 20 bytes',
    'snapshots  LSN 90 (1234 bytes); the newest is 65 s old',
    'room       The account at NATS keeps 800 of 1000 bytes at most',
    'room       The NATS server n1 keeps 910 of 1000 bytes at most',
  ]) {
    t.ok(lines.includes(line), line);
  }
  t.match(report.problems, [
    /^The NATS server n1 keeps 910 of 1000 bytes .* no records are created/,
  ]);
  const late = { ...store, shared: { ...shared, atMs: nowMs - 10_800_001 } };
  t.match(problemsOf(facts([leading], { store: late })), [/^No node has shared .* 180 minutes/]);
  t.same(problemsOf(facts([leading], { store: { ...late, shared: { ...shared, lsn: 100 } } })), []);
  const outgrown = { ...late, shared: { ...late.shared, outgrownAtMs: nowMs - 60_000 } };
  const telling = { ...leading, condition: { ...condition, store: outgrown } };
  t.same(problemsOf(facts([telling], { store: late })), [], 'nothing had changed for hours');
});

t.test('a full JetStream is one problem, of which no node is to blame', async (t) => {
  const disk = new SimulatedDisk(1);
  const servers = new SimulatedServers(disk);
  const kept = new KeptStream({ dataSetId, generation: 1 }, 3);
  servers.kept.push(kept);
  const ids = ['n1', 'n2', 'n3'];
  const hearAt = (atMs: number) => {
    for (const id of ids) kept.members.set(id, memberOf(id, { atMs }));
  };
  hearAt(nowMs - 60_000);
  kept.full = 'resource limits exceeded for account';
  const open = await servers.open({ dataSetId, generation: 1 });
  const at = { dataSetId, generation: 1, atMs: nowMs };
  const read = { ...(await readFacts(open, at)), snapshots: [snapshot], stream };
  const report = reportOf(read, settings);
  t.match(report.problems, [
    /^JetStream takes no message \(resource limits exceeded for account\), so the nodes cannot/,
  ]);
  t.equal(report.problems.length, 1);
  t.match(reportLines(report).join('\n'), /^n1 +unknown /m);
  hearAt(nowMs);
  t.equal((await readFacts(open, at)).full, undefined, 'nothing is written while nodes are heard');
  hearAt(nowMs - 60_000);
  kept.full = undefined;
  const silent = reportOf(
    { ...(await readFacts(open, at)), snapshots: [snapshot], stream },
    settings,
  );
  t.equal(silent.problems.length, 4, 'no leader, and three that are silent');
});

t.test('an entry that does not count is named', async (t) => {
  const problems = problemsOf(facts([leading], { uncounted: [memberOf('n9')] }));
  t.match(problems, [
    /^The entry of n9 was not written with the keys of this home, .* not count: /,
  ]);
});

t.test('a mark that keeps every node from leading is named', async (t) => {
  const mark = { id: 'n9', generation: 1, term: 3, lsn: 100, crc: 7 };
  const cases: readonly (readonly [Partial<HighWaterMark>, RegExp])[] = [
    [{ lsn: 999 }, /high-water mark of n9 is at LSN 999, and the stream ends at 100\. If n9 has/],
    [{ generation: 2 }, /mark of n9 is of generation 2, the stream of 1\. .*leave --node n9\.$/],
    [{ crc: 8 }, /mark of n9 has checksum 8 at LSN 100, the stream has 7\./],
  ];
  for (const [but, expected] of cases) {
    const problems = problemsOf(facts([leading], { marks: [{ ...mark, ...but }] }));
    t.match(problems, [/^No other node could lead: /]);
    t.match(problems, [expected]);
  }
});

t.test('marks that keep no node from leading', async (t) => {
  const marks = [
    { id: 'n1', generation: 1, term: 3, lsn: 100, crc: 7 },
    { id: 'n2', generation: 1, term: 3, lsn: 99, crc: 1 },
    { id: 'n3', generation: 0, term: 9, lsn: 999, crc: 1 },
  ];
  t.same(problemsOf(facts([leading], { marks })), []);
  const ahead = [{ id: 'n9', generation: 1, term: 3, lsn: 999, crc: 1 }];
  t.same(problemsOf(facts([leading], { marks: ahead, end: undefined })), [], 'nothing is known');
});

t.test('a node at its bound is well', async (t) => {
  const edge = { ...condition, lagMs: 5000, clockSkewMs: 500 };
  const members = [leading, memberOf('n2', { condition: edge, atMs: nowMs - memberAwayMs })];
  t.same(problemsOf(facts(members)), []);
});

t.test('notes are no problems', async (t) => {
  const alone = reportOf(facts([leading]), settings);
  t.same([alone.problems.length, alone.notes.length], [0, 1]);
  const mixed = reportOf(facts([leading, memberOf('n2', { version: '1.1.0' })]), settings);
  t.match(mixed.notes, [/^The nodes run 1\.0\.0 and 1\.1\.0: .*finalize\.$/]);
  const former = reportOf(facts([leading, memberOf('n2', { isUnsealed: true })]), settings);
  t.match(former.notes, [
    /^The entry of n2 has no MAC, .* told to nobody before it is upgraded\.$/,
  ]);
  const open = reportOf(facts([leading, memberOf('n2')], { formats: { log: 1 } }), settings);
  t.match(open.notes, [/^All nodes read newer formats than they write \(log 2\): .*finalize\.$/]);
});

t.test('a node that is away shows nothing that has passed', async (t) => {
  const away = memberOf('n2', { atMs: nowMs - 60_000 });
  const lines = reportLines(reportOf(facts([leading, away]), settings)).join('\n');
  t.match(lines, /n2 +away +3 +100 +- +- +- .* 60 s ago/);
  t.match(lines, /problems:\n- n2 has been silent for 60 s/);
  t.notMatch(lines, 'All is well');
  t.match(reportLines(reportOf(facts([]), settings)).join('\n'), '(no node has been there)');
});

t.test('the facts are read from the servers', async (t) => {
  const disk = new SimulatedDisk(1);
  const servers = new SimulatedServers(disk);
  const kept = new KeptStream({ dataSetId, generation: 1 }, 3);
  servers.kept.push(kept);
  for (const id of ['n3', 'n1']) kept.members.set(id, memberOf(id));
  kept.faults = ['one'];
  kept.state = { first: 4, last: 9 };
  const open = await servers.open({ dataSetId, generation: 1 });
  const at = { dataSetId, generation: 1, atMs: nowMs };
  const read = await readFacts(open, at);
  t.match(read, { ...at, faults: ['one'], stream: { first: 4, last: 9 }, halt: undefined });
  t.same(
    read.members.map(({ id }) => id),
    ['n1', 'n3'],
  );
  kept.state = { ...kept.state, serverTimeMs: 1_234_567 };
  t.equal((await readFacts(open, at)).atMs, 1_234_567, 'the clock of this machine may be wrong');
  const silent = { ...open.members, marks: () => Promise.reject(new StreamUnreachable('timeout')) };
  const part = await readFacts({ ...open, members: silent }, at);
  t.match(part, { members: [], knowsMembers: false });
  const problems = ['The directory of the nodes cannot be read: timeout.', 'one'];
  t.same(reportOf({ ...part, snapshots: [snapshot] }, settings).problems, problems);
  t.ok(reportLines(reportOf(part, settings)).includes('(the nodes are not known)'));
  servers.unreachable = 'no responders';
  await t.rejects(readFacts(open, at), StreamUnreachable);
});
