// The files of a home as of one moment, read-only, so that they can be checked at any pace while a
// controller continues to write and drop them.

import { basename, dirname, join } from 'node:path';
import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import { nonZeroEnd } from '../binary.ts';
import { systemCodeOf } from '../errors.ts';
import { readWhole, wholeOf } from '../home/file-access.ts';
import { headedBytesMax } from '../home/headed-json.ts';
import { logDirectory, manifestPath, sequenceOf, snapshotDirectory } from '../home/layout.ts';

/**
 * A disk that shows what `home` held when it was created. The manifest and the two newest segments
 * are copied. All other files are held open, so that a file that is dropped meanwhile can still be
 * read. Every change through it throws. It must be closed when it is no longer needed.
 */
export class FilesOfAMoment implements Disk {
  readonly #files = new Map<string, DiskFile>();
  readonly #held: DiskFile[] = [];
  readonly #directories: ReadonlySet<string>;

  /**
   * @param isServed whether a controller may be writing
   * @throws errors of the disk
   */
  constructor(disk: Disk, home: string, isServed: boolean) {
    this.#directories = new Set([home, logDirectory(home), snapshotDirectory(home)]);
    for (let tries = 1; !this.#take(disk, home, isServed); tries++) {
      this.close();
      if (tries === checkTriesMax)
        throw new Error(`${home} changes faster than it can be looked at`);
    }
  }

  open(path: string, mode: string): DiskFile {
    const file = this.#files.get(path);
    if (mode !== 'read') refuse(path);
    if (file !== undefined) return file;
    throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
  }

  exists(path: string): boolean {
    return this.#files.has(path) || this.#directories.has(path);
  }

  list(directory: string): string[] {
    const paths = [...this.#files.keys()].filter((path) => dirname(path) === directory);
    return paths.map((path) => basename(path)).sort();
  }

  readonly makeDirectory = refuse;
  readonly rename = refuse;
  readonly remove = refuse;
  readonly syncDirectory = refuse;

  close(): void {
    for (const file of this.#held.splice(0)) file.close();
    this.#files.clear();
  }

  /** False when a snapshot was kept, and others were dropped, while it read the home. */
  #take(disk: Disk, home: string, isServed: boolean): boolean {
    const manifest = bytesOf(disk, manifestPath(home));
    try {
      for (const directory of [snapshotDirectory(home), logDirectory(home)]) {
        for (const name of disk.list(directory)) this.#hold(disk, join(directory, name));
      }
      this.#copyNewest(home, isServed);
    } catch (error) {
      if (isServed && systemCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
    if (manifest !== undefined) this.#files.set(manifestPath(home), copied(manifest));
    const after = bytesOf(disk, manifestPath(home));
    return manifest === after || (after !== undefined && manifest?.equals(after) === true);
  }

  #hold(disk: Disk, path: string): void {
    const file = disk.open(path, 'read');
    this.#held.push(file);
    this.#files.set(path, held(file));
  }

  /**
   * Copies the segments that are being written, twice. The second copy holds in full all that the
   * first one showed, as frames are written one after the other. Later frames are left out.
   */
  #copyNewest(home: string, isServed: boolean): void {
    const names = this.list(logDirectory(home)).filter((name) => sequenceOf(name) !== undefined);
    const newest = names.slice(-2).map((name) => {
      const path = join(logDirectory(home), name);
      const file = this.open(path, 'read');
      return { path, file, seenTo: nonZeroEnd(wholeOf(file, path), 0) };
    });
    const written = newest.findLastIndex(({ seenTo }) => seenTo > 0);
    for (const [index, { path, file, seenTo }] of newest.entries()) {
      const bytes = wholeOf(file, path);
      if (index >= written) bytes.fill(0, seenTo);
      // The controller's own sync may be under way; a crash must not undo what is checked.
      if (isServed && index === written) file.sync();
      this.#files.set(path, copied(bytes));
    }
  }
}

/** How often a check retries to find a snapshot that stays; snapshots are minutes apart. @bound */
const checkTriesMax = 5;

function bytesOf(disk: Disk, path: string): Buffer | undefined {
  return disk.exists(path) ? Buffer.from(readWhole(disk, path, headedBytesMax)) : undefined;
}

function refuse(path: string): never {
  throw new Error(`a check never changes ${path}`);
}

/** A file that stays open until all of them are closed. */
function held(file: DiskFile): DiskFile {
  return {
    size: () => file.size(),
    read: (position, length, room) => file.read(position, length, room),
    write: () => refuse('a file'),
    sync: () => file.sync(),
    close: () => undefined,
  };
}

/** A file that was copied. */
function copied(bytes: Buffer): DiskFile {
  return {
    size: () => bytes.length,
    read: (position, length) => Buffer.from(bytes.subarray(position, position + length)),
    write: () => refuse('a file'),
    sync: () => undefined,
    close: () => undefined,
  };
}
