// The manifest: whose home this is and which snapshots count. One small text file, replaced as a
// whole.

import { join } from 'node:path';
import { crc32 } from 'node:zlib';

import type { Disk } from '../src/ports.ts';
import { LogCorrupt, NewerFormat } from './errors.ts';
import type { Lsn } from './journal.ts';
import { manifestPath } from './layout.ts';
import { syncOrFail } from './segment.ts';

/** The manifest format this program writes, and the newest it reads. */
export const manifestFormatVersion = 1;

/** One snapshot that was verified after it was written. */
export interface KeptSnapshot {
  /** File name in `<home>/snapshots`. */
  readonly file: string;
  readonly lsn: Lsn;
  readonly records: number;
  readonly bytes: number;
}

/** What the manifest says. */
export interface Manifest {
  /** 32 hex digits; every file of the home carries them. */
  readonly dataSetId: string;
  /** Newest first. */
  readonly snapshots: readonly KeptSnapshot[];
}

/**
 * Reads the manifest; undefined when there is none.
 * @throws NewerFormat; LogCorrupt when it does not read.
 */
export function readManifest(disk: Disk, home: string): Manifest | undefined {
  const path = manifestPath(home);
  if (!disk.exists(path)) return undefined;
  const text = readWhole(disk, path).toString('utf8');
  const end = text.indexOf('\n');
  const head = /^edge-control manifest (\d+) ([0-9a-f]{8})$/.exec(text.slice(0, end));
  if (head === null) throw damaged(path, 'its first line does not read');
  const version = Number(head[1]);
  if (version > manifestFormatVersion) {
    throw new NewerFormat(path, 'manifest format', version, manifestFormatVersion);
  }
  const body = text.slice(end + 1);
  const sound = version === manifestFormatVersion && checksum(body) === head[2];
  if (!sound) throw damaged(path, 'its checksum does not fit');
  return JSON.parse(body) as Manifest;
}

/** Replaces the manifest durably: temporary file, fdatasync, rename, sync of the directory. */
export function writeManifest(disk: Disk, home: string, manifest: Manifest): void {
  const body = `${JSON.stringify(manifest, null, 2)}\n`;
  const head = `edge-control manifest ${manifestFormatVersion} ${checksum(body)}\n`;
  const path = manifestPath(home);
  replaceFile(disk, path, home, Buffer.from(head + body));
}

/** The whole of a small file. */
export function readWhole(disk: Disk, path: string): Buffer {
  const file = disk.open(path, 'read');
  try {
    return file.read(0, file.size());
  } finally {
    file.close();
  }
}

/** Suffix of files in the making; a start removes those it finds. */
export const temporarySuffix = '.tmp';

function replaceFile(disk: Disk, path: string, directory: string, bytes: Buffer): void {
  const temporary = join(path + temporarySuffix);
  if (disk.exists(temporary)) disk.remove(temporary);
  const file = disk.open(temporary, 'create');
  try {
    file.write([bytes], 0);
    syncOrFail(() => file.sync());
  } finally {
    file.close();
  }
  disk.rename(temporary, path);
  syncOrFail(() => disk.syncDirectory(directory));
}

function checksum(body: string): string {
  return crc32(Buffer.from(body)).toString(16).padStart(8, '0');
}

function damaged(file: string, reason: string): LogCorrupt {
  return new LogCorrupt({ file, offset: 0, lsn: 1 }, reason);
}
