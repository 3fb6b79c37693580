// The controller's ports: all effects go through one of these small interfaces, so that a test can
// pass in a simulated implementation and control time, randomness and disk.

/** A timer that can be cancelled. */
export interface Timer {
  /** Cancels the timer; calling it again, or after the timer ran, does nothing. */
  cancel(): void;
}

/** Time. Wall-clock times are ms since the Unix epoch and may jump; monotonic ones may not. */
export interface Clock {
  /** Wall-clock time in whole ms since the Unix epoch. */
  now(): number;
  /** Monotonic time in ms with fractions, for durations only. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`; does not keep the process alive by itself. */
  after(delayMs: number, task: () => void): Timer;
  /** Runs `task` in a later turn of the event loop, after pending I/O. */
  soon(task: () => void): void;
}

/** The heap of the main thread without young objects, which have their own space. */
export interface Heap {
  /** Bytes that it may hold. */
  readonly limitBytes: number;
  /** Bytes that the young objects of one collection can add to it. */
  readonly youngBytes: number;
  /** Bytes that it holds now, garbage included. */
  usedBytes(): number;
  /** Calls `follower` after each full collection; returns a function that ends this. */
  onCollected(follower: () => void): () => void;
  /** Asks for a full collection soon, without stopping the thread for it. May be called again. */
  collectSoon(): void;
}

/** Randomness for ids, tokens and salts. */
export interface Random {
  /** `length` random bytes, fit for secrets. */
  bytes(length: number): Buffer;
}

/** Cost parameters of Argon2id; stored beside each hash in its PHC string. */
export interface Argon2Parameters {
  readonly memoryKib: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Password hashing. Slow by design: never called on the main thread's stack. */
export interface Hasher {
  /** A PHC string `$argon2id$v=19$m=…,t=…,p=…$salt$hash` with a fresh salt. */
  hash(password: string, parameters: Argon2Parameters): Promise<string>;
  /** Whether `phc` is a hash of `password`; compares in constant time. */
  verify(phc: string, password: string): Promise<boolean>;
}

/** An answer to an outgoing HTTP GET. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Bounds of one outgoing request. */
export interface FetchBounds {
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  readonly redirectsMax: number;
}

/** Outgoing HTTP(S) GET, as used for JWKS endpoints. Rejects when any bound is exceeded. */
export type Fetch = (url: string, bounds: FetchBounds) => Promise<FetchAnswer>;

/** Bounds of what is read of a directory. */
export interface FilesBounds {
  readonly filesMax: number;
  /** Of all files together. */
  readonly bytesMax: number;
  /** Whether a file is wanted, by its name; others are not read and do not count. */
  takes(name: string): boolean;
}

/**
 * Reads the regular files below a directory into memory, by their names from there on
 * (`assets/logo.svg`), without blocking the main thread. Rejects with Node's errors, which have a
 * `code`, and with a RangeError whose message names the exceeded bound.
 */
export type ReadFiles = (
  directory: string,
  bounds: FilesBounds,
) => Promise<ReadonlyMap<string, Buffer>>;

/** One open file. All calls are synchronous and throw Node-style errors with a `code`. */
export interface DiskFile {
  /** The file's size in bytes. */
  size(): number;
  /**
   * Up to `length` bytes from `position`; shorter at the end of the file. They may be placed in
   * `room`, which has at least that many bytes; they are then valid until it is used again. A
   * caller that reads a large file in pieces needs memory from the kernel only once.
   */
  read(position: number, length: number, room?: Buffer): Buffer;
  /** Writes all bytes of all buffers, one after the other, from `position` on. */
  write(buffers: readonly Uint8Array[], position: number): void;
  /** Makes everything that was written durable (fdatasync). */
  sync(): void;
  close(): void;
}

/**
 * How a file is opened: `read` an existing one, `edit` an existing one, `create` one that must not
 * exist.
 */
export type OpenMode = 'read' | 'edit' | 'create';

/** The file system below a home. Synchronous: it is called from the log writer's own thread. */
export interface Disk {
  /** Files are created with mode 0600. */
  open(path: string, mode: OpenMode): DiskFile;
  /** Whether a file or directory exists at `path`. */
  exists(path: string): boolean;
  /** File names in a directory, sorted; empty when there is no such directory. */
  list(directory: string): string[];
  /** Creates a directory with mode 0700, including its parents; no error if it exists. */
  makeDirectory(path: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /**
   * Makes creations, renames and removals in a directory durable.
   * @throws an error whose `syscall` is `open` when the directory could not be opened; nothing was
   *   synced then.
   */
  syncDirectory(path: string): void;
}

/** A disk for code that creates and moves whole directories: backups and restores. */
export interface TreeDisk extends Disk {
  /** Names of files and directories in a directory, sorted; empty when there is none. */
  entries(directory: string): string[];
  /** Also renames directories; then `to` may only be an empty directory. */
  rename(from: string, to: string): void;
  /** Removes a directory and everything below it; no error if it does not exist. */
  removeTree(path: string): void;
}
