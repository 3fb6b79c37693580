// The real disk: the `Disk` port over node:fs, synchronous, for the log writer's thread and for
// start and stop.

import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writevSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DiskFile, OpenMode, TreeDisk } from '../../src/platform/ports.ts';

/** The file system of this machine. Files get mode 0600, directories 0700. */
export const nodeDisk: TreeDisk = {
  open: (path, mode) => new NodeFile(openFile(path, mode)),
  exists: (path) => existsSync(path),
  list: (directory) => {
    if (!existsSync(directory)) return [];
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
  },
  entries: (directory) => (existsSync(directory) ? readdirSync(directory).sort() : []),
  makeDirectory,
  rename: (from, to) => renameSync(from, to),
  remove: (path) => rmSync(path),
  removeTree: (path) => rmSync(path, { recursive: true, force: true }),
  syncDirectory: (path) => {
    const descriptor = openSync(path, constants.O_RDONLY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};

/**
 * Opens a regular file and nothing else: a device never ends. Opening a pipe would block;
 * `O_NONBLOCK` prevents that.
 * @throws a system error
 */
function openFile(path: string, mode: OpenMode): number {
  const descriptor = openSync(path, openFlags[mode], 0o600);
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return descriptor;
  closeSync(descriptor);
  const code = stats.isDirectory() ? 'EISDIR' : 'EINVAL';
  const what = stats.isDirectory() ? 'a directory' : 'no regular file';
  throw Object.assign(new Error(`${code}: '${path}' cannot be opened: it is ${what}`), { code });
}

const openFlags: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY | constants.O_NONBLOCK,
  edit: constants.O_RDWR,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
};

/**
 * Node's recursive `mkdir` tries for ever where a parent exists and nothing can be created in it,
 * as in /proc.
 */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectory(parent);
  mkdirSync(path, { mode: 0o700 });
}

class NodeFile implements DiskFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  size(): number {
    return fstatSync(this.#descriptor).size;
  }

  read(position: number, length: number, room?: Buffer): Buffer {
    const buffer = room ?? Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const got = readSync(this.#descriptor, buffer, filled, length - filled, position + filled);
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  }

  write(buffers: readonly Uint8Array[], position: number): void {
    let rest = buffers;
    let at = position;
    while (rest.length > 0) {
      const written = writevSync(this.#descriptor, rest, at);
      at += written;
      rest = behind(rest, written);
    }
  }

  sync(): void {
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The part of `buffers` that is left once `written` bytes of them are on disk. */
function behind(buffers: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = written;
  for (const buffer of buffers) {
    if (skip < buffer.length) rest.push(buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.length);
  }
  return rest;
}
