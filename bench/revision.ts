// Another revision of this repository, built in a separate worktree and measured in turns with this
// one.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A revision that can be started. */
export interface Revision {
  /** The revision as given on the command line, with its commit. */
  readonly name: string;
  readonly root: string;
  /** Removes the worktree. */
  remove(): void;
}

const here = fileURLToPath(new URL('..', import.meta.url));

/**
 * Checks a revision out and builds it. It uses this checkout's packages if both lock the same ones;
 * otherwise `npm ci` installs its own. @throws Error when git or npm does.
 */
export function buildRevision(reference: string, progress: (line: string) => void): Revision {
  const commit = git('rev-parse', '--verify', '--end-of-options', `${reference}^{commit}`);
  const short = commit.slice(0, 7);
  const name = short.startsWith(reference) ? short : `${reference} (${short})`;
  // Outside of the checkout, because compiler, linter and tests would otherwise include its files.
  const directory = mkdtempSync(join(tmpdir(), 'edge-bench-'));
  const root = join(directory, 'tree');
  git('worktree', 'add', '--detach', '--quiet', root, commit);
  const remove = (): void => {
    process.off('exit', remove);
    git('worktree', 'remove', '--force', root);
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const isSame = lockOf(root) === lockOf(here);
  progress(`${name}: ${isSame ? 'the same packages' : 'npm ci'}`);
  if (isSame) symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'));
  else run(root, 'npm', 'ci', '--no-audit', '--no-fund');
  const build = join(root, '.ci/build.ts');
  if (existsSync(build)) run(root, join(root, 'node_modules/.bin/node'), quiet, build);
  return { name, root, remove };
}

const quiet = '--disable-warning=ExperimentalWarning';

function lockOf(root: string): string {
  return readFileSync(join(root, 'package-lock.json'), 'utf8');
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: here, encoding: 'utf8' }).trim();
}

function run(cwd: string, command: string, ...words: string[]): void {
  execFileSync(command, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
