// The database file of the peer while it is read: locked as the peer locks it, and watched for
// changes. Nothing is ever written to it.

import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { reasonOf } from '../pki/authority/files.ts';
import type { DiskFile } from '../platform/ports.ts';
import { type LockTools, lockShared, systemLockTools } from './source-lock.ts';
import { SourceDamaged, SourceRefused } from './source-problem.ts';

/** A database file that is open and locked until `close`. */
export interface SourceFile {
  /** Its path without symbolic links, which are followed once, when it is opened. */
  readonly path: string;
  readonly bytes: number;
  /** Its bytes. It is closed with the whole, and writing to it throws. */
  readonly file: DiskFile;
  /** A sentence for the report where its lock could not be taken; undefined where it was. */
  readonly notice: string | undefined;
  /** SHA-256 of the whole file, as `sha256sum` prints it. Reads all of it. */
  sha256(): string;
  /** @throws SourceDamaged if the file is another one than it was when it was opened */
  requireUnchanged(): void;
  /** Lets the lock go. */
  close(): void;
}

/**
 * Opens and locks a database.
 * @throws SourceRefused for a path that leads to no regular file, and for a database that its
 *   controller holds open
 */
export function openSourceFile(given: string, tools: LockTools = systemLockTools): SourceFile {
  const { path, descriptor } = opened(given);
  try {
    const notice = lockShared({ path, descriptor }, tools);
    const stats = fstatSync(descriptor, { bigint: true });
    return {
      path,
      bytes: Number(stats.size),
      file: readOnly(descriptor),
      notice,
      sha256: () => digestOf(descriptor),
      requireUnchanged: () => {
        const now = statSync(path, { bigint: true, throwIfNoEntry: false });
        if (isUnchanged(stats, now)) return;
        throw new SourceDamaged(
          `${path} was changed while it was read, so that nothing of it can be relied on: stop the controller, or read a snapshot of it.`,
        );
      },
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** A pipe would be waited for, and a device never ends. */
function opened(given: string): { readonly path: string; readonly descriptor: number } {
  let path = given;
  let descriptor: number;
  try {
    path = realpathSync(given);
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new SourceRefused(`${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
  if (fstatSync(descriptor).isFile()) return { path, descriptor };
  closeSync(descriptor);
  throw new SourceRefused(`${path} cannot be read: it is no regular file.`);
}

function isUnchanged(before: BigIntStats, now: BigIntStats | undefined): boolean {
  return (
    now !== undefined &&
    now.dev === before.dev &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mtimeNs === before.mtimeNs
  );
}

function digestOf(descriptor: number): string {
  const hash = createHash('sha256');
  const room = Buffer.allocUnsafeSlow(digestPieceBytes);
  for (let position = 0; ; ) {
    const got = readSync(descriptor, room, 0, room.length, position);
    if (got === 0) return hash.digest('hex');
    hash.update(room.subarray(0, got));
    position += got;
  }
}

/** What is read of the file at once: hashing needs no more memory for a larger file. */
const digestPieceBytes = 1024 * 1024;

function readOnly(descriptor: number): DiskFile {
  const refuse = () => {
    throw new Error('the database of the peer is never written to');
  };
  return {
    size: () => fstatSync(descriptor).size,
    read: (position, length, room = Buffer.allocUnsafeSlow(length)) => {
      let filled = 0;
      while (filled < length) {
        const got = readSync(descriptor, room, filled, length - filled, position + filled);
        if (got === 0) break;
        filled += got;
      }
      return room.subarray(0, filled);
    },
    write: refuse,
    sync: refuse,
    close: () => undefined,
  };
}
