// A backup: a directory with a snapshot, the files of the home that a restore needs, and a list of
// them with checksums (format.md, "Backup").

import { dirname, join, normalize } from 'node:path';

import type { TreeDisk } from '../../src/platform/ports.ts';
import { RestoreRefused, reasonOf, systemCodeOf } from '../errors.ts';
import type { Lsn } from '../journal.ts';
import { readSnapshot } from '../snapshot/snapshot-file.ts';
import { writeNewFile } from './file-access.ts';
import { copyFile, digestFile, type FileDigest } from './file-copy.ts';
import { type HeadedFormat, headedText, isRecord, readHeaded } from './headed-json.ts';
import { makeWhole } from './whole-directory.ts';

/** The backup format this program writes, and the newest it reads. */
const backupFormatVersion = 1;

/** The file that lists the others, with their checksums. */
export const contentsName = 'contents';

/** The snapshot in a backup. */
export const recordsName = 'records.snap';

/** One file of a backup. */
export interface BackupFile extends FileDigest {
  /** Relative, with `/`: the path in the backup and in the home. */
  readonly path: string;
}

/** A file that the home needs but that is stored elsewhere: its owner backs it up. */
export interface FileElsewhere {
  /** Key of the setting that names the file. */
  readonly setting: string;
  readonly path: string;
}

/** The content of `contents`. */
export interface BackupContents {
  /** Release of the program that wrote it. */
  readonly release: string;
  /** 32 hex digits. */
  readonly dataSetId: string;
  readonly lsn: Lsn;
  /** When the frame of that LSN was written, in ISO 8601. */
  readonly time: string;
  readonly records: number;
  /** Digest of the snapshot; `files` has those of the home's files. */
  readonly snapshot: FileDigest;
  readonly files: readonly BackupFile[];
  readonly elsewhere: readonly FileElsewhere[];
}

/** The parts that go into a backup. */
export interface BackupOrder {
  readonly release: string;
  readonly home: string;
  /** Path of the snapshot. */
  readonly snapshot: string;
  /** Files of the home, as paths relative to it. */
  readonly files: readonly string[];
  readonly elsewhere: readonly FileElsewhere[];
}

/**
 * Writes a backup to `directory`, which must be empty or missing. After a crash, either nothing or
 * all of it is there. Everything is read back before the backup counts.
 * @throws RestoreRefused when the directory is not empty, or a copy differs; any error of the disk,
 *   with nothing left behind
 */
export function writeBackup(disk: TreeDisk, directory: string, order: BackupOrder): BackupContents {
  refuseIfTaken(disk, directory);
  return makeWhole(disk, { target: directory }, (draft) => {
    const snapshot = copyFile(disk, order.snapshot, join(draft, recordsName));
    const { dataSetId, lsn, timeMs, records } = readSnapshot(disk, join(draft, recordsName));
    const copies = order.files.map((path) => ({ from: join(order.home, path), path }));
    const files = copyFiles(disk, copies, draft);
    const { release, elsewhere } = order;
    const time = new Date(timeMs).toISOString();
    const contents = { release, dataSetId, lsn, time, records, snapshot, files, elsewhere };
    writeNewFile(disk, join(draft, contentsName), headedText(format, contents));
    return contents;
  });
}

/** A file, and its place below the directory that it is copied to. */
export interface FileCopy {
  readonly from: string;
  readonly path: string;
}

/** Copies files to their places below `to`. All is durable except for names in `to` itself. */
export function copyFiles(disk: TreeDisk, copies: readonly FileCopy[], to: string): BackupFile[] {
  const copied = copies.map(({ from, path }) => {
    disk.makeDirectory(dirname(join(to, path)));
    return { path, ...copyFile(disk, from, join(to, path)) };
  });
  const directories = new Set<string>();
  for (const { path } of copies) {
    for (let at = dirname(path); at !== '.'; at = dirname(at)) directories.add(at);
  }
  for (const path of [...directories].sort().toReversed()) disk.syncDirectory(join(to, path));
  return copied;
}

/** Whether `path` is the directory of a backup, intact or not. */
export function isBackup(disk: TreeDisk, path: string): boolean {
  return disk.exists(join(path, contentsName));
}

/**
 * Reads a backup's list of files and checks each file against its checksum.
 * @throws RestoreRefused for the first file that is missing or differs; NewerFormat
 */
export function readBackup(disk: TreeDisk, directory: string): BackupContents {
  const path = join(directory, contentsName);
  const damaged = (reason: string) => new RestoreRefused(`${path} is damaged: ${reason}.`);
  const contents = readHeaded(disk, path, { format, isFit: isContents, damaged });
  for (const { path: name } of contents.files) {
    if (!isPlain(name)) throw new RestoreRefused(`${path} names ${name}, which no backup holds.`);
  }
  const all = [...contents.files, { path: recordsName, ...contents.snapshot }];
  for (const { path: name, bytes, sha256 } of all) {
    const found = digestOf(disk, join(directory, name));
    if (found.sha256 === sha256) continue;
    const size = found.bytes === bytes ? '' : `: ${found.bytes} bytes instead of ${bytes}`;
    throw new RestoreRefused(`${join(directory, name)} is not what was backed up${size}.`);
  }
  return contents;
}

const format: HeadedFormat = { name: 'backup', version: backupFormatVersion };

function isContents(value: unknown): value is BackupContents {
  if (!isRecord(value) || !isDigest(value['snapshot'])) return false;
  const { release, dataSetId, lsn, time, records, files, elsewhere } = value;
  const hasTexts = [release, dataSetId, time].every((text) => typeof text === 'string');
  const hasNumbers = [lsn, records].every((number) => typeof number === 'number');
  if (!hasTexts || !hasNumbers || !Array.isArray(files) || !Array.isArray(elsewhere)) return false;
  return files.every(isFile) && elsewhere.every(isElsewhere);
}

function isDigest(value: unknown): value is FileDigest {
  if (!isRecord(value)) return false;
  return typeof value['bytes'] === 'number' && typeof value['sha256'] === 'string';
}

function isFile(value: unknown): value is BackupFile {
  return isRecord(value) && typeof value['path'] === 'string' && isDigest(value);
}

function isElsewhere(value: unknown): value is FileElsewhere {
  if (!isRecord(value)) return false;
  return typeof value['setting'] === 'string' && typeof value['path'] === 'string';
}

/** Names that a restore creates itself, so no file of a backup may use them. */
const madeByRestore = new Set(['manifest', 'lock', 'log', 'snapshots']);

/** Whether a path stays below its directory and avoids the names that a restore creates. */
function isPlain(path: string): boolean {
  const isBelow = normalize(path) === path && !/^(\/|\.\.(\/|$))|\0/.test(path) && path !== '.';
  return isBelow && !madeByRestore.has(path.split('/')[0] ?? '');
}

function digestOf(disk: TreeDisk, path: string): FileDigest {
  try {
    return digestFile(disk, path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    throw new RestoreRefused(`${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function refuseIfTaken(disk: TreeDisk, directory: string): void {
  if (!disk.exists(directory) || isEmptyDirectory(disk, directory)) return;
  throw new RestoreRefused(`${directory} exists already: no backup is written over anything.`);
}

function isEmptyDirectory(disk: TreeDisk, path: string): boolean {
  try {
    return disk.entries(path).length === 0;
  } catch {
    return false;
  }
}
