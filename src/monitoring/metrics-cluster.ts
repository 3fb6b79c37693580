// Metrics of the node of a cluster; without a cluster there are none of them.

import type { NodeState } from '../cluster/cluster-node.ts';
import type { WatchedCluster } from '../cluster/node/watch.ts';
import type { StoreBound } from '../cluster/shared-snapshots.ts';
import type { FrontCounters } from '../http/front/peers.ts';
import {
  byLabel,
  counter,
  type Definitions,
  gauge,
  type LabelledValue,
  seconds,
  states,
} from './metric.ts';

/** Metrics of this node, and of the entries of the others. */
export const clusterMetrics: Definitions<WatchedCluster> = {
  edge_control_cluster_role: states(
    '1 for the role that this node has.',
    ['recovering', 'following', 'standing', 'leading', 'isolated', 'halted'],
    ({ state }) => state.role,
  ),
  edge_control_cluster_node_info: gauge(
    'Always 1, with the id of this node and the name that its operator gave it.',
    ({ id, members }) => {
      const name = members.find((member) => member.id === id)?.name ?? '';
      return [[1, { id, name }]];
    },
  ),
  edge_control_cluster_generation: gauge(
    'The generation of the stream: it grows with each reseed.',
    ({ state }) => state.generation,
  ),
  edge_control_cluster_term: gauge(
    'The number of the newest leadership that this node knows of.',
    ({ state }) => state.term,
  ),
  edge_control_cluster_takeovers_total: counter(
    'Changes of the leader that this node has seen since its start.',
    ({ state }) => state.takeovers,
  ),
  edge_control_cluster_lsn: gauge(
    'The last frame that is confirmed and, on a follower, applied.',
    ({ state }) => state.last.lsn,
  ),
  edge_control_cluster_lag_seconds: gauge(
    'How long after the NATS servers had it this node applied the newest message.',
    ({ state }) => seconds(state.lagMs),
  ),
  edge_control_cluster_groups_in_flight: gauge(
    'Groups of frames that are published and not confirmed.',
    ({ state }) => state.inFlight,
  ),
  edge_control_cluster_clock_skew_seconds: gauge(
    'By how much the clock of this node is ahead of that of the NATS servers.',
    ({ state }) => seconds(state.clockSkewMs),
  ),
  edge_control_cluster_stream_bytes: gauge(
    'What the log takes at NATS, without its copies.',
    ({ state }) => state.store?.streamBytes,
  ),
  edge_control_cluster_store_used_bytes: gauge(
    'What NATS keeps, by whose limit it counts for.',
    ({ state }) => ofBounds(state, ({ usedBytes }) => usedBytes),
  ),
  edge_control_cluster_store_limit_bytes: gauge(
    'What NATS keeps at most, by whose limit that is.',
    ({ state }) => ofBounds(state, ({ bytesMax }) => bytesMax),
  ),
  edge_control_cluster_store_short: gauge(
    '1 while NATS has too little room, and no records are created.',
    ({ isShort }) => Number(isShort),
  ),
  edge_control_cluster_shared_snapshot_age_seconds: gauge(
    'Age of the newest snapshot that all nodes can load, or time since the first change after it if that is shorter.',
    ({ sharedAgeMs }) => sharedAgeMs && seconds(sharedAgeMs),
  ),
  edge_control_cluster_nodes: gauge('Nodes by whether they were heard of lately.', (cluster) => {
    const away = cluster.members.filter((member) => cluster.isAway(member)).length;
    return byLabel('state', [
      ['present', cluster.members.length - away],
      ['away', away],
    ]);
  }),
};

function ofBounds(
  { store }: NodeState,
  figure: (bound: StoreBound) => number,
): readonly LabelledValue[] {
  return (store?.bounds ?? []).map((bound) => [figure(bound), { of: bound.of }]);
}

/** Metrics of the TLS front of a node: what it relays to the leader, or takes from other nodes. */
export const clusterFrontMetrics: Definitions<FrontCounters> = {
  edge_control_cluster_node_connections_open: gauge(
    'Connections of the fronts of other nodes that are open at this one.',
    ({ nodeConnectionsOpen }) => nodeConnectionsOpen,
  ),
  edge_control_cluster_node_connections_refused_total: counter(
    'Connections to the port for nodes that came from no node of this cluster, or were too many.',
    ({ nodesRefused }) => nodesRefused,
  ),
  edge_control_cluster_leader_connections_failed_total: counter(
    'Connections of this front to the leader that failed or broke.',
    ({ leaderConnectionsFailed }) => leaderConnectionsFailed,
  ),
  edge_control_cluster_tunnels_open: gauge(
    'Clients and routers of other fronts that this node serves.',
    ({ tunnelsOpen }) => tunnelsOpen,
  ),
  edge_control_cluster_tunnels_malformed_total: counter(
    'Tunnels of other nodes whose first bytes were not valid.',
    ({ tunnelsMalformed }) => tunnelsMalformed,
  ),
  edge_control_cluster_clients_waiting: gauge(
    'Clients and routers at this front that wait for a leader.',
    ({ waitingForLeader }) => waitingForLeader,
  ),
  edge_control_cluster_reads_behind: gauge(
    'Reads of clients of this front that wait for the leader because this node is behind.',
    ({ readsBehind }) => readsBehind,
  ),
  edge_control_cluster_clients_closed_total: counter(
    'Connections that this front closed as no leader came in time, or with the leader they had.',
    ({ closedWithoutLeader, closedWithLeader }) => [
      [closedWithoutLeader, { reason: 'no_leader' }],
      [closedWithLeader, { reason: 'leader_gone' }],
    ],
  ),
};
