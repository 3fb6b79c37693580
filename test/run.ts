// Runs test files, each in a process of its own: `npm test`, or `npm test test/store` for the
// files whose path begins so. Controllers that they start are built ones, from `dist/`.
//
// tap's own runner is not used, as it loads a tracker of processes (for coverage, which is off)
// into every test, every controller that a test starts and their worker threads. That more than
// doubles their CPU time. `npx tap FILE` still works.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, builtMain } from '../.ci/build.ts';
import { isNightly } from './campaigns.ts';

const root = join(import.meta.dirname, '..');

/** Files that run at the same time: most of them keep one core busy. */
const jobs = 2;

/** A test that goes on for longer fails, unless it asks for more time (`t.setTimeout`). */
const testTimeoutSeconds = 300;

/** Ends a process that is too busy to notice its own timeout. */
const fileTimeoutMs = (isNightly ? 180 : 20) * 60_000;

/** These have the longest files, so they start first and none of them runs alone at the end. */
const longest = ['test/system/', 'test/crash/', 'test/model/', 'test/contract/'] as const;

/** Of the output of a file that fails, what follows each failure and at most. */
const shown = { linesAfter: 40, linesMax: 600, linesAtEnd: 60 } as const;

interface Totals {
  passed: number;
  failed: number;
}

function testFiles(beginnings: readonly string[]): string[] {
  const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path}`)
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
  const chosen = all.filter(
    (path) => beginnings.length === 0 || beginnings.some((start) => path.startsWith(start)),
  );
  const isLong = (path: string) => longest.some((folder) => path.startsWith(folder));
  return [
    ...longest.flatMap((folder) => chosen.filter((path) => path.startsWith(folder))),
    ...chosen.filter((path) => !isLong(path)),
  ];
}

/** Runs one file, prints how it went, and adds its assertions to `totals`. */
async function runFile(file: string, totals: Totals): Promise<void> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: root,
    env: {
      NODE_COMPILE_CACHE: join(root, '.tap/compile-cache'),
      ...process.env,
      TAP_TIMEOUT: String(testTimeoutSeconds),
      EDGE_TEST_ENTRY: builtMain,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: fileTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const said = outputOf(child);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const output = said();
  // The last comment of a test process: `# { total: 120, pass: 119, fail: 1 }`.
  const counts = /^# \{ total: .*\}$/m.exec(output)?.[0];
  const passed = Number(/pass: (\d+)/.exec(counts ?? '')?.[1] ?? 0);
  const failed = Number(/fail: (\d+)/.exec(counts ?? '')?.[1] ?? 0);
  const isWell = code === 0 && counts !== undefined;
  totals.passed += passed;
  // A file that ends before its plan shows in its exit code only.
  totals.failed += isWell ? 0 : Math.max(1, failed);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${isWell ? 'ok' : 'not ok'} - ${file} # ${passed} passed, ${seconds} s`);
  for (const line of commentsIn(output)) console.log(`  ${line}`);
  if (isWell) return;
  console.log(`  ended with ${signal ?? code}`);
  for (const line of failuresIn(output)) console.log(`  ${line}`);
}

/** @returns what gives all that the process has said */
function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return () => output;
}

/** What tests themselves remarked, such as the seed of a campaign. */
function commentsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /^ *# (?!Subtest|time=|\{ total)/.test(line))
    .map((line) => line.trim());
}

function failuresIn(output: string): string[] {
  const lines = output.split('\n');
  const isShown = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (!/^ *not ok /.test(line)) continue;
    for (let next = at; next <= at + shown.linesAfter; next++) isShown.add(next);
  }
  if (isShown.size === 0) return lines.slice(-shown.linesAtEnd);
  return lines.filter((_, at) => isShown.has(at)).slice(0, shown.linesMax);
}

build(root);
const totals: Totals = { passed: 0, failed: 0 };
const waiting = testFiles(process.argv.slice(2));
if (waiting.length === 0) throw new Error('no test file has such a path');
async function work(): Promise<void> {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    await runFile(file, totals);
  }
}
await Promise.all(Array.from({ length: jobs }, work));
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;
