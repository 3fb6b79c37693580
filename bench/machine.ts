// The machine of a run, without which a figure says nothing.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { version } from '../src/platform/version.ts';
import type { MachineDescription } from './results.ts';

/** Describes this machine; `directory` is where the homes are. */
export function describeMachine(directory: string): MachineDescription {
  mkdirSync(directory, { recursive: true });
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    fileSystem: fileSystemOf(directory),
    node: process.version,
    version,
    commit: git('describe', '--always', '--exclude=*'),
    isDirty: !['', unknown].includes(git('status', '--porcelain', '--untracked-files=no')),
    dependencies: dependencies(),
  };
}

/** Type of the file system with the longest mount point above `directory`. */
function fileSystemOf(directory: string): string {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  let best = ['', '', 'unknown'];
  for (const mount of mounts) {
    const point = mount[1] ?? '';
    const holds = directory === point || directory.startsWith(point.replace(/\/?$/, '/'));
    if (holds && point.length >= (best[1] ?? '').length) best = mount;
  }
  return best[2] ?? 'unknown';
}

/** The installed versions, which may differ from the lock file. */
function dependencies(): Record<string, string> {
  const root = new URL('../', import.meta.url);
  const read = (path: string): Manifest =>
    JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Manifest;
  const versions = Object.keys(read('package.json').dependencies ?? {}).map((name) => {
    try {
      return [name, read(`node_modules/${name}/package.json`).version ?? 'unknown'];
    } catch {
      return [name, 'not installed'];
    }
  });
  return Object.fromEntries(versions);
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function git(...words: string[]): string {
  try {
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return unknown;
  }
}

/** Used when git gives no answer: there may be no repository. */
const unknown = 'unknown';
