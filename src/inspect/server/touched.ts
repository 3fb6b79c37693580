// Which frames concern a record.

import type { FrameContent } from '../../../snapshots/journal.ts';

/** The frames to find; undefined stands for any. */
export interface TouchedRecord {
  readonly kind: string | undefined;
  readonly id: string | undefined;
}

/** Whether a frame changes such a record, or sent it an event. */
export function touches(
  { changes, events }: Pick<FrameContent, 'changes' | 'events'>,
  { kind, id }: TouchedRecord,
): boolean {
  if (kind === undefined && id === undefined) return true;
  const isMeant = (itsKind: string, itsId: string): boolean =>
    (id === undefined || itsId === id) && (kind === undefined || itsKind === kind);
  return (
    changes.some((change) => isMeant(change.kind, change.id)) ||
    events.some(([itsKind, itsId]) => isMeant(itsKind, itsId))
  );
}
