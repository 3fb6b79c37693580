// What a node writes into the directory of the nodes.

import t from 'tap';
import type { NodeState } from '../../src/cluster/cluster-node.ts';
import { memberText, readMember } from '../../src/cluster/nats/member-entry.ts';
import { OwnEntry } from '../../src/cluster/node/member-record.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { SimulatedMembers } from '../simulated/members.ts';
import { leading } from '../simulated/watched-cluster.ts';

t.test('long reasons are shortened, so that the entry is read whole', async (t) => {
  const clock = new SimulatedClock(1_000_000);
  const entry = new OwnEntry(new SimulatedMembers().view(), memberOf('n1'), 1, clock);
  const reason = 'x'.repeat(5000);
  const state: NodeState = {
    ...leading,
    trouble: reason,
    localLog: reason,
    store: { streamBytes: 7, shared: undefined, bounds: [], unsafe: reason },
  };
  const { condition } = readMember(memberText(entry.member(state))) ?? {};
  t.equal(condition?.store?.streamBytes, 7);
  const { trouble, localLog, store } = condition ?? {};
  for (const text of [trouble, localLog, store?.unsafe]) t.equal(text?.length, 1000);
});

t.test('a node that is about to end tells no address for routers', async (t) => {
  const control = 'tls:n1.example:6262';
  const members = new SimulatedMembers().view();
  const entry = new OwnEntry(members, memberOf('n1', { control }), 1, new SimulatedClock(0));
  await entry.write(leading);
  t.match(await members.list(), [{ id: 'n1', control }]);
  entry.leave();
  await entry.write(leading);
  t.match(await members.list(), [{ id: 'n1', control: undefined }]);
});
