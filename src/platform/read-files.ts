// The real implementation of ReadFiles: the regular files below a directory, and none outside it.

import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FilesBounds, ReadFiles } from './ports.ts';

/**
 * Reads a directory once. Links to files outside it, links to directories, devices, pipes and
 * sockets, and everything whose name begins with a dot are left out.
 */
export const readDirectoryFiles: ReadFiles = async (directory, bounds) => {
  const root = await realpath(directory);
  const reading = { root, bounds, files: new Map<string, Buffer>(), bytes: 0 };
  await readBelow('', reading);
  return reading.files;
};

/** The state of one walk. */
interface Reading {
  /** Absolute, free of links. */
  readonly root: string;
  readonly bounds: FilesBounds;
  readonly files: Map<string, Buffer>;
  bytes: number;
}

/** @param below names from the root on, each followed by `/` */
async function readBelow(below: string, reading: Reading): Promise<void> {
  const entries = await readdir(join(reading.root, below), { withFileTypes: true });
  for (const entry of entries) {
    const name = below + entry.name;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) await readBelow(`${name}/`, reading);
    else if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(name, reading)))) {
      if (reading.bounds.takes(name)) await readOne(name, reading);
    }
  }
}

/** Whether a link leads to a regular file within the root. */
async function leadsToFile(name: string, { root }: Reading): Promise<boolean> {
  try {
    const target = await realpath(join(root, name));
    return target.startsWith(root + sep) && (await stat(target)).isFile();
  } catch {
    return false;
  }
}

/** @throws RangeError for a file beyond the bounds, before it is read. */
async function readOne(name: string, reading: Reading): Promise<void> {
  const { root, bounds, files } = reading;
  const path = await realpath(join(root, name));
  // Neither a link nor a pipe that has taken the file's place since is followed or waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags);
  try {
    const { size } = await file.stat();
    if (files.size >= bounds.filesMax) throw new RangeError(`more than ${bounds.filesMax} files`);
    if (reading.bytes + size > bounds.bytesMax) {
      throw new RangeError(`more than ${bounds.bytesMax} bytes`);
    }
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafeSlow(size) });
    reading.bytes += bytesRead;
    files.set(name, buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
