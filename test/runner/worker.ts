// The program of a process that test files share. The runner sends it the path of one file at a
// time, and an empty one at the end. What the file imports from tap is a test of its own, so that
// no file needs a line for this; its results are written like those of a process of its own.

import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as tap from 'tap';
import { fileEndLine } from './file-end.ts';

/** URL of the file that is running → its test. */
const tests = new Map<string, tap.Test>();

const scheme = 'tap-of:';

/** Taken before a test replaces it. */
const { log } = console;

registerHooks({
  resolve(specifier, context, next) {
    const file = context.parentURL;
    if (specifier !== 'tap' || file === undefined || !tests.has(file)) {
      return next(specifier, context);
    }
    return { url: scheme + encodeURIComponent(file), shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(scheme)) return next(url, context);
    const file = JSON.stringify(decodeURIComponent(url.slice(scheme.length)));
    const names = Object.keys(tap).filter((name) => name !== 'default');
    const source = [
      `import { exportsFor } from ${JSON.stringify(import.meta.url)};`,
      `const found = exportsFor(${file});`,
      'export default found.t;',
      ...names.map((name) => `export const ${name} = found.${name};`),
    ].join('\n');
    return { format: 'module', source, shortCircuit: true };
  },
});

/** What tap exports, with the methods of a file's own test. */
export function exportsFor(file: string): Readonly<Record<string, unknown>> {
  const test = tests.get(file);
  if (test === undefined) throw new Error(`${file} is not running`);
  const own = Object.keys(tap).map((name) => {
    const value: unknown = Reflect.has(test, name)
      ? Reflect.get(test, name)
      : Reflect.get(tap, name);
    return [name, value];
  });
  return Object.fromEntries(own);
}

/** Like tap's root test, a file has an end after its timeout, whatever is still to run. */
class FileTest extends tap.Test {
  override timeout(options?: Parameters<tap.Test['timeout']>[0]): void {
    super.timeout(options);
    this.endAll();
  }
}

async function runFile(path: string): Promise<void> {
  const absolute = resolve(path);
  const url = pathToFileURL(absolute).href;
  // Names of fixtures and snapshots are made from it.
  process.argv[1] = absolute;
  const test = new FileTest({ name: 'TAP', timeout: Number(process.env['TAP_TIMEOUT']) * 1000 });
  tests.set(url, test);
  test.pipe(process.stdout);
  const isOver = Promise.withResolvers<void>();
  test.on('bailout', () => isOver.resolve());
  test.runMain(isOver.resolve);
  import(url).then(
    () => endWhenIdle(test),
    (error) => test.threw(error),
  );
  await isOver.promise;
  // A promise that was rejected by now and that nobody handles ends the process before this.
  await new Promise(setImmediate);
  tests.delete(url);
  log('#', test.counts.toJSON());
  const isOk = test.passing() && !test.bailedOut;
  log(fileEndLine({ isOk, heapBytes: process.memoryUsage().heapUsed }));
}

/** Ends a test once what was queued for it is done, as the end of a process would. */
function endWhenIdle(test: FileTest): void {
  if (test.occupied) test.queue.push(() => void setImmediate(() => endWhenIdle(test)));
  else test.endAll();
}

// The root test that tap makes for this process would fail after its timeout.
tap.t.setTimeout(0);
process.on('message', (path: string) => {
  if (path === '') process.exit();
  void runFile(path);
});
// The runner is gone.
process.on('disconnect', () => process.exit());
