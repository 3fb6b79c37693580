// Files that only their owner may read: contexts and saved sessions.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf, systemCodeOf } from '../../../../snapshots/errors.ts';
import { CommandFailure } from '../command-failure.ts';

/** Contexts and sessions have a few hundred bytes each. @bound */
const privateFileBytesMax = 16 * 1024 * 1024;
/** A process that holds a lock longer has ended without removing it. @bound */
const lockMsMax = 10_000;
const retryMs = 20;

/**
 * The text of a file; undefined without one.
 * @throws CommandFailure for what is no regular file, and for one that others can read
 */
export function readPrivate(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    const isLink = systemCodeOf(error) === 'ELOOP';
    const why = isLink ? 'it is a symbolic link' : reasonOf(error);
    throw CommandFailure.wrong(`${path} cannot be read: ${why}.`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile())
      throw CommandFailure.wrong(`${path} cannot be read: it is no regular file.`);
    if ((stats.mode & 0o077) !== 0) {
      throw CommandFailure.wrong(`${path} can be read by others: chmod 600 ${path}`);
    }
    if (stats.size > privateFileBytesMax) {
      throw CommandFailure.wrong(`${path} has more than ${privateFileBytesMax} bytes.`);
    }
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Changes a file while no other process does: it is written beside and renamed.
 * @param change gets the present text; undefined leaves the file as it is
 * @throws CommandFailure when it cannot be written
 */
export async function changePrivate(
  path: string,
  change: (present: string | undefined) => string | undefined,
  sleep: (delayMs: number) => Promise<void>,
): Promise<void> {
  const lock = `${path}.lock`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await acquire(lock, sleep);
    try {
      const text = change(readPrivate(path));
      if (text !== undefined) replacePrivate(path, text);
    } finally {
      rmSync(lock, { force: true });
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw CommandFailure.wrong(`${path} cannot be written: ${reasonOf(error)}.`);
  }
}

async function acquire(lock: string, sleep: (delayMs: number) => Promise<void>): Promise<void> {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    else await sleep(retryMs);
  }
}

function isAbandoned(lock: string): boolean {
  const stats = statSync(lock, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > lockMsMax;
}

/**
 * Refuses a file that could not be written after something was done that cannot be undone.
 * @throws CommandFailure
 */
export function refuseUnwritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw CommandFailure.wrong(`${path} cannot be written: ${reasonOf(error)}.`);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw CommandFailure.wrong(`${path} cannot be written: it is a directory.`);
}

/** Writes a file beside the one that may be there, and renames it. @throws a system error */
export function replacePrivate(path: string, text: string): void {
  const beside = `${path}.${process.pid}.new`;
  try {
    writeFileSync(beside, text, { mode: 0o600, flush: true });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
