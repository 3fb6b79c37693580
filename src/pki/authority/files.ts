// Small text files on a Disk: read completely with a sentence for each failure, replaced so that a
// crash leaves the old or the new text.

import { basename, dirname } from 'node:path';
import { withFile, writeNewFile } from '../../../snapshots/home/file-access.ts';
import type { Disk } from '../../platform/ports.ts';
import { PkiProblem } from '../problem.ts';

/** Key or certificate file that is read: a bundle of some hundred certificates. @bound */
export const pkiFileBytesMax = 1024 * 1024;

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
  replaceTexts(disk, new Map([[path, text]]));
}

/**
 * The same for several files, by their paths. All are written beside their places before the first
 * takes its place, so that a full disk leaves all as they were.
 * @throws PkiProblem when one cannot be written.
 */
export function replaceTexts(disk: Disk, texts: ReadonlyMap<string, string>): void {
  const drafts = new Map<string, string>();
  let current = '';
  try {
    for (const [path, text] of texts) {
      current = path;
      const draft = `${path}.new`;
      if (disk.exists(draft)) disk.remove(draft);
      drafts.set(draft, path);
      writeNewFile(disk, draft, text);
    }
    for (const [draft, path] of drafts) {
      current = path;
      disk.rename(draft, path);
    }
    for (const directory of new Set([...texts.keys()].map(dirname))) disk.syncDirectory(directory);
  } catch (error) {
    for (const draft of drafts.keys()) discard(disk, draft);
    throw new PkiProblem(
      `${basename(current)}: ${current} cannot be written: ${reasonOf(error)}.`,
      { cause: error },
    );
  }
}

/** What cannot be removed is replaced by the next attempt. */
function discard(disk: Disk, draft: string): void {
  try {
    if (disk.exists(draft)) disk.remove(draft);
  } catch {
    // The first failure is the one to tell.
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
