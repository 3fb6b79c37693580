// The invariants of the files of a home: at any moment, after a start, and after a snapshot.

import { readManifest } from '../../snapshots/home/manifest.ts';
import type { KeptSnapshot } from '../../snapshots/journal.ts';
import { listSegments } from '../../snapshots/log/segment-list.ts';
import { readSnapshot } from '../../snapshots/snapshot/snapshot-file.ts';
import type { Disk } from '../../src/platform/ports.ts';
import { type Model, type Records, textOf } from './model.ts';

const home = '/home';

/**
 * At any moment, also in what a crash leaves: a snapshot that the manifest names is there, whole,
 * and holds the records as of its LSN. @throws for one that is not or does not
 */
export function checkSnapshots(disk: Disk, model: Model): void {
  const manifest = readManifest(disk, home);
  if (manifest === undefined) {
    if (model.acknowledgedLsn > 0) throw new Error('the manifest is gone');
    return;
  }
  let newer = Number.POSITIVE_INFINITY;
  for (const kept of manifest.snapshots) {
    if (kept.lsn >= newer) throw new Error('the manifest is not newest first');
    newer = kept.lsn;
    checkSnapshot(disk, model, kept);
  }
}

/** Behind a start: nothing lies about but what counts, and the bytes of torn tails. */
export function checkTidy(disk: Disk): void {
  sameNames('the home', disk.list(home), ['lock', 'manifest']);
  sameNames('its snapshots', disk.list(`${home}/snapshots`), namedSnapshots(disk));
  const strange = disk
    .list(`${home}/log`)
    .filter((name) => !/^\d{16}(\.log|-\d+\.torn)$/.test(name));
  sameNames('strangers in its log', strange, []);
}

/** Behind a snapshot that was kept: the older ones, and the log that nobody needs, are gone. */
export function checkDropped(disk: Disk, kept: KeptSnapshot, snapshotsKept: number): void {
  const snapshots = readManifest(disk, home)?.snapshots ?? [];
  if (snapshots[0]?.file !== kept.file) throw new Error(`${kept.file} is not in the manifest`);
  if (snapshots.length > snapshotsKept) throw new Error(`${snapshots.length} snapshots are kept`);
  sameNames('the snapshots', disk.list(`${home}/snapshots`), namedSnapshots(disk));
  const oldest = snapshots.at(-1)?.lsn ?? 0;
  const [first, second] = listSegments(disk, home).map(({ header }) => header?.firstLsn);
  if (first === undefined || first > oldest + 1) {
    throw new Error(`the log begins with ${first}, behind LSN ${oldest}`);
  }
  // The one before may stay as long as nothing in the next one is known to be durable.
  const isNeeded = second === undefined || second > oldest || snapshots.length < snapshotsKept;
  if (!isNeeded) throw new Error(`the segment before LSN ${second} is still there`);
}

/** Behind a snapshot that failed while the disk lived: its file is gone. */
export function checkGivenUp(disk: Disk): void {
  const left = disk.list(`${home}/snapshots`).filter((name) => name.endsWith('.tmp'));
  sameNames('what a failed snapshot left', left, []);
}

function checkSnapshot(disk: Disk, model: Model, { file, lsn, records }: KeptSnapshot) {
  const path = `${home}/snapshots/${file}`;
  const found: Records = new Map();
  const header = readSnapshot(disk, path, (record) => {
    const key = `${record.kind} ${record.id}`;
    if (found.has(key)) throw new Error(`${file} holds ${key} twice`);
    found.set(key, record);
  });
  if (header.lsn !== lsn || Number(file.slice(0, 16)) !== lsn) {
    throw new Error(`${file} says LSN ${header.lsn}, the manifest ${lsn}`);
  }
  if (found.size !== records) throw new Error(`${file} holds ${found.size}, not ${records}`);
  const text = textOf(found);
  const expected = model.stateAt(lsn);
  if (text !== expected) throw new Error(`${file} holds ${text}, not ${expected}`);
}

function namedSnapshots(disk: Disk): string[] {
  const snapshots = readManifest(disk, home)?.snapshots ?? [];
  return snapshots.map(({ file }) => file).sort();
}

function sameNames(what: string, found: readonly string[], expected: readonly string[]): void {
  if (found.join() !== expected.join()) throw new Error(`${what}: [${found}], not [${expected}]`);
}
