// The runner of the tests: files in a process that they share behave as in one of their own, and
// what goes wrong in one of them is shown and reaches no other.

import { relative } from 'node:path';
import t, { type Test } from 'tap';
import { isShared } from '../runner/alone.ts';
import {
  longestFirst,
  readDurations,
  shuffled,
  testFiles,
  writeDurations,
} from '../runner/order.ts';
import { root } from '../runner/process.ts';
import { type RunOptions, runFiles } from '../runner/run-files.ts';

/** Runs files, given by names and texts, in one row, and returns what the runner printed. */
async function run(
  t: Test,
  files: Readonly<Record<string, string>>,
  options: Omit<RunOptions, 'print'> = {},
) {
  const directory = t.testdir({ ...files });
  const lines: string[] = [];
  const paths = Object.keys(files)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => relative(root, `${directory}/${name}`));
  const print = (line: string) =>
    lines.push(line.replaceAll(/\.tap\/fixtures\/[^/ ]*\//g, '').replace(/\d+\.\d s/, '0.0 s'));
  const totals = await runFiles(paths, { isShared: () => true, jobs: 1, ...options, print });
  return { lines, ...totals };
}

/** The lines that say how files went. */
const heads = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('  '));

const passing = "import t from 'tap';\nt.ok(true);\nt.comment(process.pid);\n";

/** Path of the fixtures of the first test, which is part of the name of a snapshot. */
const wellFolder = '.tap/fixtures/test-ci-runner.test.ts-files-that-pass';

const wellFiles = {
  'default.test.ts': `import t from 'tap';
    t.before(async () => { await null; t.comment('before'); });
    t.teardown(() => console.log('# teardown'));
    t.test('one', async (t) => { t.ok(true); t.comment(t.testdir()); t.comment(t.fullname); });
    t.test('inner', async (t) => { await t.test('two', async (t) => { t.ok(true); t.ok(true); }); });`,
  'named.test.ts': `import { t, test, type Test } from 'tap';
    test('one', (t: Test) => { t.ok(true); t.end(); });
    t.pass('two');`,
  'await.test.ts': `import t from 'tap';
    const one = await new Promise((resolve) => setImmediate(() => resolve(1)));
    t.equal(one, 1);
    await t.test('two', async (t) => { t.ok(true); });
    t.end();`,
  'snapshot.test.ts': `import { fileURLToPath } from 'node:url';
    import t from 'tap';
    t.snapshotFile = fileURLToPath(new URL('snapshot.cjs', import.meta.url));
    t.matchSnapshot('a text', 'kept');`,
  'snapshot.cjs': `exports['${wellFolder}/snapshot.test.ts > TAP > kept 1'] = 'a text';`,
  'time.test.ts': `import t from 'tap';
    t.setTimeout(100_000);
    t.test('one', { timeout: 90_000 }, async (t) => { t.setTimeout(80_000); t.ok(true); });`,
  'skip.test.ts': `import t from 'tap';
    t.plan(2);
    t.test('not here', { skip: 'no reason' }, async (t) => t.ok(false));
    t.todo('not yet');`,
};

t.test('files that pass', async (t) => {
  const shared = await run(t, wellFiles);
  const own = await run(t, wellFiles, { isShared: () => false });
  t.same(shared.lines, own.lines, 'a shared process prints what an own one does');
  t.same(heads(shared.lines), [
    'ok - default.test.ts # 3 passed, 0.0 s',
    'ok - named.test.ts # 2 passed, 0.0 s',
    'ok - await.test.ts # 2 passed, 0.0 s',
    'ok - snapshot.test.ts # 1 passed, 0.0 s',
    'ok - time.test.ts # 1 passed, 0.0 s',
    'ok - skip.test.ts # 0 passed, 0.0 s',
  ]);
  const text = shared.lines.join('\n');
  for (const line of [/# before$/m, /default\.test\.ts-one$/m, /> TAP > one$/m, /# teardown$/m]) {
    t.match(text, line);
  }
  t.same([shared.passed, shared.failed], [9, 0]);
  t.equal(Object.keys(shared.durations).length, 6);
});

/** Name → a file that fails, and what the runner shows of it. */
const failingFiles: Readonly<Record<string, { text: string; shows: RegExp }>> = {
  'equal.test.ts': {
    text: "import t from 'tap';\nt.test('one', async (t) => { t.equal(1, 2, 'is two'); });",
    shows: /not ok 1 - is two\n.*-2\n +\+1/s,
  },
  'import.test.ts': {
    text: "import t from 'tap';\nt.ok(true);\nthrow new Error('no such luck');",
    shows: /(?:not ok 2 -|Error:) no such luck\n.*import\.test\.ts/s,
  },
  'plan.test.ts': {
    text: "import t from 'tap';\nt.plan(2);\nt.ok(true);",
    shows: /test count\(1\) != plan\(2\)/,
  },
  'nothing.test.ts': { text: 'export {};', shows: /ended with/ },
  'bail.test.ts': {
    text: "import t from 'tap';\nt.test('one', async (t) => { t.bailout('enough'); });",
    shows: /Bail out! enough/,
  },
  'rejection.test.ts': {
    text: "import t from 'tap';\nPromise.reject(new Error('unseen'));\nt.ok(true);",
    shows: /unseen/,
  },
  'teardown.test.ts': {
    text: "import t from 'tap';\nt.teardown(() => { throw new Error('stuck'); });\nt.ok(true);",
    shows: /Error: stuck/,
  },
  'exit.test.ts': {
    text: "import t from 'tap';\nt.test('one', async () => process.exit(7));",
    shows: /ended with [17]/,
  },
};

t.test('files that fail', async (t) => {
  const names = Object.keys(failingFiles);
  const texts = Object.entries(failingFiles).map(([name, { text }]) => [name, text] as const);
  const { lines, failed } = await run(t, { ...Object.fromEntries(texts), 'next.test.ts': passing });
  const outcomes = heads(lines).map((line) => line.replace(/# \d passed, 0\.0 s/, '#'));
  t.same(outcomes, [
    ...names.flatMap((name) => [`not ok - ${name} #`, `not ok - ${name} #, alone`]),
    'ok - next.test.ts #',
  ]);
  t.ok(failed >= names.length);
  for (const [name, { shows }] of Object.entries(failingFiles)) {
    const [, shared, own] = lines.join('\n').split(`not ok - ${name}`);
    t.match(shared, shows, `${name} in a shared process`);
    t.match(own, shows, `${name} alone`);
  }
});

t.test('a timeout ends a file', async (t) => {
  const text = `import t from 'tap';
    t.setTimeout(1);
    t.test('never', () => new Promise(() => setInterval(() => {}, 1000)));
    t.test('not at all', async (t) => t.ok(true));`;
  const { lines, failed } = await run(t, { 'never.test.ts': text, 'next.test.ts': passing });
  t.ok(failed > 0);
  t.match(lines.join('\n'), /not ok 1 - timeout!/);
  t.equal(heads(lines).at(-1), 'ok - next.test.ts # 1 passed, 0.0 s');
});

t.test('a busy file is ended', async (t) => {
  const busy = "import t from 'tap';\nt.ok(true);\nif (process.send) for (;;);\n";
  const bounds = { timeoutMs: 1000 };
  const { lines, failed } = await run(t, { 'busy.test.ts': busy }, { bounds });
  t.equal(failed, 1);
  t.same(heads(lines), [
    'not ok - busy.test.ts # 0 passed, 0.0 s',
    'ok - busy.test.ts # 1 passed, 0.0 s, alone',
  ]);
  t.ok(lines.includes('  ended with SIGKILL, as the file took longer than 1 s'));
});

t.test('a leak is a failure', async (t) => {
  const leaking = "import t from 'tap';\nglobalThis.name = 'left';\nt.ok(true);\n";
  const leaked = "import t from 'tap';\nt.equal(globalThis.name, undefined);\n";
  const files = { 'a.test.ts': leaking, 'b.test.ts': leaked, 'c.test.ts': leaked };
  const { lines, passed, failed } = await run(t, files);
  t.same([passed, failed], [2, 1]);
  t.same(heads(lines), [
    'ok - a.test.ts # 1 passed, 0.0 s',
    'not ok - b.test.ts # 0 passed, 0.0 s',
    'ok - b.test.ts # 1 passed, 0.0 s, alone',
    'ok - c.test.ts # 1 passed, 0.0 s',
  ]);
  t.ok(
    lines.includes('  Alone, the file passes: what it found may have been left by another file.'),
  );
});

t.test('a late error', async (t) => {
  const late = `import t from 'tap';
    t.ok(true);
    process.once('exit', () => { throw new Error('too late'); });`;
  const { lines, passed, failed } = await run(t, { 'a.test.ts': passing, 'b.test.ts': late });
  t.same([passed, failed], [2, 1]);
  t.equal(heads(lines).at(-1), 'not ok - b.test.ts # 0 passed, 0.0 s, after its end');
  t.match(lines.join('\n'), /too late/);
});

t.test('a process is renewed', async (t) => {
  const processes = async (count: number, bounds: RunOptions['bounds']) => {
    const names = Array.from({ length: count }, (_, at) => `${at}.test.ts`);
    const files = Object.fromEntries(names.map((name) => [name, passing]));
    const { lines } = await run(t, files, { bounds });
    const ids = lines.filter((line) => /^ {2}# \d+$/.test(line));
    return ids.map((id) => [...new Set(ids)].indexOf(id));
  };
  t.same(await processes(3, {}), [0, 0, 0]);
  t.same(await processes(3, { filesMax: 2 }), [0, 0, 1]);
  t.same(await processes(2, { heapBytesMax: 1 }), [0, 1]);
});

t.test('which files share a process', async (t) => {
  t.ok(isShared('test/store/keys.test.ts'));
  t.ok(isShared('test/settings/config.test.ts'));
  t.notOk(isShared('test/http/front.test.ts'));
  t.notOk(isShared('.tap/fixtures/a.test.ts'));
});

t.test('the order of files', async (t) => {
  const durations = { 'test/a.test.ts': 1, 'test/b.test.ts': 3, 'test/c.test.ts': 2 };
  const fresh = ['test/d.test.ts', 'test/system/e.test.ts'];
  t.same(longestFirst([...Object.keys(durations), ...fresh], durations), [
    'test/system/e.test.ts',
    'test/d.test.ts',
    'test/b.test.ts',
    'test/c.test.ts',
    'test/a.test.ts',
  ]);
  const files = testFiles(['test/ci/', 'test/store/']);
  t.ok(files.includes('test/ci/runner.test.ts'));
  t.same(shuffled(files, 7), shuffled(files, 7));
  t.not(shuffled(files, 7).join(), shuffled(files, 8).join());
  t.same(shuffled(files, 7).toSorted(), files);
});

t.test('what files took', async (t) => {
  const path = `${t.testdir({ 'torn.json': '{"a": ' })}/durations.json`;
  t.same(readDurations(path), {}, 'a fresh checkout has none');
  writeDurations({ a: 1, b: 2 }, path);
  writeDurations({ b: 3 }, path);
  t.same(readDurations(path), { a: 1, b: 3 });
  t.same(readDurations(`${t.testdirName}/torn.json`), {});
});
