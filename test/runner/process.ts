// Starts and ends the processes of test files: plain Node without tap's tracker, in the root of the
// project, with controllers from `dist/`.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { builtMain } from '../../.ci/build.ts';
import { isNightly } from '../campaigns.ts';

/** The root of the project. */
export const root = join(import.meta.dirname, '../..');

/** A test that goes on for longer fails, unless it asks for more time (`t.setTimeout`). */
const testTimeoutSeconds = 300;

/** Ends a process that is too busy to notice its own timeout. */
export const fileTimeoutMs = (isNightly ? 180 : 20) * 60_000;

/**
 * Also for threads that are started with no arguments, and for test programs that inherit it. The
 * controllers of `test/system/` get none of it.
 */
const loading = `--import=${new URL('./loading.mjs', import.meta.url).href}`;

/** In MiB, from the start: tests make far more than they keep, and each collection copies that. */
const youngBytes = ['--max-semi-space-size=64', '--min-semi-space-size=64'] as const;

/** Starts Node on a program, at an absolute path or one below the root of the project. */
export function startNode(program: string, stdio: StdioOptions): ChildProcess {
  return spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...youngBytes, program],
    {
      cwd: root,
      env: {
        NODE_COMPILE_CACHE: join(root, '.tap/compile-cache'),
        ...process.env,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} ${loading}`,
        TAP_TIMEOUT: String(testTimeoutSeconds),
        EDGE_TEST_ENTRY: builtMain,
      },
      stdio,
    },
  );
}

/** Kills a process after `timeoutMs`, unless its `remark` was asked for by then. */
export function killLater(child: ChildProcess, timeoutMs: number): { remark(): string } {
  let text = '';
  const timer = setTimeout(() => {
    text = `, as the file took longer than ${timeoutMs / 1000} s`;
    child.kill('SIGKILL');
  }, timeoutMs);
  return {
    remark() {
      clearTimeout(timer);
      return text;
    },
  };
}
