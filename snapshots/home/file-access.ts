// Opens files for the time of one use.

import type { Disk, DiskFile, OpenMode } from '../../src/ports.ts';

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

/** The whole of a file that fits into memory. */
export function readWhole(disk: Disk, path: string): Buffer {
  return withFile(disk, path, 'read', (file) => file.read(0, file.size()));
}

/**
 * Writes a small new file; its content is durable, its name is not. @throws any error of the disk
 */
export function writeNewFile(disk: Disk, path: string, text: string): void {
  withFile(disk, path, 'create', (file) => {
    file.write([Buffer.from(text)], 0);
    file.sync();
  });
}
