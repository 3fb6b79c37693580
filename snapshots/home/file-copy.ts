// Copies whole files durably, with a checksum that other tools can compute.

import { createHash } from 'node:crypto';

import type { Disk } from '../../src/platform/ports.ts';
import { RestoreRefused } from '../errors.ts';
import { withFile } from './file-access.ts';

/** What identifies the content of a file. */
export interface FileDigest {
  readonly bytes: number;
  /** As `sha256sum` prints it. */
  readonly sha256: string;
}

/**
 * Copies a file to a path that does not exist, syncs the copy and reads it back. The caller syncs
 * the directory.
 * @throws RestoreRefused when the copy differs; any error of the disk
 */
export function copyFile(disk: Disk, from: string, to: string): FileDigest {
  const copied = withFile(disk, to, 'create', (target) => {
    const read = readThrough(disk, from, (piece, position) => target.write([piece], position));
    target.sync();
    return read;
  });
  if (digestFile(disk, to).sha256 === copied.sha256) return copied;
  throw new RestoreRefused(`${to} does not read back as it was written: see to its disk.`);
}

/** @throws any error of the disk */
export function digestFile(disk: Disk, path: string): FileDigest {
  return readThrough(disk, path, () => undefined);
}

function readThrough(
  disk: Disk,
  path: string,
  take: (piece: Buffer, position: number) => void,
): FileDigest {
  const hash = createHash('sha256');
  return withFile(disk, path, 'read', (file) => {
    for (let position = 0; ; ) {
      const piece = file.read(position, pieceBytes);
      if (piece.length === 0) return { bytes: position, sha256: hash.digest('hex') };
      take(piece, position);
      hash.update(piece);
      position += piece.length;
    }
  });
}

const pieceBytes = 1024 * 1024;
