// The beginning of a cluster's stream: refused where it would fork data, repeatable after a
// failure, and honest about what it drops.

import t from 'tap';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { initCluster, reseedCluster } from '../../../src/commands/cluster/seed.ts';
import { StartProblem } from '../../../src/errors/errors.ts';
import { KeptStream, memberOf } from '../../simulated/cluster-servers.ts';
import { alone, dataSetId, oneMachine } from './simulated-command.ts';

const silentSince = 900_000;

t.test('a home that stands alone becomes the first node', async (t) => {
  const { servers, one } = oneMachine();
  await initCluster(one);
  const [kept] = servers.kept;
  t.match(kept, { name: { dataSetId, generation: 1 }, replicas: 3 });
  t.same(one.home.drafts, []);
  const node = one.home.here?.node;
  t.match(node, { generation: 1, term: 0, id: /^[0-9a-f]{16}$/ });
  t.match(
    [...(kept?.snapshots.values() ?? [])],
    [{ lsn: 41, crc: 9, sequence: 0, generation: 1, content: Buffer.from('at 41') }],
  );
  t.match([...(kept?.members.values() ?? [])], [{ id: node?.id, role: 'recovering' }]);
  t.match([...(kept?.marks.values() ?? [])], [{ id: node?.id, lsn: 41, crc: 9 }]);
  t.same(one.said, [
    `node ${node?.id} of cluster ${dataSetId}, generation 1`,
    'snapshot   LSN 41, 5 bytes',
    'next       edge-control run starts the node, and edge-control cluster status shows how the cluster is.',
  ]);
});

t.test('what speaks against it', async (t) => {
  const node = { id: 'n1', generation: 1, term: 2 };
  await t.rejects(initCluster(oneMachine({ ...alone, node }).one), {
    message: /^\/one is node n1 of a cluster already/,
  });
  const empty = oneMachine();
  empty.one.home.here = undefined;
  await t.rejects(initCluster(empty.one), new StartProblem('/one is no home of a controller.'));
  const weak = oneMachine();
  weak.servers.faults = ['n2 does not sync before it confirms.'];
  await t.rejects(initCluster(weak.one), new StartProblem('n2 does not sync before it confirms.'));
  const away = oneMachine();
  away.servers.unreachable = 'no route';
  await t.rejects(initCluster(away.one), StreamUnreachable);
  const marks = [
    (stream: KeptStream) => void stream.members.set('n2', memberOf('n2')),
    (stream: KeptStream) =>
      void stream.marks.set('n2', { id: 'n2', generation: 1, term: 1, lsn: 1, crc: 1 }),
    (stream: KeptStream) => {
      stream.state = { first: 1, last: 1 };
    },
  ];
  for (const mark of marks) {
    const taken = oneMachine();
    const stream = new KeptStream({ dataSetId, generation: 4 }, 3);
    taken.servers.kept.push(stream);
    mark(stream);
    await t.rejects(initCluster(taken.one), { message: /already \(generation 4\): let this/ });
  }
  for (const { one } of [weak, away]) t.equal(one.home.entered, undefined);
});

t.test('an init that fails at any point can be repeated', async (t) => {
  for (let changes = 0; changes < 5; changes++) {
    const { servers, one } = oneMachine();
    servers.changesLeft = changes;
    await t.rejects(initCluster(one), StreamUnreachable);
    servers.changesLeft = Number.POSITIVE_INFINITY;
    if (one.home.entered === undefined) await initCluster(one);
    const [kept, ...others] = servers.kept;
    t.equal(others.length, 0, 'what the first attempt had made is gone');
    t.equal(kept?.snapshots.size, 1);
    t.equal(one.home.here?.node?.generation, kept?.name.generation);
  }
});

/** Three nodes that have stopped; the home is that of n1. */
function stopped(lsns: readonly [n1: number, n2: number, n3: number], own = lsns[0]) {
  const node = { id: 'n1', generation: 1, term: 3 };
  const parts = oneMachine({ dataSetId, node, last: { lsn: own, crc: 9 } });
  const stream = new KeptStream({ dataSetId, generation: 1 }, 3);
  parts.servers.kept.push(stream);
  for (const [index, lsn] of lsns.entries()) {
    const id = `n${index + 1}`;
    stream.members.set(id, memberOf(id, { atMs: silentSince, last: { lsn, crc: 9 } }));
    stream.marks.set(id, { id, generation: 1, term: 3, lsn, crc: 9 });
  }
  stream.halt = 'n1 has more than the stream';
  return { ...parts, stream };
}

t.test('the greatest node begins the stream again', async (t) => {
  const { servers, one, stream } = stopped([100, 100, 98]);
  stream.removed.add('n9');
  t.equal(await reseedCluster(one, { isConfirmed: false, force: false }), false);
  t.same(one.said, [
    'this node  n1: generation 1, term 3, LSN 100',
    'greatest   n1: generation 1, term 3, LSN 100',
    'drops      what the log of this node had not synced when it ended: up to 1 s',
    'Nothing was changed: confirm it with --yes.',
  ]);
  t.equal(one.home.entered, undefined);
  t.equal(await reseedCluster(one, { isConfirmed: true, force: false }), true);
  t.same(
    servers.kept.map(({ name }) => name.generation),
    [1, 2],
  );
  t.same(
    servers.kept.map(({ isSealed }) => isSealed),
    [true, false],
    'a node that was cut off can confirm nothing in the former stream',
  );
  t.equal(servers.kept[1]?.halt, undefined);
  t.same([...(servers.kept[1]?.removed ?? [])], ['n9'], 'what was removed stays out');
  t.same(one.home.here?.node, { id: 'n1', generation: 2, term: 3 });
});

t.test('without a stream nothing is known of the other nodes', async (t) => {
  const { servers, one } = stopped([100, 100, 98]);
  servers.kept.length = 0;
  t.equal(await reseedCluster(one, { isConfirmed: false, force: true }), false);
  t.equal(one.home.entered, undefined);
  t.same(one.said, [
    'this node  n1: generation 1, term 3, LSN 100',
    'others     not known: the NATS servers have no stream of this data set. Run this command without --yes on each node, and with --yes on the one that is greatest by generation, then term, then LSN.',
    'drops      what only the other nodes have, and what the log of this node had not synced when it ended: up to 1 s',
    'Nothing was changed: confirm it with --yes.',
  ]);
  t.equal(await reseedCluster(one, { isConfirmed: true, force: false }), true);
  t.same(one.home.here?.node, { id: 'n1', generation: 2, term: 3 });
  t.notOk(one.said.some((line) => line.includes('The former stream is kept')));
});

t.test('an upgrade that was not final goes on', async (t) => {
  const { servers, one, stream } = stopped([100, 90, 90]);
  stream.formats = { log: 2 };
  t.ok(await reseedCluster(one, { isConfirmed: true, force: false }));
  t.same(servers.kept.at(-1)?.formats, { log: 2 });
  const older = stopped([100, 90, 90]);
  older.stream.formats = { log: 3 };
  await t.rejects(reseedCluster(older.one, { isConfirmed: true, force: false }), {
    message: /does not read what the cluster writes: log 3 \(it reads 2\)/,
  });
  t.equal(older.servers.kept.length, 1);
});

t.test('another node has more', async (t) => {
  const { one } = stopped([90, 100, 98]);
  await t.rejects(reseedCluster(one, { isConfirmed: true, force: false }), {
    message: /^n2 has more than this node \(n2: generation 1, term 3, LSN 100\): run reseed there/,
  });
  t.equal(one.home.entered, undefined);
  t.equal(await reseedCluster(one, { isConfirmed: true, force: true }), true);
  t.ok(one.said.includes('drops      10 frames after LSN 90'));
});

t.test('a later term is more than a higher LSN', async (t) => {
  const { one, stream } = stopped([100, 100, 100]);
  stream.marks.set('n3', { id: 'n3', generation: 1, term: 4, lsn: 80, crc: 1 });
  await reseedCluster(one, { isConfirmed: false, force: true });
  t.same(one.said.slice(1, 3), [
    'greatest   n3: generation 1, term 4, LSN 80',
    'drops      everything that generation 1, term 4 confirmed after LSN 100 of this node',
  ]);
});

t.test('what this node itself had not synced is counted', async (t) => {
  const { one } = stopped([100, 95, 95], 96);
  await reseedCluster(one, { isConfirmed: false, force: false });
  t.equal(
    one.said[2],
    'drops      what the log of this node had not synced when it ended: 4 frames after LSN 96',
  );
});

t.test('no node may run', async (t) => {
  const { one, stream } = stopped([100, 100, 98]);
  stream.members.set('n3', memberOf('n3', { atMs: 995_000 }));
  await t.rejects(reseedCluster(one, { isConfirmed: true, force: true }), {
    message: 'n3 (n3.example:1280) was heard of within the last seconds: stop all nodes first.',
  });
  t.equal(one.home.entered, undefined);
});

t.test('a home that stands alone is no node', async (t) => {
  const { one } = oneMachine();
  await t.rejects(reseedCluster(one, { isConfirmed: true, force: false }), {
    message: /belongs to no cluster/,
  });
});
