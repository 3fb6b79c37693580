// A disk in memory: the keys of a home that is not there yet can be opened on it as the first start
// will open them, and what it writes is forgotten.

import { dirname } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '../../platform/ports.ts';

/** Whole files by their paths; there are no directories of their own. */
export class MemoryDisk implements Disk {
  readonly #files: Map<string, Buffer>;

  /** @param files texts by absolute paths */
  constructor(files: ReadonlyMap<string, string>) {
    this.#files = new Map([...files].map(([path, text]) => [path, Buffer.from(text)]));
  }

  open(path: string, mode: OpenMode): DiskFile {
    const isThere = this.#files.has(path);
    if (mode === 'create' ? isThere : !isThere) {
      const code = isThere ? 'EEXIST' : 'ENOENT';
      throw Object.assign(new Error(`${code}: open '${path}'`), { code });
    }
    if (mode === 'create') this.#files.set(path, Buffer.alloc(0));
    return {
      size: () => this.#bytesOf(path).length,
      read: (position, length) => this.#bytesOf(path).subarray(position, position + length),
      write: (buffers, position) => {
        const before = this.#bytesOf(path).subarray(0, position);
        this.#files.set(path, Buffer.concat([before, ...buffers]));
      },
      sync: () => undefined,
      close: () => undefined,
    };
  }

  exists(path: string): boolean {
    return this.#files.has(path);
  }

  list(directory: string): string[] {
    const inside = [...this.#files.keys()].filter((path) => dirname(path) === directory);
    return inside.map((path) => path.slice(directory.length + 1)).sort();
  }

  makeDirectory(): void {}

  rename(from: string, to: string): void {
    this.#files.set(to, this.#bytesOf(from));
    this.#files.delete(from);
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  syncDirectory(): void {}

  #bytesOf(path: string): Buffer {
    return this.#files.get(path) ?? Buffer.alloc(0);
  }
}
