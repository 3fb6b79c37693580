// Creates a directory as a whole or not at all, whatever fails on the way.

import { dirname } from 'node:path';

import type { TreeDisk } from '../../src/platform/ports.ts';
import { HomeLocked, RestoreRefused } from '../errors.ts';
import { lockPath } from './layout.ts';
import { acquireLock, refuseIfInUse } from './lock.ts';

/** The place of a directory. */
export interface Placement {
  readonly target: string;
  /** Where an existing `target` is moved. Without it, `target` must be empty or missing. */
  readonly aside?: string | undefined;
}

/**
 * Has `build` fill a directory beside `target`, which then gets that name. After a crash, `target`
 * holds either nothing or all of it. The next call for the same target removes any leftovers beside
 * it. With `aside` there are two renames: a crash between them leaves both directories complete and
 * none at `target`.
 * @param build syncs the directories it creates, except for the one it is given
 * @throws HomeLocked when another process works on it, or uses what would be moved aside; whatever
 *   `build` throws and any error of the disk, with nothing left behind
 */
export function makeWhole<T>(
  disk: TreeDisk,
  { target, aside }: Placement,
  build: (directory: string) => T,
): T {
  const staging = target + stagingSuffix;
  refuseIfInUse(disk, staging);
  disk.removeTree(staging);
  let built: T;
  let isOurs = false;
  try {
    disk.makeDirectory(staging);
    acquireLock(disk, staging);
    isOurs = true;
    built = build(staging);
    disk.syncDirectory(staging);
    if (aside === undefined) takeName(disk, staging, target);
    else takePlace(disk, staging, target, aside);
  } catch (error) {
    const isTheirs = !isOurs && error instanceof HomeLocked;
    if (!isTheirs) quietly(() => disk.removeTree(staging));
    throw error;
  }
  disk.syncDirectory(dirname(target));
  disk.remove(lockPath(target));
  disk.syncDirectory(target);
  return built;
}

/** The unfinished directory is beside its target, on the same file system. */
const stagingSuffix = '.unfinished';

function takeName(disk: TreeDisk, staging: string, target: string): void {
  try {
    disk.rename(staging, target);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') {
      throw new RestoreRefused(`${target} is no longer empty: somebody else began to use it.`);
    }
    if (code === 'EBUSY' || code === 'EXDEV') {
      throw new RestoreRefused(
        `${target} is a mount point, which no other directory can take the name of: ` +
          'name a directory below it.',
      );
    }
    throw error;
  }
}

/** The lock on the directory that is moved aside keeps other processes from starting on it. */
function takePlace(disk: TreeDisk, staging: string, target: string, aside: string): void {
  const release = acquireLock(disk, target);
  let isAside = false;
  try {
    disk.syncDirectory(target);
    disk.rename(target, aside);
    isAside = true;
    takeName(disk, staging, target);
  } catch (error) {
    if (isAside) quietly(() => disk.rename(aside, target));
    quietly(release);
    throw error;
  }
  disk.remove(lockPath(aside));
  disk.syncDirectory(aside);
}

/** Ignores errors of a clean-up: the original error is the one to report. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // The next call for the same target cleans up.
  }
}
