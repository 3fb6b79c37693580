// Runs test files, as many at the same time as there are cores, and prints how each one went.

import { availableParallelism } from 'node:os';
import { isShared } from './alone.ts';
import { type FileRun, reportOf } from './file-run.ts';
import { runAlone } from './own-process.ts';
import { type SharedBounds, SharedProcess } from './shared-process.ts';

/** How files are run; the defaults are those of `npm test`. */
export interface RunOptions {
  readonly print: (line: string) => void;
  /** Whether a file runs in a process that others share. */
  readonly isShared?: (file: string) => boolean;
  readonly jobs?: number;
  readonly bounds?: Partial<SharedBounds>;
}

/** The sum of a run. */
export interface Totals {
  /** Assertions. */
  passed: number;
  failed: number;
  readonly durations: Record<string, number>;
}

/** Runs the files in their order. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0, durations: {} };
  const waiting = [...files];
  const jobs = options.jobs ?? availableParallelism();
  await Promise.all(Array.from({ length: jobs }, () => runInTurn(waiting, totals, options)));
  return totals;
}

/** Runs one file after the other, until none is waiting. */
async function runInTurn(waiting: string[], totals: Totals, options: RunOptions): Promise<void> {
  const print = (file: string, run: FileRun, remark?: string) => {
    for (const line of reportOf(file, run, remark)) options.print(line);
  };
  const count = (run: FileRun) => {
    totals.passed += run.passed;
    totals.failed += run.failed;
  };
  const shared = new SharedProcess((file, run) => {
    count(run);
    print(file, run, ', after its end');
  }, options.bounds);
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const isAlone = !(options.isShared ?? isShared)(file);
    const run = isAlone ? await runAlone(file) : await shared.run(file);
    totals.durations[file] = Math.round(run.durationMs);
    count(run);
    print(file, run);
    if (run.isWell || isAlone) continue;
    const again = await runAlone(file);
    print(file, again, ', alone');
    if (again.isWell)
      options.print('  Alone, the file passes: what it found may have been left by another file.');
  }
  await shared.end();
}
