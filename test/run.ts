// Runs test files: `npm test`, or `npm test test/store` for the files whose path begins so. Without
// a path, those of `runner/nightly.ts` are left to the night; `npm test test/` runs all. Files
// share long-lived processes, except those in the folders of `runner/alone.ts`.
// `npm test -- --isolate` gives each file a process of its own, in a random order; `--seed N`
// repeats an order. Controllers that they start are built ones, from `dist/`.
//
// tap's own runner is not used, as it loads a tracker of processes (for coverage, which is off)
// into every test, every controller that a test starts and their worker threads. That more than
// doubles their CPU time. `npx tap FILE` still works.

import { parseArgs } from 'node:util';
import { build } from '../.ci/build.ts';
import { byDay } from './runner/nightly.ts';
import {
  longestFirst,
  readDurations,
  shuffled,
  testFiles,
  writeDurations,
} from './runner/order.ts';
import { root } from './runner/process.ts';
import { runFiles } from './runner/run-files.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { isolate: { type: 'boolean', default: false }, seed: { type: 'string' } },
});
const named = testFiles(positionals);
const files = positionals.length === 0 ? byDay(named) : named;
if (files.length === 0) throw new Error('no test file has such a path');
await build(root);

const print = (line: string) => console.log(line);

async function runIsolated() {
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  print(`random order: npm test -- --isolate --seed ${seed} ${positionals.join(' ')}`.trim());
  return await runFiles(shuffled(files, seed), { print, isShared: () => false });
}

async function runShared() {
  const totals = await runFiles(longestFirst(files, readDurations()), { print });
  writeDurations(totals.durations);
  return totals;
}

const { passed, failed } = await (values.isolate ? runIsolated() : runShared());
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
