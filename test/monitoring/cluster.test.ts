// A node of a cluster in health, metrics, inspector and the list of controllers; nothing of it
// without a cluster.

import t from 'tap';
import type { NodeState } from '../../src/cluster/cluster-node.ts';
import type { Member } from '../../src/cluster/membership.ts';
import { type FrontCounterName, frontCounterNames } from '../../src/http/front/connection-table.ts';
import type { FrontCounters } from '../../src/http/front/peers.ts';
import { healthOf } from '../../src/monitoring/health-checks.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { leading, watchedCluster } from '../simulated/watched-cluster.ts';
import { familiesOf, lint, valueIn } from './exposition.ts';

/** Makes the controller of a network the node n1, whose state the test can replace. */
function watching(network: Network, members?: readonly Member[]) {
  const cluster = watchedCluster(members);
  network.core.sources.cluster = cluster;
  return {
    cluster,
    become: (but: Partial<NodeState>, problem = '') => {
      cluster.state = { ...leading, ...but };
      cluster.problem = problem;
      const health = healthOf(network.core.sources);
      const failing = health.checks.filter(({ healthy }) => !healthy);
      return {
        healthy: health.healthy,
        state: health.state,
        failing: failing.map(({ id, message }) => `${id}: ${message}`),
      };
    },
  };
}

t.test('without a cluster there is nothing of it', async (t) => {
  const network = await bootNetwork();
  const { sources, env } = network.core;
  t.notMatch(await createMetrics(sources).text(), 'edge_control_cluster');
  t.notOk(healthOf(sources).checks.some(({ id }) => id.startsWith('cluster')));
  t.notOk(env.observation.processes().some(({ name }) => name.startsWith('cluster')));
  await network.stop();
});

t.test('health of a node in each role', async (t) => {
  const network = await bootNetwork();
  const { become, cluster } = watching(network);
  const well = { healthy: true, state: 'ready', failing: [] };
  t.same(become({}), well);
  t.same(become({ role: 'following', leaderId: 'n2', lagMs: 5000 }), well);
  const trouble = 'no responders';
  t.match(become({ role: 'isolated', trouble }), {
    healthy: false,
    state: 'recovering',
    failing: [/^cluster: the NATS servers do not answer, .* \(no responders\): see to them/],
  });
  t.match(become({ role: 'halted', trouble: 'LSN 7 has CRC 1 and 2' }), {
    healthy: false,
    state: 'failed',
    failing: [/^cluster: the node is halted .*\(LSN 7 has CRC 1 and 2\)/],
  });
  network.core.sources.phase = 'following';
  t.match(become({ role: 'halted' }), { healthy: false, state: 'failed' });
  t.match(become({ role: 'following', leaderId: undefined }), { state: 'recovering' });
  t.same(become({ role: 'following' }), { ...well, state: 'following' });
  network.core.sources.phase = 'serving';
  t.match(become({ role: 'standing' }), { healthy: false, failing: [/^cluster: no node leads/] });
  t.match(become({ role: 'recovering' }), { healthy: false, failing: [/^cluster: .* wait$/] });
  t.match(become({ role: 'recovering', trouble: 'message 7 is missing' }), {
    failing: [/^cluster: .* \(message 7 is missing\): wait$/],
  });
  t.match(become({ role: 'following', leaderId: undefined }), {
    healthy: false,
    state: 'recovering',
    failing: ['cluster: no node leads: see the other nodes'],
  });
  const reasons = ['only 1 of 3 nodes were heard', 'the directory of the nodes did not answer'];
  for (const reason of reasons) {
    t.match(become({ role: 'following', leaderId: undefined, trouble: reason }), {
      failing: [`cluster: no node leads (${reason}): see the other nodes`],
    });
  }
  t.match(become({ role: 'following', lagMs: 5001.25 }), {
    healthy: true,
    state: 'ready',
    failing: [/^cluster-lag: the node is 5001 ms behind/],
  });
  t.match(become({ localLog: 'the local log is stalled: ENOSPC, /home/x' }), {
    healthy: true,
    state: 'ready',
    failing: [/^cluster-log: the log of the home lacks the newest changes, [^/]*the home$/],
  });
  t.match(become({ clockSkewMs: -501.3 }), {
    healthy: true,
    failing: [/^cluster-clock: .* by -501 ms/],
  });
  t.match(become({}, 'nodes are away: n3'), {
    healthy: true,
    failing: ['cluster-members: nodes are away: n3'],
  });
  cluster.storeText = 'no records are created';
  t.match(become({}), {
    healthy: true,
    state: 'ready',
    failing: ['cluster-store: no records are created'],
  });
  await network.stop();
});

t.test('metrics', async (t) => {
  const network = await bootNetwork();
  watching(network, [memberOf('n1'), memberOf('n2'), memberOf('n3')]);
  const counters = Object.fromEntries(frontCounterNames.map((name, index) => [name, index + 1]));
  network.core.sources.listeners = {
    workers: 1,
    watched: [],
    requestsDeferred: 0,
    frontCounters: () => counters as FrontCounters,
  };
  const counted = (name: FrontCounterName) => counters[name];
  const text = await createMetrics(network.core.sources).text();
  t.same(lint(text), []);
  const value = (name: string, labels?: Readonly<Record<string, string>>) =>
    valueIn(text, `edge_control_cluster_${name}`, labels);
  t.equal(value('role', { state: 'leading' }), 1);
  t.equal(value('role', { state: 'following' }), 0);
  t.equal(value('generation'), 2);
  t.equal(value('term'), 3);
  t.equal(value('takeovers_total'), 1);
  t.equal(value('lsn'), 100);
  t.equal(value('lag_seconds'), 0);
  t.equal(value('groups_in_flight'), 2);
  t.equal(value('clock_skew_seconds'), -0.04);
  t.equal(value('stream_bytes'), 700);
  t.equal(value('store_used_bytes', { of: 'The account at NATS' }), 900);
  t.equal(value('store_limit_bytes', { of: 'The account at NATS' }), 1000);
  t.equal(value('store_short'), 1);
  t.equal(value('shared_snapshot_age_seconds'), 61);
  t.equal(value('nodes', { state: 'present' }), 2);
  t.equal(value('nodes', { state: 'away' }), 1);
  t.equal(value('node_connections_open'), counted('nodeConnectionsOpen'));
  t.equal(value('node_connections_refused_total'), counted('nodesRefused'));
  t.equal(value('leader_connections_failed_total'), counted('leaderConnectionsFailed'));
  t.equal(value('tunnels_open'), counted('tunnelsOpen'));
  t.equal(value('tunnels_malformed_total'), counted('tunnelsMalformed'));
  t.equal(value('clients_waiting'), counted('waitingForLeader'));
  t.equal(value('reads_behind'), counted('readsBehind'));
  t.equal(value('clients_closed_total', { reason: 'no_leader' }), counted('closedWithoutLeader'));
  t.equal(value('clients_closed_total', { reason: 'leader_gone' }), counted('closedWithLeader'));
  const front = network.env.observation.processes().find(({ name }) => name.startsWith('TLS'));
  const [open, waiting] = [counted('tunnelsOpen'), counted('waitingForLeader')];
  t.ok(front?.detail.endsWith(`, ${open} tunnels of other nodes, ${waiting} wait for a leader`));
  const named = familiesOf(text).filter(({ name }) => name.startsWith('edge_control_cluster'));
  t.equal(named.length, 23);
  await network.stop();
});

t.test('the inspector shows this node and the others', async (t) => {
  const network = await bootNetwork();
  const { become } = watching(network, [
    memberOf('n1'),
    memberOf('n2'),
    memberOf('n3', { condition: undefined }),
  ]);
  const nodes = () => {
    const all = network.env.observation.processes();
    return all.filter(({ name }) => name.startsWith('cluster'));
  };
  t.same(nodes().slice(0, 2), [
    {
      name: 'cluster node n1',
      state: 'leading',
      meaning: 'good',
      sinceMs: 5,
      detail: 'term 3, leader n1, LSN 100, 2 groups in flight, clock -40 ms, 1 takeovers',
      rates: {},
    },
    {
      name: 'cluster node n2',
      state: 'following',
      meaning: 'good',
      sinceMs: 1_000_000,
      detail: 'n2.example:1280, 1.0.0, term 3, LSN 100, 4 ms behind, 1 takeovers',
      rates: {},
    },
  ]);
  t.match(nodes()[2], { name: 'cluster node n3', state: 'away', detail: /LSN 100$/ });
  become({ role: 'following', leaderId: undefined, lagMs: 70, trouble: 'no responders' });
  t.match(nodes()[0]?.detail, /leader unknown, LSN 100, 70 ms behind, .*, no responders$/);
  await network.stop();
});

t.test('the nodes are the controllers of the network', async (t) => {
  const network = await bootNetwork();
  watching(network, [memberOf('n1'), memberOf('n0'), memberOf('n3')]);
  interface Shown {
    readonly id: string;
    readonly isOnline: boolean;
    readonly apiAddresses: Readonly<Record<string, readonly { readonly url: string }[]>>;
  }
  for (const api of ['M', 'C']) {
    const shown = await network.must<readonly Shown[]>('GET', `${api}:/controllers`);
    t.same(
      shown.map(({ id, isOnline }) => [id, isOnline]),
      [
        ['n0', true],
        ['n1', true],
        ['n3', false],
      ],
    );
    t.equal(
      shown[0]?.apiAddresses['edge-client']?.[0]?.url,
      'https://n0.example:1280/edge/client/v1',
    );
    t.equal(
      shown[1]?.apiAddresses['edge-client']?.[0]?.url,
      `${network.env.addresses.url}/edge/client/v1`,
    );
  }
  const online = await network.must<readonly Shown[]>(
    'GET',
    `M:/controllers?filter=${encodeURIComponent('isOnline = false')}`,
  );
  t.same(
    online.map(({ id }) => id),
    ['n3'],
  );
  await network.stop();
});
