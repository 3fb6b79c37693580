// Ensures one process per home: a lock file records its holder, so that a dead holder is
// recognized.

import type { Disk } from '../../src/platform/ports.ts';
import { HomeLocked } from '../errors.ts';
import { withFile } from './file-access.ts';
import { lockPath } from './layout.ts';

/**
 * Takes the lock of `home` and returns the function that releases it. A lock left by a killed
 * process, by another boot of the machine, or by an earlier process of the same pid (pid 1 of a
 * container) is taken over.
 *
 * A holder in another pid namespace that shares the home is not detected. Do not share a home
 * between containers.
 * @throws HomeLocked when its holder is alive.
 */
export function acquireLock(disk: Disk, home: string): () => void {
  const path = lockPath(home);
  const ours = JSON.stringify(identify(disk, process.pid));
  if (disk.exists(path)) takeOver(disk, home, path);
  clearAside(disk, home);
  create(disk, home, path, ours);
  return () => {
    if (readText(disk, path) === ours) disk.remove(path);
  };
}

/** The process that holds the lock of `home` now; undefined for none. Changes nothing. */
export function holderOf(disk: Disk, home: string): number | undefined {
  const text = readText(disk, lockPath(home));
  return isAlive(disk, text) ? parsed(text).pid : undefined;
}

/** @throws HomeLocked when the process that holds `home` is alive. Changes nothing. */
export function refuseIfInUse(disk: Disk, home: string): void {
  refuseIfAlive(disk, home, readText(disk, lockPath(home)));
}

interface Holder {
  readonly pid: number;
  /** Clock ticks since boot at which the process started; null where /proc does not say. */
  readonly startTicks: number | null;
  /** Random id of the machine's boot; null where /proc does not say. */
  readonly bootId: string | null;
}

/**
 * Moves a dead holder's lock away. Two processes that start at once cannot both end up believing
 * that they hold it.
 */
function takeOver(disk: Disk, home: string, path: string): void {
  const found = readText(disk, path);
  refuseIfAlive(disk, home, found);
  const aside = `${path}.${process.pid}`;
  try {
    disk.rename(path, aside);
  } catch (error) {
    // Another process moved it first; it then creates the next lock before us, or loses to us.
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = readText(disk, aside);
  if (moved !== found && isAlive(disk, moved)) {
    disk.rename(aside, path);
    refuseIfAlive(disk, home, moved);
  }
  disk.remove(aside);
}

/** Removes the files of processes that died in the middle of `takeOver`. */
function clearAside(disk: Disk, home: string): void {
  for (const name of disk.list(home)) {
    const pid = Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid === 0) continue;
    const isDead = pid === process.pid || startTicksOf(disk, pid) === null;
    if (isDead) disk.remove(`${lockPath(home)}.${pid}`);
  }
}

function create(disk: Disk, home: string, path: string, text: string): void {
  try {
    withFile(disk, path, 'create', (file) => file.write([Buffer.from(text)], 0));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new HomeLocked(home, parsed(readText(disk, path)).pid);
    throw error;
  }
}

function refuseIfAlive(disk: Disk, home: string, text: string): void {
  if (isAlive(disk, text)) throw new HomeLocked(home, parsed(text).pid);
}

function isAlive(disk: Disk, text: string): boolean {
  const then = parsed(text);
  if (then.pid <= 0) return false;
  const now = identify(disk, then.pid);
  if (now.bootId === null || then.bootId === null) return answersSignal(then.pid);
  return (
    then.bootId === now.bootId && then.startTicks !== null && then.startTicks === now.startTicks
  );
}

/** Without /proc, the only available check is whether some process has that pid. */
function answersSignal(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function identify(disk: Disk, pid: number): Holder {
  const bootId = readText(disk, '/proc/sys/kernel/random/boot_id').trim();
  return { pid, startTicks: startTicksOf(disk, pid), bootId: bootId === '' ? null : bootId };
}

/**
 * Field 22 of /proc/<pid>/stat; the name in field 2 may hold blanks and brackets. Zombies are dead.
 */
function startTicksOf(disk: Disk, pid: number): number | null {
  const stat = readText(disk, `/proc/${pid}/stat`);
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields[18];
  return ticks === undefined || state === 'Z' || state === 'X' ? null : Number(ticks);
}

/** A lock file cut short by a crash names no holder. */
function parsed(text: string): Holder {
  try {
    const { pid, startTicks, bootId } = JSON.parse(text) as Partial<Holder>;
    return { pid: pid ?? 0, startTicks: startTicks ?? null, bootId: bootId ?? null };
  } catch {
    return { pid: 0, startTicks: null, bootId: null };
  }
}

/** Codes for a file that is not there, or a process that has ended while its file was read. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ESRCH']);

/** The start of a small file; files of /proc say size 0. Empty when it is not there. */
function readText(disk: Disk, path: string): string {
  try {
    return withFile(disk, path, 'read', (file) => file.read(0, 4096).toString('utf8'));
  } catch (error) {
    if (absent.has(codeOf(error))) return '';
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
