// A node of a cluster as health, metrics and the inspector see it.

import type { NodeState } from '../../src/cluster/cluster-node.ts';
import type { Member } from '../../src/cluster/membership.ts';
import type { WatchedCluster } from '../../src/cluster/node/watch.ts';
import { memberOf } from './cluster-servers.ts';

/** A node that leads, over a store that is nearly full. */
export const leading: NodeState = {
  role: 'leading',
  generation: 2,
  term: 3,
  last: { lsn: 100, crc: 7 },
  sequence: 95,
  leaderId: 'n1',
  lagMs: 0,
  inFlight: 2,
  clockSkewMs: -40,
  takeovers: 1,
  trouble: undefined,
  localLog: undefined,
  store: {
    streamBytes: 700,
    shared: { lsn: 90, bytes: 30, atMs: 5 },
    bounds: [{ of: 'The account at NATS', usedBytes: 900, bytesMax: 1000, copies: 3 }],
  },
};

/** The node n1, whose parts a test can replace; n3 is away. */
export function watchedCluster(members: readonly Member[] = [memberOf('n1')]) {
  const cluster = {
    id: 'n1',
    state: leading,
    roleSinceMs: 5,
    members,
    clockSkewMsMax: 500,
    isAway: ({ id }: Member) => id === 'n3',
    problem: '',
    membersProblem: () => cluster.problem,
    isShort: true,
    sharedAgeMs: 61_000,
    storeText: '',
    storeProblem: () => cluster.storeText,
    isLeaving: false,
    keyFiles: () => new Map([['ca.pem', Buffer.from('a CA')]]),
    onMembersRead: () => undefined,
    stepDown: () => undefined,
  };
  return cluster satisfies WatchedCluster;
}
