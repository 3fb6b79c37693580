// The lock by which the peer's controller keeps others from its database: an exclusive flock(2),
// held as long as it runs. A shared one proves that no controller runs, and keeps it from starting.
// Node has no such call, so that the program of util-linux or BusyBox makes it.

import { spawnSync } from 'node:child_process';
import { fstatSync, readFileSync } from 'node:fs';
import { SourceRefused } from './source-problem.ts';

/** A file that is open for reading. */
export interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
}

/** What a lock is taken with: tests replace it. */
export interface LockTools {
  /** The program `flock`. */
  readonly program: string;
  /** The system's list of locks, `/proc/locks`. @throws a system error where there is none */
  readonly readLocks: () => string;
}

/** The tools of this machine. */
export const systemLockTools: LockTools = {
  program: 'flock',
  readLocks: () => readFileSync('/proc/locks', 'utf8'),
};

/**
 * Takes the lock, which lasts until the descriptor is closed: the program shares it, so that the
 * lock is that of the open file and outlives the program.
 * @returns a sentence for the report if the lock could not be taken, and none was seen
 * @throws SourceInUse if a controller holds the database
 */
export function lockShared(file: OpenFile, tools: LockTools = systemLockTools): string | undefined {
  const { error, status } = spawnSync(tools.program, ['-s', '-n', String(sharedDescriptor)], {
    stdio: ['ignore', 'ignore', 'ignore', file.descriptor],
    timeout: flockMsMax,
  });
  if (error === undefined && status === 0) return undefined;
  if (error === undefined && status === conflictStatus) throw new SourceInUse(file.path);
  return withoutLock(file, tools);
}

/** Where a child finds the first descriptor behind its standard ones. */
const sharedDescriptor = 3;
/** What the program ends with if another process holds the lock. */
const conflictStatus = 1;
/** The program does not wait for the lock; only a stalled file system keeps it. @bound */
const flockMsMax = 10_000;

/** Where the program is missing, the system's list of locks shows at least a running controller. */
function withoutLock(file: OpenFile, tools: LockTools): string {
  const missing = `The program ${tools.program} cannot be used here, so that ${file.path} was read without its lock`;
  let locks: string;
  try {
    locks = tools.readLocks();
  } catch {
    return `${missing}, and this machine shows no locks: make sure that no controller runs on it.`;
  }
  if (isLocked(locks, file.descriptor)) throw new SourceInUse(file.path);
  return `${missing}: no controller of this machine holds it now, but one of a container or of another machine would not be seen.`;
}

/** Whether a line such as `1: FLOCK  ADVISORY  WRITE 812 08:01:131 0 EOF` is of this file. */
function isLocked(locks: string, descriptor: number): boolean {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return locks.split('\n').some((line) => {
    const [, major = '', minor = '', inode = ''] =
      /\bFLOCK\s+\S+\s+WRITE\s+\d+\s+([0-9a-f]+):([0-9a-f]+):(\d+)\s/.exec(line) ?? [];
    if (inode !== String(ino)) return false;
    // File systems without a device of their own (btrfs, overlay) show another one in the list.
    const isUncertain = Number.parseInt(major, 16) === 0 || majorOf(dev) === 0;
    return isUncertain || deviceOf(major, minor) === dev;
  });
}

/** A device number in the form of stat(2) on Linux. */
function deviceOf(major: string, minor: string): bigint {
  const [high, low] = [BigInt(`0x${major}`), BigInt(`0x${minor}`)];
  return ((low & 0xfff00n) << 12n) | (high << 8n) | (low & 0xffn);
}

function majorOf(dev: bigint): number {
  return Number((dev >> 8n) & 0xfffn);
}

/** A controller holds the database. */
export class SourceInUse extends SourceRefused {
  readonly path: string;

  constructor(path: string) {
    super(
      `${path} is in use: the controller that it belongs to is running. Stop it, or read a snapshot that it makes of itself, with \`ziti agent controller snapshot-db\` or POST /edge/management/v1/database/snapshot.`,
    );
    this.path = path;
  }
}
