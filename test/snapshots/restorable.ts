// A home on a simulated disk with a snapshot, a log behind it and a key, for backups and restores.

import { snapshotDirectory } from '../../snapshots/home/layout.ts';
import { openSource, type RestoreTarget } from '../../snapshots/home/restore-source.ts';
import type { FrameContent, StoredRecord } from '../../snapshots/journal.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { openSimulated, putting } from './home.ts';

/** Frames of the home, of an hour each; the snapshot is of the third. */
export const frames: readonly FrameContent[] = Array.from({ length: 8 }, (_, index) => {
  // Long enough that they fill more than one segment.
  const frame = putting(`id-${index % 5}`, `text ${index} ${'x'.repeat(700)}`);
  // The seventh deletes what the second made.
  const changes = index === 6 ? frame.changes.map((change) => ({ ...change, values: null })) : [];
  return { ...frame, ...(index === 6 ? { changes } : {}), timeMs: hour(index + 1) };
});

/** LSN of the snapshot. */
export const snapshotLsn = 3;

/** Path of the snapshot. */
export const snapshotPath = `${snapshotDirectory('/home')}/${String(snapshotLsn).padStart(16, '0')}.snap`;

/** The time of the frame with that LSN. */
export function hour(lsn: number): number {
  return Date.UTC(2026, 10, 21, lsn);
}

/** A home whose process was killed. `times` replaces those of the frames. */
export async function restorableHome(times?: readonly number[]): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(1);
  const { journal, records } = await openSimulated(disk);
  for (const [index, frame] of frames.entries()) {
    journal.append({ ...frame, timeMs: times?.[index] ?? frame.timeMs });
    await journal.flush();
    for (const { kind, id, version, values } of frame.changes) {
      if (values !== null) records.set(id, { kind, id, lsn: index + 1, version, values });
      else records.delete(id);
    }
    if (index + 1 === snapshotLsn) await journal.writeSnapshot([...records.values()]);
  }
  disk.place('/home/pki/ca.pem', Buffer.from('certificate'));
  disk.place('/home/config.json', Buffer.from('{}'));
  return disk.kill();
}

/** The source of a restore, and the records it hands out as a comparable text. */
export function sourceOf(
  disk: SimulatedDisk,
  target: RestoreTarget = {},
  log: string | undefined = '/home/log',
) {
  const evaluated: StoredRecord[] = [];
  const evaluate = (record: StoredRecord) => void evaluated.push(record);
  const source = openSource(disk, { snapshot: snapshotPath, log, target, evaluate });
  const loaded = new Map<string, StoredRecord>();
  const records = source.load((record) => loaded.set(`${record.kind} ${record.id}`, record));
  return { source, records, evaluated, text: textOf(loaded) };
}

/** What the records are after the frame with that LSN. */
export function textAt(lsn: number): string {
  const records = new Map<string, StoredRecord>();
  for (const [index, { changes }] of frames.slice(0, lsn).entries()) {
    for (const { kind, id, version, values } of changes) {
      const key = `${kind} ${id}`;
      if (values === null) records.delete(key);
      else records.set(key, { kind, id, lsn: index + 1, version, values });
    }
  }
  return textOf(records);
}

/** Records as text, whatever order they came in. */
export function textOf(records: ReadonlyMap<string, StoredRecord>): string {
  return JSON.stringify([...records].sort(([a], [b]) => (a < b ? -1 : 1)));
}
