// Opens files for the time of one use.

import type { Disk, DiskFile, OpenMode } from '../../src/platform/ports.ts';

/** The result of `use` with the file at `path`, which is closed afterwards, whatever happens. */
export function withFile<T>(
  disk: Disk,
  path: string,
  mode: OpenMode,
  use: (file: DiskFile) => T,
): T {
  const file = disk.open(path, mode);
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** The whole of a file. @throws as `wholeOf`, and any error of the disk */
export function readWhole(disk: Disk, path: string, bytesMax?: number): Buffer {
  return withFile(disk, path, 'read', (file) => wholeOf(file, path, bytesMax));
}

/**
 * The whole of an open file. @throws an error with the code `EFBIG` for one of more than `bytesMax`
 */
export function wholeOf(file: DiskFile, path: string, bytesMax = segmentFileBytesMax): Buffer {
  const size = file.size();
  if (size <= bytesMax) return file.read(0, size);
  const text = `EFBIG: ${path} has ${size} bytes, and such a file at most ${bytesMax}`;
  throw Object.assign(new Error(text), { code: 'EFBIG' });
}

/** The largest file that is read as a whole is a segment of the greatest size. @bound */
const segmentFileBytesMax = 1024 * 1024 * 1024;

/**
 * Writes a small new file; its content is durable, its name is not. @throws any error of the disk
 */
export function writeNewFile(disk: Disk, path: string, text: string): void {
  withFile(disk, path, 'create', (file) => {
    file.write([Buffer.from(text)], 0);
    file.sync();
  });
}
