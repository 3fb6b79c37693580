// A disk in memory that forgets: what was not synced is lost or kept by chance when it crashes, and
// any call can fail.

import { dirname } from 'node:path';

import type { Disk, DiskFile, OpenMode } from '../../src/ports.ts';

/** The unit a disk keeps or loses. */
export const sectorBytes = 512;

/**
 * How a call fails. `crash`: the machine dies in the middle of it, and every later call fails too.
 */
export type Fault = 'crash' | 'EIO' | 'ENOSPC';

/** The error of every call once the machine has crashed. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

/**
 * A simulated disk. `crash()` and `kill()` answer the disk that the next start finds; the old one
 * is dead. It serves `/proc` as far as the lock of a home looks at it, so that a restart is seen as
 * one.
 */
export class SimulatedDisk implements Disk {
  readonly #random: () => number;
  readonly #names: Map<string, Inode>;
  readonly #durableNames: Map<string, Inode>;
  readonly #directories: Set<string>;
  readonly #boot: number;
  readonly #start: number;
  #pendingNames: NameChange[] = [];
  #dead = false;
  #calls = 0;
  #faultAt = Number.POSITIVE_INFINITY;
  #fault: Fault = 'crash';
  #fullUntilFreed = false;

  constructor(seed: number | SimulatedDisk, next: 'kill' | 'crash' = 'crash') {
    if (typeof seed === 'number') {
      this.#random = chance(seed);
      this.#names = new Map();
      this.#durableNames = new Map();
      this.#directories = new Set(['/']);
      this.#boot = this.#start = 1;
      return;
    }
    this.#random = seed.#random;
    this.#names = seed.#names;
    this.#durableNames = seed.#durableNames;
    this.#pendingNames = seed.#pendingNames;
    this.#directories = seed.#directories;
    this.#boot = seed.#boot + (next === 'crash' ? 1 : 0);
    this.#start = seed.#start + 1;
  }

  /** Calls so far that change something; the n-th of them can be made to fail. */
  get calls(): number {
    return this.#calls;
  }

  /** Whether a planned crash has happened. */
  get crashed(): boolean {
    return this.#dead;
  }

  /** Makes the n-th changing call from now on fail, 1 being the next. */
  failCall(n: number, fault: Fault): void {
    this.#faultAt = this.#calls + n;
    this.#fault = fault;
  }

  /** Every write and creation fails with ENOSPC until `free()`. */
  fill(): void {
    this.#fullUntilFreed = true;
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
    if (mode !== 'create') return this.#file(this.#inode(path));
    if (this.#names.has(path)) throw diskError('EEXIST', path);
    if (!this.#directories.has(dirname(path))) throw diskError('ENOENT', path);
    this.#change(path);
    const inode = new Inode();
    this.#rename({ directory: dirname(path), apply: (names) => names.set(path, inode) });
    return this.#file(inode);
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

  makeDirectory(path: string): void {
    this.#refuseIfDead();
    for (let at = path; !this.#directories.has(at); at = dirname(at)) this.#directories.add(at);
  }

  rename(from: string, to: string): void {
    const inode = this.#inode(from);
    this.#change(from);
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
    this.#change(path);
    this.#rename({ directory: dirname(path), apply: (names) => names.delete(path) });
  }

  syncDirectory(path: string): void {
    this.#change(path);
    for (const change of this.#pendingNames) {
      if (change.directory === path) change.apply(this.#durableNames);
    }
    this.#pendingNames = this.#pendingNames.filter(({ directory }) => directory !== path);
  }

  #file(inode: Inode): DiskFile {
    return new SimulatedFile(inode, {
      read: () => this.#refuseIfDead(),
      write: (bytes, position) => {
        const fault = this.#nextFault();
        const full = this.#fullUntilFreed;
        if (fault === undefined && !full) return inode.write(bytes, position);
        const part = Math.floor(this.#random() * (bytes.length + 1));
        inode.write(bytes.subarray(0, part), position);
        throw this.#failure(fault ?? 'ENOSPC', 'write');
      },
      truncate: (size) => {
        this.#change('truncate');
        inode.truncate(size);
      },
      sync: () => {
        const fault = this.#nextFault();
        if (fault === undefined) return inode.sync();
        // The kernel forgets which pages were dirty: a later sync succeeds without writing them.
        if (fault !== 'crash') inode.failSync(this.#random);
        throw this.#failure(fault, 'fdatasync');
      },
    });
  }

  #change(what: string): void {
    const fault = this.#nextFault();
    if (fault !== undefined) throw this.#failure(fault, what);
  }

  #nextFault(): Fault | undefined {
    this.#refuseIfDead();
    this.#calls++;
    return this.#calls === this.#faultAt ? this.#fault : undefined;
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
    change.apply(this.#names);
    this.#pendingNames.push(change);
  }

  /** File systems keep the order of changes within a directory: any first part of them survives. */
  #loseNames(): void {
    for (const directory of new Set(this.#pendingNames.map((change) => change.directory))) {
      const changes = this.#pendingNames.filter((change) => change.directory === directory);
      const kept = Math.floor(this.#random() * (changes.length + 1));
      for (const change of changes.slice(0, kept)) change.apply(this.#durableNames);
    }
    this.#pendingNames = [];
    this.#names.clear();
    for (const [path, inode] of this.#durableNames) this.#names.set(path, inode);
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
  readonly apply: (names: Map<string, Inode>) => void;
}

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

  truncate(size: number): void {
    this.#grow(size);
    this.#touch(Math.min(size, this.#size), Math.max(size, this.#size));
    this.#content.fill(0, size);
    this.#size = size;
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
      const bytes = Buffer.from(this.#content.subarray(from, from + sectorBytes));
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
  readonly read: () => void;
  readonly write: (bytes: Uint8Array, position: number) => void;
  readonly truncate: (size: number) => void;
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
    this.#access.read();
    return this.#inode.bytes.length;
  }

  read(position: number, length: number): Buffer {
    this.#access.read();
    return Buffer.from(this.#inode.bytes.subarray(position, position + length));
  }

  write(buffers: readonly Uint8Array[], position: number): void {
    this.#access.write(Buffer.concat(buffers), position);
  }

  truncate(size: number): void {
    this.#access.truncate(size);
  }

  sync(): void {
    this.#access.sync();
  }

  close(): void {}
}

const passThrough: Access = { read: () => {}, write: () => {}, truncate: () => {}, sync: () => {} };

function fileOf(text: string): Inode {
  const inode = new Inode();
  inode.write(Buffer.from(text), 0);
  return inode;
}

function diskError(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: simulated failure in ${what}`), { code });
}
