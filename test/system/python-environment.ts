// Virtual environments of Python below `.tap/`, one per set of requirements, recreated when these
// change.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Lacking } from './endings.ts';

/** Far more than PyPI takes. */
const installTimeoutMs = 5 * 60_000;

/**
 * Installs what a requirements file names, unless it is there. Git ignores the place.
 *
 * @returns the directory of its commands
 * @throws Lacking without python3 and its module venv, or when PyPI does not give the packages
 */
export function pythonEnvironment(name: string, requirements: string): string {
  const directory = join(import.meta.dirname, '../../.tap', name);
  const bin = join(directory, 'bin');
  const wanted = readFileSync(requirements, 'utf8');
  const mark = join(directory, 'installed.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return bin;
  rmSync(directory, { recursive: true, force: true });
  if (spawnSync('python3', ['-m', 'venv', '--help']).status !== 0) {
    throw new Lacking('there is no python3 with the module venv');
  }
  const quiet = ['--quiet', '--disable-pip-version-check'];
  const isInstalled =
    succeeds('python3', ['-m', 'venv', directory]) &&
    succeeds(join(bin, 'pip'), ['install', ...quiet, '-r', requirements]);
  if (!isInstalled) throw new Lacking(`${name} could not be installed from PyPI`);
  writeFileSync(mark, wanted);
  return bin;
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit', timeout: installTimeoutMs }).status === 0;
}
