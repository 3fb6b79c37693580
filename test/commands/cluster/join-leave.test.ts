// A further node: from the newest snapshot, with the keys of the others; and its end.

import t from 'tap';
import { joinCluster } from '../../../src/commands/cluster/join.ts';
import { leaveCluster } from '../../../src/commands/cluster/leave.ts';
import { StartProblem } from '../../../src/errors/errors.ts';
import { memberOf } from '../../simulated/cluster-servers.ts';
import { commonKeys, dataSetId, firstNode, machine } from './simulated-command.ts';

const order = { pki: '/keys', dataSetId: undefined };

/** A cluster with its first node, and a machine that is to join. */
async function setting() {
  const first = await firstNode();
  return { ...first, two: machine(first.disk, first.servers, '/two', undefined, 2) };
}

t.test('a new machine becomes a node', async (t) => {
  const { one, two, stream } = await setting();
  await joinCluster(two, order);
  t.match(two.home.placed, {
    pki: '/keys',
    snapshot: { lsn: 41, crc: 9 },
    node: { generation: 1, term: 0 },
  });
  t.not(two.home.here?.node?.id, one.home.here?.node?.id);
  t.same([...stream.members.keys()].length, 2);
  t.match(two.said, [
    /^node [0-9a-f]{16} of cluster d+, generation 1$/,
    /^snapshot {3}LSN 41, 5/,
    /^next {7}.* edge-control cluster status shows/,
  ]);
  t.same(two.home.drafts, []);
  await t.rejects(joinCluster(two, order), { message: /^\/two is a home already/ });
});

t.test('the keys of an invitation are asked for when nothing else speaks against it', async (t) => {
  const { two, stream } = await setting();
  let asked = 0;
  const keys = async () => {
    asked += 1;
    return new Map([['ca.pem', Buffer.from('a CA')]]);
  };
  const none = await setting();
  none.servers.kept.length = 0;
  await t.rejects(joinCluster(none.two, order, keys), StartProblem);
  t.equal(asked, 0, 'the invitation is still good');
  await joinCluster(two, order, keys);
  t.same(two.home.keptKeys, ['ca.pem']);
  t.match(two.home.placed, { pki: '/two/keys' });
  t.equal(stream.members.size, 2);
  await t.rejects(joinCluster(two, order, keys), { message: /is a home already/ });
  t.equal(asked, 1);
});

t.test('a stranger is told in what it differs', async (t) => {
  const { two } = await setting();
  two.home.ownKeys = { ...commonKeys, 'API key': 'other', 'sealing key': 'other' };
  await t.rejects(joinCluster(two, order), {
    message: /^\/keys has another API key, sealing key than node [0-9a-f]{16}: copy the folder/,
  });
  t.equal(two.home.placed, undefined);
});

t.test('one whose sealing key differs is told so, though no entry counts for it', async (t) => {
  const { two, stream } = await setting();
  stream.uncounted = [...stream.members.values()];
  stream.members.clear();
  two.home.ownKeys = { ...commonKeys, 'sealing key': 'other' };
  await t.rejects(joinCluster(two, order), {
    message: /^\/keys has another sealing key than node/,
  });
});

t.test('an older program is refused', async (t) => {
  const { two, stream } = await setting();
  stream.formats = { log: 2, identity: 4, planet: 1 };
  await t.rejects(joinCluster(two, order), {
    message:
      'This program (1.0.0) does not read what the cluster writes: identity 4 (it reads 3), planet 1 (it reads 0). Its upgrade is final: install the release of the other nodes.',
  });
});

t.test('an older program joins while an upgrade is not final', async (t) => {
  const { two, stream } = await setting();
  const formats = { log: 2, identity: 4, planet: 1 };
  const newer = memberOf('n9', { formats, keys: commonKeys, atMs: 2_000_000 });
  stream.members.set('n9', newer);
  await joinCluster(two, order);
  t.equal(stream.formats?.['identity'], 3);
});

t.test('what else speaks against it', async (t) => {
  const none = await setting();
  none.servers.kept.length = 0;
  await t.rejects(joinCluster(none.two, order), { message: /^The NATS servers hold no cluster/ });
  const several = await setting();
  await several.servers.create({ dataSetId: 'e'.repeat(32), generation: 1 }, 3);
  await t.rejects(joinCluster(several.two, order), { message: /--data-set, d{32}, e{32}\.$/ });
  await joinCluster(several.two, { ...order, dataSetId });
  const unknown = await setting();
  await t.rejects(joinCluster(unknown.two, { ...order, dataSetId: 'f'.repeat(32) }), {
    message: /^The NATS servers have no stream of the data set f{32}/,
  });
  const silent = await setting();
  silent.stream.members.clear();
  await t.rejects(joinCluster(silent.two, order), { message: /^No node of the cluster has told/ });
  const halted = await setting();
  halted.stream.halt = 'n1 has more than the stream';
  await t.rejects(joinCluster(halted.two, order), {
    message: 'The cluster is halted until a reseed: n1 has more than the stream.',
  });
  const bare = await setting();
  bare.stream.snapshots.clear();
  await t.rejects(joinCluster(bare.two, order), { message: /^The object store holds no snapshot/ });
});

t.test('a snapshot that disappears meanwhile is asked for again, three times', async (t) => {
  const { servers, two } = await setting();
  servers.vanishing.add('41-9');
  await joinCluster(two, order);
  t.equal(two.home.placed?.snapshot.lsn, 41);
  const never = await setting();
  never.servers.vanishing.add = () => never.servers.vanishing;
  never.servers.vanishing.delete = () => true;
  await t.rejects(joinCluster(never.two, order), { message: /^The newest snapshot is damaged/ });
  t.equal(never.two.home.placed, undefined);
  t.same(never.two.home.drafts, []);
});

t.test('a node leaves once it is stopped', async (t) => {
  const { two, stream } = await setting();
  await joinCluster(two, order);
  const id = two.home.here?.node?.id ?? '';
  two.home.isRunning = true;
  await t.rejects(leaveCluster(two), new StartProblem('/two is in use.'));
  two.home.isRunning = false;
  await leaveCluster(two);
  t.notOk(stream.members.has(id));
  t.ok(two.home.isLaidAside);
  t.same(two.said.slice(-2), [`node ${id} was removed`, 'Its home is kept in /two.left.']);
});

t.test('a lost node is removed from another machine', async (t) => {
  const { one, stream } = await setting();
  // A node that runs itself, as the others do as a rule.
  one.home.isRunning = true;
  stream.members.set('n9', memberOf('n9', { atMs: 900_000 }));
  stream.marks.set('n8', { id: 'n8', generation: 1, term: 1, lsn: 1, crc: 1 });
  stream.members.set('n9', memberOf('n9', { atMs: 995_000 }));
  await t.rejects(leaveCluster(one, 'n9'), { message: /within the last seconds: stop it first/ });
  stream.members.set('n9', memberOf('n9', { atMs: 900_000 }));
  // The clock of this machine is fast.
  stream.state = { ...stream.state, serverTimeMs: 905_000 };
  await t.rejects(leaveCluster(one, 'n9'), { message: /within the last seconds: stop it first/ });
  stream.state = { ...stream.state, serverTimeMs: 911_000 };
  one.home.isRunning = true;
  await leaveCluster(one, 'n9');
  one.home.isRunning = false;
  await leaveCluster(one, 'n8');
  t.same([stream.members.size, stream.marks.size], [1, 1]);
  t.notOk(one.home.isLaidAside);
  await t.rejects(leaveCluster(one, 'n7'), new StartProblem('The cluster has no node n7.'));
});

t.test('on a full store, room is made, and a node that may be there is not removed', async (t) => {
  const { one, servers, stream } = await setting();
  stream.members.set('n9', memberOf('n9', { atMs: 900_000 }));
  const { lsn, crc } = [...stream.snapshots.values()][0] ?? { lsn: 0, crc: 0 };
  const newest = { lsn, crc, generation: 1, sequence: 7, name: 's', bytes: 1 };
  stream.snapshots.clear();
  stream.snapshots.set('s', { ...newest, content: Buffer.alloc(1) });
  servers.isFull = true;
  await t.rejects(leaveCluster(one, 'n9'), {
    name: 'StartProblem',
    message: /^The NATS servers had no room \(resource limits .* run the command again in 15 s\.$/,
  });
  t.ok(stream.members.has('n9'));
  await leaveCluster(one, 'n9');
  t.notOk(stream.members.has('n9'));
});

t.test('the last node stays', async (t) => {
  const { one } = await setting();
  one.clock.advance(60_000);
  await t.rejects(leaveCluster(one), { message: /is the only node: to go back to one machine/ });
});
