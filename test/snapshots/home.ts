// A home on a simulated disk with a little data in it, for tests that damage it.

import type { OpenHomeOptions } from '../../snapshots/home/open-options.ts';
import type { FrameContent, Journal } from '../../snapshots/journal.ts';
import { openAndRead, smallBounds } from '../crash/life.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

/** The first segment of a home. */
export const firstSegment = '/home/log/0000000000000001.log';

/** One frame that puts record `id`. */
export function putting(id: string, text = 'text'): FrameContent {
  const change = { kind: 'thing', id, previousLsn: 0, version: 1, values: [id, text] };
  return {
    timeMs: 1000,
    actor: 'tester',
    requestId: 'request',
    operation: 'put',
    causeLsn: 0,
    events: [],
    changes: [change],
  };
}

/** Opens `/home` on `disk`, at level `disk` unless told otherwise. */
export function openSimulated(
  disk: SimulatedDisk,
  clock: SimulatedClock = new SimulatedClock(),
  more: Partial<OpenHomeOptions> = {},
): ReturnType<typeof openAndRead> {
  return openAndRead(disk, clock, more.level ?? 'disk', more);
}

/** Appends one frame a group, each durable before the next. */
export async function putEach(journal: Journal, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    journal.append(putting(id));
    await journal.flush();
  }
}

/**
 * A home with frames for `groups`, one group commit each; the process was killed, or stopped
 * cleanly.
 */
export async function homeWith(
  groups: readonly (readonly string[])[],
  end: 'kill' | 'close' = 'kill',
): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk);
  for (const group of groups) {
    for (const id of group) journal.append(putting(id));
    await journal.flush();
  }
  if (end === 'close') await journal.close();
  return disk.kill();
}

export { smallBounds };
