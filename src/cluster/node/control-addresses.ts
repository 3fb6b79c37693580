// Where routers reach a cluster: the addresses of all its nodes
// (behaviour/control-channel#transport).

import type { WatchedCluster } from './watch.ts';

/**
 * The addresses for routers, `tls:host:port`, in the order of the nodes' ids, so that all leaders
 * tell the same. Nodes may share one. Addresses for which no node vouches are left out
 * (behaviour/cluster#members-and-marks), and that of a node which is about to end, unless it is
 * the only one.
 * @param own that of this controller
 */
export function controlAddresses(
  own: string,
  cluster: Pick<WatchedCluster, 'id' | 'members' | 'isLeaving'> | undefined,
): readonly string[] {
  if (cluster === undefined) return [own];
  const { id: ownId, members, isLeaving } = cluster;
  const others = members.filter(({ id, isUnsealed }) => id !== ownId && isUnsealed !== true);
  const stays = !isLeaving || others.every(({ control }) => control === undefined);
  const self = stays ? [{ id: ownId, control: own }] : [];
  const all = [...self, ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...new Set(all.flatMap(({ control }) => control ?? []))];
}
