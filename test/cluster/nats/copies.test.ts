// The sentences about servers that should keep a stream and do not, from what STREAM.INFO of
// nats-server 2.15.1 tells.

import t from 'tap';
import { faultsOfCopies, type KeptStream } from '../../../src/cluster/nats/copies.ts';

const heard = { current: true, active: 128_038_327 };
const [n2, n3] = [
  { name: 'n2', ...heard },
  { name: 'n3', ...heard },
];
const stream = <T>(replicas: readonly T[]) => ({
  cluster: { name: 'edge', leader: 'n1', replicas },
  config: { num_replicas: 3 },
});
const faultsOf = (streams: Readonly<Record<string, KeptStream>>) =>
  faultsOfCopies(new Map(Object.entries(streams)));

t.test('three servers that are heard are well', async (t) => {
  t.same(faultsOf({ 'the log': stream([n2, n3]) }), []);
  const alone = { cluster: undefined, config: { num_replicas: 1 } };
  t.same(faultsOfCopies(new Map([['the log', alone]])), []);
  const one = { cluster: { name: 'edge', leader: 'n1' }, config: { num_replicas: 1 } };
  t.same(faultsOfCopies(new Map([['the log', one]])), []);
});

t.test('a server that is not heard is named once', async (t) => {
  const gone = { name: 'n3', current: false, active: 0, lag: 2 };
  const said = [
    'NATS server n3 keeps nothing of the log any more and is 2 entries behind: see to it, its disk and its network.',
  ];
  t.same(faultsOf({ 'the log': stream([n2, gone]), 'the snapshots': stream([n2, gone]) }), said);
  const silent = { ...gone, active: 10_001_000_000 };
  t.same(faultsOf({ 'the log': stream([n2, silent]) }), said);
  t.same(faultsOf({ 'the log': stream([n2, { ...silent, active: 9_000_000_000 }]) }), []);
  t.same(faultsOf({ 'the log': stream([n2, { ...gone, ...heard, offline: true }]) }), said);
  t.match(faultsOf({ 'the log': stream([n2, n3]), 'the snapshots': stream([n2, gone]) }), [
    /^NATS server n3 keeps nothing of the snapshots any more/,
  ]);
});

t.test('a server that is far behind is named', async (t) => {
  const behind = (lag: number) => stream([n2, { ...n3, current: false, lag }]);
  t.same(faultsOf({ 'the log': behind(100) }), []);
  t.match(faultsOf({ 'the log': behind(101) }), [
    /^NATS server n3 is 101 entries behind with the log: wait/,
  ]);
});

t.test('a server that was removed and not replaced is missed', async (t) => {
  const lacking = stream([n2]);
  t.same(faultsOf({ 'the log': lacking, 'the snapshots': lacking }), [
    'Only 2 of 3 NATS servers (n1, n2) keep the log and the snapshots: start another one under a new name, which NATS then fills by itself.',
  ]);
  t.match(faultsOf({ 'the log': stream([n2, n3]), 'the snapshots': lacking }), [
    /^Only 2 of 3 NATS servers \(n1, n2\) keep the snapshots: /,
  ]);
  const electing = { ...lacking, cluster: { ...lacking.cluster, leader: '' } };
  t.same(faultsOf({ 'the log': electing }), [], 'while nobody leads it, nobody knows');
});
