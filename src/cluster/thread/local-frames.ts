// Looks up a frame in the log of a home while another thread writes it.

import type { Lsn } from '../../../snapshots/journal.ts';
import { LogCursor } from '../../../snapshots/log/log-cursor.ts';
import type { Disk } from '../../platform/ports.ts';

/**
 * The checksum of the frame with this LSN; undefined if the log does not hold it. It reads the
 * segment up to there, some tens of ms at most.
 * @throws LogCorrupt; NewerFormat
 */
export function crcInLog(disk: Disk, home: string, lsn: Lsn): number | undefined {
  const cursor = new LogCursor({ disk, home, fromLsn: lsn, isServed: () => false });
  try {
    while (cursor.bookmark.lsn < lsn) if (cursor.next() === undefined) return undefined;
    const { bookmark } = cursor;
    return bookmark.lsn === lsn ? bookmark.crc : undefined;
  } finally {
    cursor.close();
  }
}
