// Copies whole files durably, with a checksum that other tools can compute.

import { createHash } from 'node:crypto';

import type { Disk } from '../../src/ports.ts';
import { RestoreRefused } from '../errors.ts';

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
  const target = disk.open(to, 'create');
  let copied: FileDigest;
  try {
    copied = readThrough(disk, from, (piece, position) => target.write([piece], position));
    target.sync();
  } finally {
    target.close();
  }
  if (digestFile(disk, to).sha256 === copied.sha256) return copied;
  throw new RestoreRefused(`${to} does not read back as it was written: see to its disk.`);
}

/**
 * Writes a small new file; its content is durable, its name is not. @throws any error of the disk
 */
export function writeNewFile(disk: Disk, path: string, text: string): void {
  const file = disk.open(path, 'create');
  try {
    file.write([Buffer.from(text)], 0);
    file.sync();
  } finally {
    file.close();
  }
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
  const file = disk.open(path, 'read');
  try {
    for (let position = 0; ; ) {
      const piece = file.read(position, pieceBytes);
      if (piece.length === 0) return { bytes: position, sha256: hash.digest('hex') };
      take(piece, position);
      hash.update(piece);
      position += piece.length;
    }
  } finally {
    file.close();
  }
}

const pieceBytes = 1024 * 1024;
