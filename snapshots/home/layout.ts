// Where the files of a home are, and what their names mean.

import { join } from 'node:path';

import type { Lsn } from '../journal.ts';

/** The folder of keys and certificates, in a home as in a backup. */
export const pkiName = 'pki';

/** The file in which the first start keeps the generated password. */
export const passwordName = 'admin-password';

/** The report of the migration that made a home; it stays there. */
export const migrationReportName = 'migration.json';

/**
 * An empty file that a migration leaves in the home it makes. The first start that serves the home
 * removes it once it has done what only the first one does.
 */
export const migrationMarkName = 'first-start-after-migration';

/** `<home>/log`, the folder of segments. */
export function logDirectory(home: string): string {
  return join(home, 'log');
}

/** `<home>/snapshots`. */
export function snapshotDirectory(home: string): string {
  return join(home, 'snapshots');
}

/** `<home>/manifest`. */
export function manifestPath(home: string): string {
  return join(home, 'manifest');
}

/** `<home>/cluster`, which only a home of a cluster has. */
export function membershipPath(home: string): string {
  return join(home, 'cluster');
}

/** `<home>/lock`. */
export function lockPath(home: string): string {
  return join(home, 'lock');
}

/** `<home>/log/<16-digit sequence>.log`. */
export function segmentPath(home: string, sequence: number): string {
  return join(logDirectory(home), `${sixteenDigits(sequence)}.log`);
}

/** The sequence in a segment's file name; undefined when the file is not a segment. */
export function sequenceOf(fileName: string): number | undefined {
  return /^\d{16}\.log$/.test(fileName) ? Number(fileName.slice(0, 16)) : undefined;
}

/** File name of the snapshot at `lsn`: 16 digits, so that names sort as LSNs do. */
export function snapshotName(lsn: Lsn): string {
  return `${sixteenDigits(lsn)}.snap`;
}

/** Where the bytes of a torn tail are kept. */
export function tornTailPath(home: string, sequence: number, offset: number): string {
  return join(logDirectory(home), `${sixteenDigits(sequence)}-${offset}.torn`);
}

function sixteenDigits(value: number): string {
  return String(value).padStart(16, '0');
}
