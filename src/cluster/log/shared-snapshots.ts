// Which shared snapshots are kept, and how much of the stream with them.

import type { SharedSnapshot, SharedSnapshots } from '../shared-snapshots.ts';
import type { Stream } from '../stream.ts';

/** The snapshots of a stream, and what they free there. */
export interface SharedLog {
  readonly snapshots: Pick<SharedSnapshots, 'list' | 'remove'>;
  readonly stream: Pick<Stream, 'generation' | 'purge'>;
}

/** The shared snapshots of the stream's generation, the newest first. @throws StreamUnreachable */
export async function sharedIn({
  snapshots,
  stream,
}: SharedLog): Promise<readonly SharedSnapshot[]> {
  return (await snapshots.list()).filter(({ generation }) => generation === stream.generation);
}

/**
 * Keeps so many of the newest snapshots, and the messages from the oldest of these on: its own
 * message stays, so that a node can begin there. That takes no room, however full the store is.
 * @returns the snapshots that there were, the newest first
 * @throws StreamUnreachable
 */
export async function keepShared(
  log: SharedLog,
  count: number,
): Promise<readonly SharedSnapshot[]> {
  const found = await sharedIn(log);
  for (const superfluous of found.slice(count)) await log.snapshots.remove(superfluous);
  const oldest = found[count - 1];
  if (oldest !== undefined && oldest.sequence > 0) await log.stream.purge(oldest.sequence);
  return found;
}
