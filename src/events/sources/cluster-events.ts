// Events of the cluster, which its leader tells (behaviour/events#the-cluster).

import type { WatchedCluster } from '../../cluster/node/watch.ts';
import type { EventSink } from '../../observe/events.ts';

/** Tells that this node leads, and from now on which of the other nodes come and go. */
export function tellOfCluster(cluster: WatchedCluster, events: EventSink): void {
  let present = presentIn(cluster);
  events.tell('cluster', { event_type: 'leadership.gained', ...stateOf(cluster) });
  cluster.onMembersRead(() => {
    const before = present;
    present = presentIn(cluster);
    if (!events.wants('cluster')) return;
    const tell = (kind: string, isMeant: (id: string) => boolean) => {
      const peers = peersOf(cluster).filter(({ id }) => isMeant(id));
      if (peers.length > 0) {
        events.tell('cluster', { event_type: kind, ...stateOf(cluster), peers });
      }
    };
    tell('peer.connected', (id) => present.has(id) && !before.has(id));
    tell('peer.disconnected', (id) => before.has(id) && !present.has(id));
  });
}

/** The nodes that write their entries. */
function presentIn(cluster: WatchedCluster): ReadonlySet<string> {
  return new Set(
    cluster.members.filter((member) => !cluster.isAway(member)).map((member) => member.id),
  );
}

function stateOf(cluster: WatchedCluster) {
  return { index: cluster.state.last.lsn, leader_id: cluster.id, peers: peersOf(cluster) };
}

function peersOf({ members }: WatchedCluster) {
  return members.map(({ id, control, version }) => ({ id, addr: control ?? '', version }));
}
