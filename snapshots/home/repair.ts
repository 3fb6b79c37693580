// Makes the log writable again: copies and cuts a torn tail, rewrites the last batch, and removes
// superfluous segments.

import type { Disk } from '../../src/platform/ports.ts';
import { zeroBlock } from '../binary.ts';
import type { RecoveryReport } from '../journal.ts';
import type { LogPosition } from '../log/log-writer.ts';
import type { LogRepair } from '../log/replay.ts';
import { AheadSegment, syncOrFail } from '../log/segment.ts';
import { withFile } from './file-access.ts';
import { logDirectory, tornTailPath } from './layout.ts';

/** The facts about a home that a repair needs. */
export interface RepairOrder {
  readonly dataSetId: string;
  readonly segmentBytes: number;
  readonly position: LogPosition;
  readonly repair: LogRepair;
  /** For the log of a cluster: the newest term in it. */
  readonly clusterTerm?: number | undefined;
}

/**
 * Carries out the repair that replay found. It can be repeated after a crash at any point. Segments
 * given up by `--recover-to` stay beside the log as `<name>.cut`.
 */
export function repairLog(
  disk: Disk,
  home: string,
  order: RepairOrder,
): RecoveryReport['tornTail'] {
  const { repair, position } = order;
  // Starts with the last one, so that a crash in between leaves no gap.
  for (const segment of repair.superfluous.toReversed()) {
    if (segment.header === undefined) disk.remove(segment.path);
    else disk.rename(segment.path, `${segment.path}.cut`);
  }
  syncOrFail(() => disk.syncDirectory(logDirectory(home)));
  if (repair.beginAnew) {
    beginSegment(disk, home, order);
    return undefined;
  }
  const torn = keepTornTail(disk, home, repair);
  rewriteEnd(disk, repair);
  return torn && { ...torn, offset: position.offset };
}

/** The first segment of a log, or of a log that restarts after a snapshot. */
export function beginSegment(
  disk: Disk,
  home: string,
  start: Pick<RepairOrder, 'dataSetId' | 'segmentBytes' | 'position' | 'clusterTerm'>,
): void {
  const { dataSetId, segmentBytes, position, clusterTerm: term } = start;
  const segment = new AheadSegment(disk, home, position.sequence, segmentBytes);
  const { sequence, lsn, crc } = position;
  const base = { dataSetId, sequence, firstLsn: lsn + 1, previousCrc: crc };
  segment.begin({ ...base, term: term ?? 0, isClustered: term !== undefined }).close();
}

function keepTornTail(
  disk: Disk,
  home: string,
  repair: LogRepair,
): { readonly file: string; readonly bytes: number; readonly copy: string } | undefined {
  const { path, sequence, cutFrom, cutTo } = repair;
  if (cutTo === cutFrom) return undefined;
  const copy = tornTailPath(home, sequence, cutFrom);
  const tail = withFile(disk, path, 'read', (source) => source.read(cutFrom, cutTo - cutFrom));
  if (disk.exists(copy)) disk.remove(copy);
  withFile(disk, copy, 'create', (file) => {
    file.write([tail], 0);
    syncOrFail(() => file.sync());
  });
  syncOrFail(() => disk.syncDirectory(logDirectory(home)));
  return { file: path, bytes: tail.length, copy };
}

/**
 * The last batch was read from the system's cache. A sync that failed before the process ended may
 * have left it there without writing it to disk, and a later sync would not report that. So it is
 * written once more.
 */
function rewriteEnd(disk: Disk, { path, rewriteFrom, cutFrom, cutTo }: LogRepair): void {
  withFile(disk, path, 'edit', (file) => {
    if (cutFrom > rewriteFrom)
      file.write([file.read(rewriteFrom, cutFrom - rewriteFrom)], rewriteFrom);
    for (let at = cutFrom; at < cutTo; at += zeroBlock.length) {
      file.write([zeroBlock.subarray(0, Math.min(zeroBlock.length, cutTo - at))], at);
    }
    syncOrFail(() => file.sync());
  });
}
