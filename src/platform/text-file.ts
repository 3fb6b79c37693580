// Reads a file that an operator names, which may be anything.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** What a file may be. */
export interface FileBounds {
  readonly bytesMax: number;
  /** Whether it has to be a regular file. Otherwise a pipe will do, as shells make them. */
  readonly isRegular: boolean;
}

/** Configuration, key, certificates or password; a bundle of all public CAs has 300 KB. @bound */
const smallFileBytesMax = 16 * 1024 * 1024;

/** The bounds of files that an operator writes by hand. */
const smallFile: FileBounds = { bytesMax: smallFileBytesMax, isRegular: false };

/**
 * The text of a file, or of an open descriptor such as that of standard input. Its size and type
 * are looked at before it is read, and no more is read than the bound.
 * @throws Error whose message is the end of a sentence; a system error
 */
export function readTextFile(file: string | number, bounds?: FileBounds): string {
  return readFileBytes(file, bounds).toString('utf8');
}

/** The bytes of a file, as `readTextFile` reads its text. @throws as `readTextFile` */
export function readFileBytes(
  file: string | number,
  { bytesMax, isRegular }: FileBounds = smallFile,
): Buffer {
  if (typeof file === 'number') return boundedBytes(file, bytesMax);
  // A pipe without a writer must not be waited for where no pipe will do.
  const flags = constants.O_RDONLY | (isRegular ? constants.O_NONBLOCK : 0);
  const descriptor = openSync(file, flags);
  try {
    const stats = fstatSync(descriptor);
    if (isRegular && !stats.isFile() && !stats.isDirectory()) {
      throw new Error('it is no regular file');
    }
    if (stats.isFile() && stats.size > bytesMax) throw tooLarge(bytesMax, stats.size);
    return boundedBytes(descriptor, bytesMax);
  } finally {
    closeSync(descriptor);
  }
}

/** Each chunk is filled before the next one is made, because a pipe may give a byte at a time. */
function boundedBytes(descriptor: number, bytesMax: number): Buffer {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const filled = fill(descriptor, chunk);
    bytes += filled;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk.subarray(0, filled));
    if (filled < chunkBytes) return Buffer.concat(chunks);
  }
}

/** @returns how many bytes were read; fewer than there is room for at the end of the file */
function fill(descriptor: number, chunk: Buffer): number {
  for (let filled = 0; ; ) {
    const got = readSync(descriptor, chunk, filled, chunk.length - filled, null);
    filled += got;
    if (got === 0 || filled === chunk.length) return filled;
  }
}

function tooLarge(bytesMax: number, bytes?: number): Error {
  const found = bytes === undefined ? '' : ` (it has ${bytes})`;
  return new Error(`it may have at most ${bytesMax} bytes${found}`);
}

const chunkBytes = 64 * 1024;
