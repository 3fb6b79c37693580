// API sessions whose deletion the peer had begun: it notes them as events that are carried out
// later.

import type { PeerNetwork } from '../peer/entity.ts';

/** The byte before a text, where a value has a type. */
const textType = 5;

/**
 * The ids of these API sessions.
 * @throws SourceDamaged for an event that cannot be read, because a session could come back by it
 */
export function endingSessions(network: PeerNetwork): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const event of network.entities('eventualEvents')) {
    if (event.text('type') !== 'ApiSessionDelete') continue;
    const data = event.bytes('data') ?? Buffer.alloc(0);
    ids.add((data[0] === textType ? data.subarray(1) : data).toString());
  }
  return ids;
}
