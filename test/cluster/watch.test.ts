// The watch on a node: one log line per change, and the others as they were read last.

import t from 'tap';
import type { NodeState } from '../../src/cluster/cluster-node.ts';
import type { Member } from '../../src/cluster/membership.ts';
import { ClusterWatch, memberAwayMs } from '../../src/cluster/node/watch.ts';
import { StreamUnreachable } from '../../src/cluster/stream.ts';
import { createLog } from '../../src/observe/logs.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { memberOf } from '../simulated/cluster-servers.ts';

const following: NodeState = {
  role: 'following',
  generation: 1,
  term: 3,
  last: { lsn: 100, crc: 7 },
  sequence: 95,
  leaderId: 'n1',
  lagMs: 4,
  inFlight: 0,
  clockSkewMs: 2,
  takeovers: 1,
  trouble: undefined,
  localLog: undefined,
};

function watched() {
  const clock = new SimulatedClock(1_000_000);
  const lines: { level: string; message: string; [fact: string]: unknown }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const { log } = createLog({ level: 'info', clock, readable: false, write });
  const servers = { members: [memberOf('n2'), memberOf('n1')] as Member[], isAway: false };
  let state = following;
  const watch = new ClusterWatch({
    id: 'n2',
    state: () => state,
    membersRead: () => undefined,
    members: {
      list: async () => {
        if (servers.isAway) throw new StreamUnreachable('no responders');
        return servers.members;
      },
    },
    clock,
    log,
    clockSkewMs: 500,
    snapshotAgeMs: 3_600_000,
    keyFiles: () => new Map(),
  });
  watch.start();
  const become = (but: Partial<NodeState>) => {
    state = { ...state, ...but };
    clock.advance(250);
    return lines.splice(0).map(({ level, message }) => `${level}: ${message}`);
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, watch, servers, become, pass, lines };
}

t.test('each change is told once', async (t) => {
  const { watch, become, clock } = watched();
  t.same(become({ last: { lsn: 120, crc: 1 }, lagMs: 900 }), []);
  t.same(become({ leaderId: undefined }), ['warn: no node leads the cluster']);
  t.same(become({ role: 'standing' }), ['info: the node has another role in its cluster']);
  const sinceMs = clock.now();
  t.same(become({ role: 'leading', term: 4, leaderId: 'n2' }), ['info: the node leads']);
  t.equal(watch.roleSinceMs, sinceMs + 250);
  t.match(become({ role: 'isolated', trouble: 'no responders' }), [/^error: .*lost contact/]);
  t.same(become({ trouble: 'timed out' }), ['warn: the node of the cluster has trouble']);
  t.same(become({ trouble: 'timed out' }), []);
  t.same(become({ role: 'leading', trouble: undefined }), ['info: the node leads again']);
  t.match(become({ role: 'halted', trouble: 'a fork' }), [/^error: the node is halted/]);
  t.match(become({ clockSkewMs: -501 }), [/^warn: the clock differs/]);
  t.same(become({ clockSkewMs: -700 }), []);
  t.same(become({ clockSkewMs: 0 }), []);
  t.match(become({ clockSkewMs: 501 }), [/^warn: the clock differs/]);
});

t.test('another leader', async (t) => {
  const { become } = watched();
  t.same(become({ leaderId: 'n3', term: 4 }), ['info: the leader of the cluster is another one']);
});

t.test('the others are read again and again, and their age shows who is away', async (t) => {
  const { watch, servers, pass, clock } = watched();
  await pass(0);
  t.same(
    watch.members.map(({ id }) => id),
    ['n1', 'n2'],
  );
  t.equal(watch.membersProblem(), '');
  servers.members = [memberOf('n1', { atMs: clock.now() + 5000 }), memberOf('n2')];
  await pass(5000);
  t.equal(watch.members[0]?.atMs, 1_005_000);
  await pass(5000);
  t.equal(watch.membersProblem(), '');
  await pass(5250);
  t.equal(watch.membersProblem(), 'nodes are away: n1', 'the entry of the own node does not count');
});

/** So many bytes are used of 1,000 in a server, beside a log of 100 and a snapshot of 50. */
function storeOf(usedBytes: number) {
  const bound = { of: 'The NATS server n1', usedBytes, bytesMax: 1000, copies: 1 };
  return { streamBytes: 100, shared: { lsn: 100, bytes: 50, atMs: 1_000_000 }, bounds: [bound] };
}

t.test('no records are created while the next snapshot has no room', async (t) => {
  const { watch, become } = watched();
  t.same(become({ store: storeOf(750) }), []);
  t.equal(watch.isShort, false);
  t.equal(watch.storeProblem(), '');
  t.match(become({ store: storeOf(751) }), [/^error: the NATS servers have no room/]);
  t.equal(watch.isShort, true);
  t.equal(
    watch.storeProblem(),
    'no records are created until there is room. The NATS server n1 keeps 751 of 1000 bytes at ' +
      'most, and the stream takes 100 bytes: raise that limit, or delete records',
  );
  t.match(become({ store: storeOf(700) }), [/^info: the NATS servers have room/]);
  t.equal(watch.isShort, false);
});

t.test('a server that only another node sees counts, while that node is heard', async (t) => {
  const { watch, servers, become, pass, clock } = watched();
  const { condition } = memberOf('n1');
  const seeing = condition && { ...condition, store: storeOf(751) };
  servers.members = [memberOf('n1', { condition: seeing, atMs: clock.now() })];
  await pass(5000);
  become({});
  t.equal(watch.isShort, true);
  t.equal(
    watch.storeProblem(),
    'no records are created until there is room. The NATS server n1 keeps 751 of 1000 bytes at ' +
      'most: raise that limit, or delete records',
  );
  await pass(memberAwayMs);
  become({});
  t.equal(watch.isShort, false);
});

t.test('the entry that a node wrote before its start does not count for it', async (t) => {
  const { watch, servers, become, pass, clock } = watched();
  const { condition } = memberOf('n2');
  const short = condition && { ...condition, store: storeOf(751) };
  servers.members = [memberOf('n2', { condition: short, atMs: clock.now() - 3_600_000 })];
  await pass(5000);
  become({});
  t.equal(watch.isShort, false, 'the store was not read yet');
  become({ store: storeOf(700) });
  t.equal(watch.isShort, false);
});

t.test('a night without a change is not an age of the newest shared snapshot', async (t) => {
  const { watch, servers, become, pass, clock } = watched();
  const beganAtMs = clock.now();
  const store = storeOf(0);
  become({ store });
  clock.advance(4 * 3_600_000);
  const outgrownAtMs = clock.now() - 2;
  const outgrown = { ...store, shared: { ...store.shared, outgrownAtMs } };
  become({ store: outgrown, last: { lsn: 101, crc: 1 } });
  t.equal(watch.sharedAgeMs, 250);
  t.equal(watch.storeProblem(), '');
  clock.advance(3 * 3_600_000);
  t.match(watch.storeProblem(), /^no node has shared a snapshot for 180 minutes/);
  const later = { ...store, shared: { ...store.shared, outgrownAtMs: clock.now() - 2 } };
  become({ store: later });
  t.equal(watch.sharedAgeMs, 250, 'this node has started since');
  const { condition } = memberOf('n1');
  const seeing = condition && { ...condition, store: outgrown };
  servers.members = [memberOf('n1', { condition: seeing, atMs: clock.now() + 5000 })];
  await pass(5000);
  t.equal(watch.sharedAgeMs, clock.now() - 2 - outgrownAtMs, 'another node has seen it earlier');
  become({ store });
  servers.members = [];
  await pass(5000);
  t.equal(watch.sharedAgeMs, clock.now() - 2 - beganAtMs, 'no node tells when it was outgrown');
});

t.test('a configuration that is not safe, and snapshots that nobody shares', async (t) => {
  const { watch, become, clock } = watched();
  become({ store: { ...storeOf(0), unsafe: 'max_age is 1' } });
  t.equal(watch.storeProblem(), 'max_age is 1: until then no node begins to lead');
  become({ store: storeOf(0) });
  clock.advance(4 * 3_600_000);
  t.equal(watch.sharedAgeMs, 0, 'nothing has changed since');
  t.equal(watch.storeProblem(), '');
  become({ last: { lsn: 101, crc: 1 } });
  t.match(watch.storeProblem(), /^no node has shared a snapshot for 240 minutes, and the stream /);
});

t.test('the own clock does not tell who is away', async (t) => {
  const { watch, servers, become, pass, clock } = watched();
  for (const clockSkewMs of [3_600_000, -3_600_000]) {
    become({ clockSkewMs });
    const atMs = clock.now() - clockSkewMs;
    servers.members = [memberOf('n1', { atMs }), memberOf('n2', { atMs })];
    await pass(memberAwayMs);
    t.equal(watch.membersProblem(), '');
    await pass(250);
    t.equal(watch.membersProblem(), 'nodes are away: n1');
  }
});

t.test('nothing is said of the others while their entries cannot be read', async (t) => {
  const { watch, servers, pass, lines } = watched();
  await pass(0);
  servers.isAway = true;
  await pass(memberAwayMs);
  t.equal(watch.membersProblem(), '');
  await pass(5000);
  t.equal(watch.membersProblem(), 'the NATS servers do not tell how the other nodes are');
  t.match(lines.splice(0), [{ level: 'warn', reason: 'no responders' }]);
  await pass(5000);
  t.same(lines, [], 'it is told once');
  servers.isAway = false;
  servers.members = [memberOf('n1', { atMs: 1_020_000 }), memberOf('n2')];
  await pass(5000);
  t.equal(watch.membersProblem(), '');
  t.match(lines, [{ level: 'info', message: 'all nodes of the cluster are well again' }]);
});

t.test('a trouble that changes its words is not told each time', async (t) => {
  const { become, pass, lines } = watched();
  t.match(become({ trouble: 'no connection to n1' }), [/trouble$/]);
  t.same(become({ trouble: 'no connection to n2' }), []);
  t.same(become({ trouble: 'no connection to n1' }), []);
  t.same(become({ trouble: 'no connection to n2' }), []);
  await pass(10_000);
  t.match(lines, [{ trouble: 'no connection to n2' }], 'what lasts is told later');
});

t.test('a local log that lacks something is told, and that it has all again', async (t) => {
  const { become } = watched();
  t.match(become({ localLog: 'ENOSPC' }), [/^error: the log of the home lacks the newest changes/]);
  t.same(become({ localLog: 'it is behind' }), []);
  t.same(become({ localLog: undefined }), ['info: the log of the home has all changes again']);
});

t.test('settings that differ from those of the leader are named', async (t) => {
  const { watch, servers, pass, lines } = watched();
  servers.members = [memberOf('n1', { settingsHash: 'auth.x=1' }), memberOf('n2')];
  await pass(5000);
  const problem = 'this node has other settings than the leader: auth.x';
  t.equal(watch.membersProblem(), problem);
  t.match(lines, [{ level: 'warn', problem, message: 'not all nodes of the cluster are well' }]);
});

t.test('nothing goes on after a stop', async (t) => {
  const { watch, clock } = watched();
  watch.stop();
  t.equal(clock.timers, 0);
});
