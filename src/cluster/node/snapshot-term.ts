// The term that a home has after a shared snapshot was put in its place.

import { GroupInvalid, type GroupTrust, readGroup } from '../log/group-message.ts';
import type { SharedSnapshot } from '../shared-snapshots.ts';
import type { Stream, Term } from '../stream.ts';

/**
 * The term of the last frame of a snapshot: that of the message with this frame, which stands in
 * the stream as long as the snapshot is kept. 0 for the snapshot with which a stream begins, before
 * its first leadership; and for a message that is gone or wrong, which the node finds out itself.
 * Rejects with StreamUnreachable.
 */
export async function termOfSnapshot(
  stream: Pick<Stream, 'read'>,
  trust: GroupTrust,
  { sequence }: SharedSnapshot,
): Promise<Term> {
  const message = sequence === 0 ? undefined : await stream.read(sequence);
  if (message === undefined) return 0;
  try {
    return readGroup(message, trust).term;
  } catch (error) {
    if (error instanceof GroupInvalid) return 0;
    throw error;
  }
}
