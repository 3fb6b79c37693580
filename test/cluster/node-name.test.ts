// The name that an operator gives a node stands beside its id wherever people read of the node.

import t from 'tap';
import type { NodeState } from '../../src/cluster/cluster-node.ts';
import { readMember } from '../../src/cluster/nats/member-entry.ts';
import { OwnEntry } from '../../src/cluster/node/member-record.ts';
import { shownNode, shownNodeId } from '../../src/cluster/node/node-name.ts';
import { ClusterWatch } from '../../src/cluster/node/watch.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { createLog } from '../../src/observe/logs.ts';
import { valueIn } from '../monitoring/exposition.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { SimulatedMembers } from '../simulated/members.ts';
import { bootNetwork } from '../simulated/network.ts';
import { leading } from '../simulated/watched-cluster.ts';

const north = memberOf('n1', { name: 'north', role: 'leading' });
const south = memberOf('n2', { name: 'south', atMs: 0 });
const state: NodeState = {
  ...leading,
  role: 'following',
  leaderId: undefined,
  store: undefined,
};

t.test('a node is called by its name and its id, or by its id alone', async (t) => {
  t.equal(shownNode(north), 'north (n1)');
  t.equal(shownNode(memberOf('n3')), 'n3');
  t.equal(shownNodeId('n2', [north, south]), 'south (n2)');
  t.equal(shownNodeId('n9', [north, south]), 'n9');
});

t.test('the entry of a node holds it, and no entry holds another text', async (t) => {
  t.equal(readMember(JSON.stringify(north))?.name, 'north');
  for (const name of ['', '-x', 'a b', 'x'.repeat(65), 7, 'ä']) {
    t.equal(readMember(JSON.stringify({ ...north, name })), undefined, String(name));
  }
  const directory = new SimulatedMembers();
  const clock = new SimulatedClock(1_000_000);
  const entry = new OwnEntry(directory.view(), north, 1, clock);
  entry.halt('it has more than the stream');
  await entry.write(state);
  t.equal(directory.members.get('n1')?.name, 'north');
  t.match(directory.haltReason, /^node north \(n1\) has halted the cluster: /);
});

/** A watch that has read the entries once, and what it has logged. */
async function watched() {
  const directory = new SimulatedMembers();
  for (const member of [north, south]) directory.members.set(member.id, member);
  const clock = new SimulatedClock(1_000_000);
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { log } = createLog({ level: 'info', clock, readable: false, write });
  let now = state;
  const watch = new ClusterWatch({
    id: 'n1',
    state: () => now,
    members: directory.view(),
    clock,
    log,
    clockSkewMs: 500,
    snapshotAgeMs: 3_600_000,
    keyFiles: () => new Map(),
    membersRead: () => undefined,
  });
  await new Promise<void>((resolve) => {
    watch.onMembersRead(resolve);
    watch.start();
  });
  const become = (but: Partial<NodeState>) => {
    now = { ...state, ...but };
    clock.advance(1000);
  };
  return { watch, lines, become };
}

t.test('log, health, metrics, inspector and the list of controllers show it', async (t) => {
  const { watch, lines, become } = await watched();
  t.equal(watch.membersProblem(), 'nodes are away: south (n2)');
  become({ role: 'leading', leaderId: 'n1', term: 4 });
  watch.stop();
  t.match(lines.at(-1), '"node":"north (n1)"');
  t.match(lines.at(-1), '"leader":"north (n1)"');
  const network = await bootNetwork();
  network.core.sources.cluster = watch;
  const text = await createMetrics(network.core.sources).text();
  t.equal(valueIn(text, 'edge_control_cluster_node_info', { id: 'n1', name: 'north' }), 1);
  const processes = network.env.observation.processes().map(({ name }) => name);
  t.match(
    processes.filter((name) => name.startsWith('cluster')),
    ['cluster node north (n1)', 'cluster node south (n2)'],
  );
  const shown = await network.must<readonly { readonly id: string; readonly name: string }[]>(
    'GET',
    'M:/controllers',
  );
  t.equal(shown.find(({ id }) => id === 'n2')?.name, 'south');
  await network.stop();
});
