// The reason why a directory cannot become or be a home, in one sentence.

import { sep } from 'node:path';
import {
  manifestPath,
  membershipPath,
  passwordName,
  pkiName,
} from '../../snapshots/home/layout.ts';
import { StartProblem } from '../errors/errors.ts';
import type { TreeDisk } from '../platform/ports.ts';
import type { Config } from '../settings/config.ts';

/**
 * Keeps a first start out of a directory that is used for something else, such as the working
 * directory of a user who forgot `--home`. Names that begin with a dot and `lost+found` do not
 * count, because volumes have them; neither do files that a setting names.
 * @throws StartProblem for files that neither a controller nor its settings put there
 */
export function refuseForeignFiles(disk: TreeDisk, config: Config): void {
  const { home, cluster, force } = config;
  // A node whose home was being replaced when it died has no manifest (snapshots/home).
  const marks = [manifestPath(home), membershipPath(home)];
  if (force || marks.some((path) => disk.exists(path))) return;
  const named = new Set(textsIn(config).flatMap((text) => namesBelow(home, text)));
  const foreign = entriesOf(disk, home).filter(
    (name) =>
      !name.startsWith('.') && !ownNames.has(name) && !lockAside.test(name) && !named.has(name),
  );
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, namesShown).map((name) => JSON.stringify(name));
  const more = foreign.length > namesShown ? ` and ${foreign.length - namesShown} more` : '';
  throw new StartProblem(
    `The home ${home} holds files of somebody else: ${shown.join(', ')}${more}. ` +
      `Name a new or an empty directory by --home${cluster === undefined ? forceAdvice : ''}.`,
  );
}

/** Not for a node of a cluster, which would lead without a majority as well. */
const forceAdvice = ', or start with --force to use this one';

/** What a home holds before its first start is over, and what every volume may hold. */
const ownNames: ReadonlySet<string> = new Set([
  'config.json',
  passwordName,
  pkiName,
  'run',
  'lock',
  'log',
  'snapshots',
  'manifest.tmp',
  'cluster.tmp',
  'incoming',
  'aside',
  'lost+found',
]);

/** A lock that was being taken over when the process died. */
const lockAside = /^lock\.\d+$/;

/** Foreign files that the refusal names; more would hide the advice behind them. */
const namesShown = 3;

/** A home that is a file, or cannot be read, is refused where it is opened. */
function entriesOf(disk: TreeDisk, home: string): string[] {
  try {
    return disk.entries(home);
  } catch {
    return [];
  }
}

/** All texts in the values of settings, paths among them. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The entry of the home that a path leads through, if it does. */
function namesBelow(home: string, path: string): string[] {
  const start = home.endsWith(sep) ? home : home + sep;
  return path.startsWith(start) ? path.slice(start.length).split(sep, 1) : [];
}

/**
 * The sentence for a failure to create a directory, which names the path that is to blame.
 * Undefined for any other failure.
 */
export function homeRefusal(home: string, error: NodeJS.ErrnoException): string | undefined {
  const { code = '', syscall, path = home } = error;
  if (syscall === 'stat' && code === 'ENOTDIR') return notBelowFile(home);
  if (syscall !== 'mkdir') return undefined;
  if (code === 'EEXIST' && path === home) {
    return `The home ${home} is a file, but must be a directory: name another one by --home.`;
  }
  if (code === 'EEXIST' || code === 'ENOTDIR') return notBelowFile(home);
  const reason = reasons[code] ?? error.message;
  return `The home ${home} cannot be created: ${path}: ${reason}. Name another one by --home.`;
}

function notBelowFile(home: string): string {
  return `The home ${home} cannot be created: a part of its path is a file, not a directory.`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the file system permits no new directory there',
  ENOENT: 'the file system permits no new directory there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};
