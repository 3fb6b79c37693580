// The nodes of a cluster that run.

import type { Cluster } from '../../test/system/nats/cluster.ts';
import type { Serving } from '../../test/system/process.ts';

/** A node that was started. @throws Error if it never was */
export function nodeAt({ nodes }: Pick<Cluster, 'nodes'>, index: number): Serving {
  const node = nodes[index];
  if (node === undefined) throw new Error(`node ${index} does not run`);
  return node;
}
