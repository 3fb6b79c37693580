// A disk in memory that forgets: what was not synced is lost or kept by chance when it crashes, and
// any call can fail.

import { basename, dirname } from 'node:path';

import type { DiskFile, OpenMode, TreeDisk } from '../../src/platform/ports.ts';

/** The unit a disk keeps or loses. */
export const sectorBytes = 512;

/**
 * How a call fails. `crash`: the machine dies in the middle of it, and every later call fails too.
 * `EMFILE`: the process has no descriptor left, so the call must be one that opens something.
 */
export type Fault = 'crash' | 'EIO' | 'ENOSPC' | 'EMFILE';

/** The error of every call once the machine has crashed. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

/**
 * A simulated disk. `crash()` and `kill()` answer the disk that the next start finds; the old one
 * is dead. It serves `/proc` as far as the lock of a home looks at it, so that a restart is seen as
 * one.
 */
export class SimulatedDisk implements TreeDisk {
  readonly #random: () => number;
  readonly #names: Map<string, Inode>;
  readonly #durableNames: Map<string, Inode>;
  readonly #directories: Set<string>;
  readonly #durableDirectories: Set<string>;
  readonly #boot: number;
  readonly #start: number;
  #pendingNames: NameChange[] = [];
  #dead = false;
  #calls = 0;
  #faultAt = Number.POSITIVE_INFINITY;
  #fault: Fault = 'crash';
  #fullUntilFreed = false;
  #keepsBlocks = false;
  #readsCount = false;
  /** Sees each call that counts, before it is done. */
  onCall: ((what: string, path: string) => void) | undefined;
  /** Sees the call that was made to fail. */
  onFault: ((what: string, path: string) => void) | undefined;

  constructor(seed: number | SimulatedDisk, next: 'kill' | 'crash' = 'crash') {
    if (typeof seed === 'number') {
      this.#random = chance(seed);
      this.#names = new Map();
      this.#durableNames = new Map();
      this.#directories = new Set(['/']);
      this.#durableDirectories = new Set(['/']);
      this.#boot = this.#start = 1;
      return;
    }
    this.#random = seed.#random;
    this.#names = seed.#names;
    this.#durableNames = seed.#durableNames;
    this.#pendingNames = seed.#pendingNames;
    this.#directories = seed.#directories;
    this.#durableDirectories = seed.#durableDirectories;
    this.#boot = seed.#boot + (next === 'crash' ? 1 : 0);
    this.#start = seed.#start + 1;
  }

  /** Calls so far that change something (or read, see below); the n-th can be made to fail. */
  get calls(): number {
    return this.#calls;
  }

  /** Whether a planned crash has happened. */
  get crashed(): boolean {
    return this.#dead;
  }

  /** From now on reading counts as a call as well, and can be made to fail. */
  countReads(): void {
    this.#readsCount = true;
  }

  /** Looks at the disk without being a call of anybody. */
  quietly<T>(read: () => T): T {
    const before = this.#readsCount;
    this.#readsCount = false;
    try {
      return read();
    } finally {
      this.#readsCount = before;
    }
  }

  /** Makes the n-th changing call from now on fail, 1 being the next. */
  failCall(n: number, fault: Fault): void {
    this.#faultAt = this.#calls + n;
    this.#fault = fault;
  }

  /**
   * Every write and creation fails with ENOSPC until `free()`; with `keeps`, as on most real disks,
   * only those that need more blocks than a file has already.
   */
  fill(keeps?: 'blocks'): void {
    this.#fullUntilFreed = true;
    this.#keepsBlocks = keeps === 'blocks';
  }

  free(): void {
    this.#fullUntilFreed = false;
  }

  /** Power is lost: unsynced sectors and names survive or not, by chance. */
  crash(): SimulatedDisk {
    this.#dead = true;
    this.#loseNames();
    for (const inode of new Set(this.#names.values())) inode.lose(this.#random);
    return new SimulatedDisk(this, 'crash');
  }

  /** Only the process dies: the system's cache keeps what was written. */
  kill(): SimulatedDisk {
    this.#dead = true;
    return new SimulatedDisk(this, 'kill');
  }

  /** Changes bytes behind everybody's back, durably: bit rot. */
  corrupt(path: string, change: (bytes: Buffer) => void): void {
    change(this.#inode(path).bytes);
  }

  /** The bytes of a file. */
  bytesOf(path: string): Buffer {
    return Buffer.from(this.#inode(path).bytes);
  }

  /** Puts a file there, durably. */
  place(path: string, bytes: Uint8Array): void {
    const inode = new Inode();
    inode.write(Buffer.from(bytes), 0);
    inode.sync();
    this.#names.set(path, inode);
    this.#durableNames.set(path, inode);
    this.makeDirectory(dirname(path));
  }

  open(path: string, mode: OpenMode): DiskFile {
    this.#refuseIfDead();
    const served = this.#proc(path);
    if (served !== undefined) return new SimulatedFile(served, passThrough);
    if (mode !== 'create') return this.#file(this.#inode(path), path);
    if (this.#names.has(path)) throw diskError('EEXIST', path);
    if (!this.#directories.has(dirname(path))) throw diskError('ENOENT', path);
    this.#change('create', path);
    const inode = new Inode();
    this.#rename({ directory: dirname(path), apply: (names) => names.set(path, inode) });
    return this.#file(inode, path);
  }

  exists(path: string): boolean {
    this.#refuseIfDead();
    return this.#names.has(path) || this.#directories.has(path);
  }

  list(directory: string): string[] {
    this.#refuseIfDead();
    const names = [...this.#names.keys()].filter((path) => dirname(path) === directory);
    return names.map((path) => path.slice(directory.length + 1)).sort();
  }

  entries(directory: string): string[] {
    this.#refuseIfDead();
    if (this.#names.has(directory)) throw diskError('ENOTDIR', directory);
    const paths = [...this.#names.keys(), ...this.#directories];
    const names = paths.filter((path) => dirname(path) === directory && path !== directory);
    return names.map((path) => basename(path)).sort();
  }

  /** Durable at once, as it is worth nothing by itself. */
  makeDirectory(path: string): void {
    this.#refuseIfDead();
    for (let at = path; !this.#directories.has(at); at = dirname(at)) {
      this.#finishRemoval(at);
      this.#directories.add(at);
      this.#durableDirectories.add(at);
    }
  }

  rename(from: string, to: string): void {
    if (this.#directories.has(from)) {
      this.#renameDirectory(from, to);
      return;
    }
    const inode = this.#inode(from);
    this.#change('rename', from);
    this.#rename({
      directory: dirname(from),
      apply: (names) => {
        names.delete(from);
        names.set(to, inode);
      },
    });
  }

  remove(path: string): void {
    this.#inode(path);
    this.#change('remove', path);
    this.#rename({ directory: dirname(path), apply: (names) => names.delete(path) });
  }

  removeTree(path: string): void {
    this.#refuseIfDead();
    if (!this.#directories.has(path)) return;
    for (const name of this.#names.keys()) if (isBelow(name, path)) this.remove(name);
    this.#change('rmdir', path);
    this.#pendingNames = this.#pendingNames.filter(({ directory }) => !isBelow(directory, path));
    this.#rename({
      directory: dirname(path),
      removed: path,
      apply: (names, directories) => {
        for (const name of names.keys()) if (isBelow(name, path)) names.delete(name);
        for (const name of directories) if (isBelow(name, path)) directories.delete(name);
      },
    });
  }

  syncDirectory(path: string): void {
    this.#change('fsync', path);
    for (const change of this.#pendingNames) {
      if (change.directory === path) change.apply(this.#durableNames, this.#durableDirectories);
    }
    this.#pendingNames = this.#pendingNames.filter(({ directory }) => directory !== path);
  }

  /** What gets the name of a removed directory must not be removed with it later. */
  #finishRemoval(path: string): void {
    const removal = this.#pendingNames.find(({ removed }) => removed === path);
    if (removal === undefined) return;
    removal.apply(this.#durableNames, this.#durableDirectories);
    this.#pendingNames = this.#pendingNames.filter((change) => change !== removal);
  }

  #renameDirectory(from: string, to: string): void {
    if (this.entries(to).length > 0) throw diskError('ENOTEMPTY', to);
    // A crash could keep the directory's new name and lose names in it: nobody may rest on that.
    const unsynced = this.#pendingNames.find(({ directory }) => isBelow(directory, from));
    if (unsynced !== undefined) throw new Error(`${unsynced.directory} is not synced`);
    this.#change('rename', from);
    const moved = (path: string) => (isBelow(path, from) ? to + path.slice(from.length) : path);
    this.#rename({
      directory: dirname(from),
      apply: (names, directories) => {
        for (const [path, inode] of [...names]) {
          names.delete(path);
          names.set(moved(path), inode);
        }
        const all = [...directories];
        directories.clear();
        for (const path of all) directories.add(moved(path));
      },
    });
  }

  #file(inode: Inode, path: string): DiskFile {
    return new SimulatedFile(inode, {
      beforeRead: () => this.#refuseIfDead(),
      read: () => {
        if (!this.#readsCount) return this.#refuseIfDead();
        const fault = this.#nextFault('read', path);
        if (fault !== undefined) throw this.#failure(fault === 'crash' ? fault : 'EIO', 'read');
      },
      write: (bytes, position) => {
        const fault = this.#nextFault('write', path);
        const isWithin = position + bytes.length <= inode.bytes.length;
        const full = this.#fullUntilFreed && !(this.#keepsBlocks && isWithin);
        if (fault === undefined && !full) return inode.write(bytes, position);
        const part = Math.floor(this.#random() * (bytes.length + 1));
        inode.write(bytes.subarray(0, part), position);
        throw this.#failure(fault ?? 'ENOSPC', 'write');
      },
      sync: () => {
        const fault = this.#nextFault('fdatasync', path);
        if (fault === undefined) return inode.sync();
        // The kernel forgets which pages were dirty: a later sync succeeds without writing them.
        if (fault !== 'crash') inode.failSync(this.#random);
        throw this.#failure(fault, 'fdatasync');
      },
    });
  }

  #change(what: string, path: string): void {
    const fault = this.#nextFault(what, path);
    if (fault !== undefined) throw this.#failure(fault, `${what} ${path}`);
  }

  #nextFault(what: string, path: string): Fault | undefined {
    this.#refuseIfDead();
    this.onCall?.(what, path);
    this.#calls++;
    if (this.#calls !== this.#faultAt) return undefined;
    this.onFault?.(what, path);
    return this.#fault;
  }

  #failure(fault: Fault, what: string): Error {
    if (fault !== 'crash') return diskError(fault, what);
    this.#dead = true;
    return new SimulatedCrash(`crashed in ${what}`);
  }

  #refuseIfDead(): void {
    if (this.#dead) throw new SimulatedCrash('the machine is down');
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw diskError('ENOENT', path);
    return inode;
  }

  #rename(change: NameChange): void {
    change.apply(this.#names, this.#directories);
    this.#pendingNames.push(change);
  }

  /** File systems keep the order of changes within a directory: any first part of them survives. */
  #loseNames(): void {
    for (const directory of new Set(this.#pendingNames.map((change) => change.directory))) {
      const changes = this.#pendingNames.filter((change) => change.directory === directory);
      const kept = Math.floor(this.#random() * (changes.length + 1));
      for (const change of changes.slice(0, kept)) {
        change.apply(this.#durableNames, this.#durableDirectories);
      }
    }
    this.#pendingNames = [];
    this.#names.clear();
    for (const [path, inode] of this.#durableNames) this.#names.set(path, inode);
    this.#directories.clear();
    for (const path of this.#durableDirectories) this.#directories.add(path);
  }

  #proc(path: string): Inode | undefined {
    if (path === '/proc/sys/kernel/random/boot_id') return fileOf(`boot-${this.#boot}\n`);
    if (path !== `/proc/${process.pid}/stat`) return undefined;
    const between = Array.from({ length: 18 }, () => '0').join(' ');
    return fileOf(`${process.pid} (node) S ${between} ${this.#start} 0\n`);
  }
}

/** A seeded source of numbers from 0 to under 1. */
export function chance(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    // xorshift32, its output spread by a multiplication: enough for a simulation.
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return (Math.imul(state, 0x2545f491) >>> 0) / 2 ** 32;
  };
}

interface NameChange {
  readonly directory: string;
  /** The directory that went, if one did. */
  readonly removed?: string;
  readonly apply: (names: Map<string, Inode>, directories: Set<string>) => void;
}

/** What a sector beyond the end of its file held, which nobody writes into. */
const emptySector = Buffer.alloc(sectorBytes);

/** A file's bytes, and of each sector that is not durable yet what the disk held before. */
class Inode {
  #content = Buffer.alloc(4096);
  #size = 0;
  #durableSize = 0;
  readonly #before = new Map<number, { readonly bytes: Buffer; forgotten: boolean }>();

  get bytes(): Buffer {
    return this.#content.subarray(0, this.#size);
  }

  write(bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return;
    const end = position + bytes.length;
    this.#grow(end);
    this.#touch(position, end);
    this.#content.set(bytes, position);
    this.#size = Math.max(this.#size, end);
  }

  sync(): void {
    for (const [sector, { forgotten }] of this.#before) {
      if (!forgotten) this.#before.delete(sector);
    }
    this.#durableSize = this.#size;
  }

  failSync(random: () => number): void {
    for (const [sector, before] of this.#before) {
      if (random() < 0.5) this.#before.delete(sector);
      else before.forgotten = true;
    }
  }

  lose(random: () => number): void {
    for (const [sector, { bytes }] of this.#before) {
      const luck = random();
      if (luck < 0.4) continue;
      // A few sectors are torn in the middle: new at the front, old behind.
      const torn = luck < 0.5 ? Math.floor(random() * sectorBytes) : 0;
      bytes.copy(this.#content, sector * sectorBytes + torn, torn);
    }
    this.#before.clear();
    if (random() < 0.5) {
      this.#content.fill(0, this.#durableSize);
      this.#size = this.#durableSize;
    }
    this.#durableSize = this.#size;
  }

  #touch(start: number, end: number): void {
    for (let at = Math.floor(start / sectorBytes); at * sectorBytes < end; at++) {
      const before = this.#before.get(at);
      if (before !== undefined) {
        before.forgotten = false;
        continue;
      }
      const from = at * sectorBytes;
      const bytes =
        from >= this.#size
          ? emptySector
          : Buffer.from(this.#content.subarray(from, from + sectorBytes));
      this.#before.set(at, { bytes, forgotten: false });
    }
  }

  #grow(size: number): void {
    if (size + sectorBytes <= this.#content.length) return;
    const grown = Buffer.alloc(Math.ceil((2 * size) / sectorBytes + 1) * sectorBytes);
    this.#content.copy(grown);
    this.#content = grown;
  }
}

interface Access {
  readonly beforeRead: () => void;
  readonly read: () => void;
  readonly write: (bytes: Uint8Array, position: number) => void;
  readonly sync: () => void;
}

class SimulatedFile implements DiskFile {
  readonly #inode: Inode;
  readonly #access: Access;

  constructor(inode: Inode, access: Access) {
    this.#inode = inode;
    this.#access = access;
  }

  size(): number {
    this.#access.beforeRead();
    return this.#inode.bytes.length;
  }

  read(position: number, length: number, room?: Buffer): Buffer {
    this.#access.read();
    const bytes = this.#inode.bytes.subarray(position, position + length);
    if (room === undefined) return Buffer.from(bytes);
    // What is kept of the bytes before shows as damage.
    room.fill(0xff).set(bytes);
    return room.subarray(0, bytes.length);
  }

  write(buffers: readonly Uint8Array[], position: number): void {
    this.#access.write(Buffer.concat(buffers), position);
  }

  sync(): void {
    this.#access.sync();
  }

  close(): void {}
}

const nothing = () => {};
const passThrough: Access = {
  beforeRead: nothing,
  read: nothing,
  write: nothing,
  sync: nothing,
};

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function fileOf(text: string): Inode {
  const inode = new Inode();
  inode.write(Buffer.from(text), 0);
  return inode;
}

function diskError(code: string, what: string): Error {
  const error = Object.assign(new Error(`${code}: simulated failure in ${what}`), { code });
  return code === 'EMFILE' ? Object.assign(error, { syscall: 'open' }) : error;
}
