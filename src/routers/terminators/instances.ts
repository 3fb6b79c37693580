// Instances: terminators of one service that clients tell apart by an instance id
// (behaviour/control-channel#terminators).

import type { TerminatorRecord } from '../../records/terminator.ts';
import type { Table } from '../../store/table.ts';

/**
 * The id of a terminator of the same service and instance id, but of another host; undefined when
 * there is none.
 */
export function foreignSibling(
  table: Table<TerminatorRecord>,
  wanted: Pick<TerminatorRecord, 'id' | 'service' | 'identity' | 'hostId'>,
): string | undefined {
  if (wanted.identity === '') return undefined;
  const ofInstance = table.group('identity').count(wanted.identity);
  const ofService = table.group('service').count(wanted.service);
  // Some hosts give all their services one instance id; some services have many instances.
  const rows =
    ofInstance <= ofService
      ? table.members('identity', wanted.identity)
      : table.members('service', wanted.service);
  for (const { record } of rows) {
    const isSibling =
      record.id !== wanted.id &&
      record.service === wanted.service &&
      record.identity === wanted.identity;
    if (isSibling && record.hostId !== wanted.hostId) return record.id;
  }
  return undefined;
}
