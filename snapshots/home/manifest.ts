// The manifest: the data set of a home and the snapshots that count. It is one small text file,
// replaced as a whole.

import type { Disk } from '../../src/platform/ports.ts';
import { LogCorrupt } from '../errors.ts';
import type { KeptSnapshot, Lsn } from '../journal.ts';
import { syncOrFail } from '../log/segment.ts';
import { withFile } from './file-access.ts';
import { headedText, isRecord, readHeaded } from './headed-json.ts';
import { manifestPath } from './layout.ts';

/** The manifest format this program writes, and the newest it reads. */
const format = { name: 'manifest', version: 1 };

/** Suffix of files that are not complete; a start removes those it finds. */
export const temporarySuffix = '.tmp';

/** The content of the manifest. */
export interface Manifest {
  /** 32 hex digits; every file of the home carries them. */
  readonly dataSetId: string;
  /** Newest first. */
  readonly snapshots: readonly KeptSnapshot[];
  /**
   * The number of the last time from which on LSNs may have been given out again: `--recover-to`
   * has cut the log, the home has left its cluster, or a crash may have lost acknowledged frames.
   * Absent for never. It grows each time, and is at least that of the seconds since 1970, because a
   * manifest that was rebuilt does not know the former.
   */
  readonly lastCut?: number;
  /**
   * For a home that a restore created: the data set its records came from. For information only.
   */
  readonly restoredFrom?: { readonly dataSetId: string; readonly lsn: Lsn; readonly atMs: number };
}

/**
 * Reads the manifest; undefined when there is none.
 * @throws NewerFormat; LogCorrupt when it is unreadable.
 */
export function readManifest(disk: Disk, home: string): Manifest | undefined {
  const path = manifestPath(home);
  if (!disk.exists(path)) return undefined;
  const damaged = (reason: string) => new LogCorrupt({ file: path, offset: 0, lsn: 1 }, reason);
  return readHeaded(disk, path, { format, isFit: isManifest, damaged });
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || typeof value['dataSetId'] !== 'string') return false;
  const { snapshots } = value;
  return Array.isArray(snapshots) && snapshots.every(isKept);
}

function isKept(value: unknown): boolean {
  if (!isRecord(value) || typeof value['file'] !== 'string') return false;
  return ['lsn', 'records', 'bytes'].every((name) => typeof value[name] === 'number');
}

/** Replaces the manifest durably: temporary file, fdatasync, rename, sync of the directory. */
export function writeManifest(disk: Disk, home: string, manifest: Manifest): void {
  const path = manifestPath(home);
  const temporary = path + temporarySuffix;
  if (disk.exists(temporary)) disk.remove(temporary);
  withFile(disk, temporary, 'create', (file) => {
    file.write([Buffer.from(headedText(format, manifest))], 0);
    syncOrFail(() => file.sync());
  });
  disk.rename(temporary, path);
  syncOrFail(() => disk.syncDirectory(home));
}
