// What a store hands out for a snapshot, with what stands packed unpacked.

import { unpackRecord } from '../../snapshots/codec.ts';
import type { PackedRecord, StoredRecord } from '../../snapshots/journal.ts';

/** A record of a snapshot as the store knows it. */
export function unpacked(record: StoredRecord | PackedRecord): StoredRecord {
  return 'bytes' in record ? unpackRecord(record.bytes, record.start, record.end) : record;
}
