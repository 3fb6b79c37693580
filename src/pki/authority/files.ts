// Small text files on a Disk: read completely with a sentence for each failure, replaced so that a
// crash leaves the old or the new text.

import { basename, dirname } from 'node:path';
import { withFile, writeNewFile } from '../../../snapshots/home/file-access.ts';
import type { Disk } from '../../ports.ts';
import { PkiProblem } from '../problem.ts';

/** Key or certificate file that is read: a bundle of some hundred certificates. @bound */
const pkiFileBytesMax = 1024 * 1024;

/**
 * The text of the file at `path`; `label` is its name for the operator (`pki.serverKey`, a file
 * name).
 * @throws PkiProblem when it cannot be read or is longer than `pkiFileBytesMax`.
 */
export function readText(disk: Disk, path: string, label: string): string {
  try {
    return withFile(disk, path, 'read', (file) => {
      const size = file.size();
      if (size > pkiFileBytesMax) {
        throw new PkiProblem(
          `${label}: ${path} is ${size} bytes long, too long for keys or certificates.`,
        );
      }
      return file.read(0, size).toString('utf8');
    });
  } catch (error) {
    if (error instanceof PkiProblem) throw error;
    throw new PkiProblem(`${label}: ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

/**
 * Writes `text` to the file at `path` durably: after a crash it holds the old text or the new.
 * @throws PkiProblem when it cannot be written.
 */
export function replaceText(disk: Disk, path: string, text: string): void {
  const draft = `${path}.new`;
  try {
    if (disk.exists(draft)) disk.remove(draft);
    writeNewFile(disk, draft, text);
    disk.rename(draft, path);
    disk.syncDirectory(dirname(path));
  } catch (error) {
    throw new PkiProblem(`${basename(path)}: ${path} cannot be written: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/** The reason why a disk call failed, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return reasons[code] ?? error.message;
}
