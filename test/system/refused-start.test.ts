// Starts that are refused: one clear sentence on standard error, its exit code, nothing changed.

import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { exitCodes } from '../../src/commands/exit-codes.ts';
import { connect, logIn } from './client.ts';
import { refusedHere, runHere } from './command-here.ts';
import { damageFrame, digestOf, makeManifestNewer, makeSegmentNewer } from './damage.ts';
import { type Ended, makeHome, runToEnd, serve, startProcess } from './process.ts';

/** One line, a sentence in our name, no stack and no log beside it. */
function refused(t: Test, { code, stdout, stderr }: Ended, sentence: RegExp, expected = 2): void {
  t.equal(code, expected, `exit code ${expected}`);
  t.equal(stdout, '', 'silence on standard output');
  t.match(stderr, /^edge-control: [^\n]+\n$/, 'one line on standard error');
  t.match(stderr, sentence);
}

const isRoot = process.getuid?.() === 0 && 'root may write everywhere';

t.test('wrong words, flags and values', async (t) => {
  const cases: [readonly string[], RegExp][] = [
    [['fly'], /unknown command 'fly'/],
    [['run', '--hom', '/nowhere'], /unknown option '--hom'/],
    [['run', '--home'], /'--home <directory>' argument missing/],
    [['run', '--listen', 'here'], /--listen.*"here".*must be HOST:PORT/],
    [['run', '--listen', 'here:65536'], /must be HOST:PORT with a port from 0 to 65535/],
    [['run', 'here'], /Expected 0 arguments but got 1; see edge-control --help/],
    [['run', '--tls-workers', '0'], /--tls-workers.*must be an integer from 1 to 256/],
    [['run', '--durability', 'hope'], /must be one of disk, second, memory/],
    [['init', '--config', '/nowhere/c.json'], /configuration file cannot be read.*nowhere/],
  ];
  const ends = await Promise.all(cases.map(([words]) => runToEnd(t, words)));
  for (const [index, [, sentence]] of cases.entries()) {
    const end = ends[index];
    if (end !== undefined) refused(t, end, sentence);
  }
});

t.test('a wrong setting in the environment or the file', async (t) => {
  const home = makeHome(t);
  const fromEnvironment = await runHere(['run', '--home', home], { EDGE_LISTEN: 'nonsense' });
  refused(t, fromEnvironment, /EDGE_LISTEN.*"nonsense"/);
  writeFileSync(join(home, 'config.json'), '{"snapshots": {"keep": 3}}');
  refused(t, await runHere(['run', '--home', home]), /snapshots\.keep in .*config\.json/);
  writeFileSync(join(home, 'config.json'), '{"snapshot": ');
  refused(t, await runHere(['run', '--home', home]), /config\.json is not valid JSON/);
});

t.test('a home that cannot be one', async (t) => {
  const directory = t.testdir({ file: 'this is no directory' });
  const file = join(directory, 'file');
  const cases: [string, RegExp][] = [
    [file, /The home .*file is a file, but must be a directory/],
    [join(file, 'below'), /below cannot be created: a part of its path is a file/],
    ['/proc/none', /The home \/proc\/none cannot be created: .*permits no new directory there/],
    ['/proc/none/below', /cannot be created: \/proc\/none: .*permits no new directory there/],
  ];
  for (const [home, sentence] of cases) {
    refused(t, await refusedHere(home), sentence);
    refused(t, await runHere(['init', '--home', home]), sentence);
  }
});

t.test('a parent in which nothing may be created', { skip: isRoot }, async (t) => {
  const directory = t.testdir({ closed: {} });
  const closed = join(directory, 'closed');
  chmodSync(closed, 0o500);
  const home = join(closed, 'home');
  refused(t, await refusedHere(home), /cannot be created: .*home: permission denied/);
});

t.test('a directory where a file of the home should be', async (t) => {
  const home = makeHome(t);
  mkdirSync(join(home, 'manifest'));
  refused(t, await refusedHere(home), new RegExp(`^edge-control: .*${home}.*directory`));
});

t.test('a port in use leaves no home behind', async (t) => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  t.teardown(() => holder.close());
  const address = holder.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const inUse = new RegExp(`127\\.0\\.0\\.1:${port}.*in use`);

  const home = join(t.testdir({}), 'home');
  const end = await runHere(['run', '--home', home, '--listen', `127.0.0.1:${port}`]);
  refused(t, end, inUse, exitCodes.notYetStarted);
  t.notOk(existsSync(home), 'nothing was made');

  const direct = ['--direct-listen', `127.0.0.1:${port}`];
  refused(t, await refusedHere(home, direct), inUse, exitCodes.notYetStarted);
  t.notOk(existsSync(home), 'nor for the direct listener');
});

t.test('a console that is none', async (t) => {
  const directory = t.testdir({ empty: {}, file: 'this is no directory' });
  const home = join(directory, 'home');
  const cases: [string, RegExp][] = [
    ['none', /The console in .*none cannot be read: .*ENOENT/],
    ['file', /The console in .*file cannot be read: .*ENOTDIR/],
    ['empty', /empty is no built console: it has no index\.html/],
    ['home/www', /console is .*www but must be apart from the home/],
    ['.', /must be apart from the home/],
  ];
  const ends = await Promise.all(
    cases.map(([name]) => refusedHere(home, ['--console', join(directory, name)])),
  );
  for (const [index, [, sentence]] of cases.entries()) {
    const end = ends[index];
    if (end !== undefined) refused(t, end, sentence);
  }
  t.notOk(existsSync(home), 'nothing was made');
});

t.test('a directory with files of somebody else, and --force', async (t) => {
  const home = makeHome(t);
  writeFileSync(join(home, 'report.txt'), 'a report');
  const foreign = /The home .* holds files of somebody else: "report\.txt"\. .*--force to use this/;
  refused(t, await refusedHere(home), foreign);
  refused(t, await runHere(['init', '--home', home]), foreign);
  t.same(readdirSync(home).sort(), ['config.json', 'report.txt'], 'nothing was made');
  const forced = await runHere(['init', '--home', home, '--force']);
  t.match(forced, { code: 0, stdout: /^initialised / });
  const later = await serve(t, home);
  t.equal((await later.process.stop()).code, 0, 'a home is one from then on');
});

t.test('a home in use by another process', async (t) => {
  const home = makeHome(t);
  const first = await serve(t, home);
  const pid = Number(first.process.child.pid);
  refused(t, await startProcess(t, home).ended, new RegExp(`in use by process ${pid}`));
  const init = await runHere(['init', '--home', home]);
  refused(t, init, new RegExp(`in use by process ${pid}`));
  const http = connect(t, first);
  t.equal((await http.call('GET', '/edge/client/v1/version')).status, 200, 'it serves on');
  t.equal((await first.process.stop()).code, 0);
});

t.test('a home in use is all that is said, whatever ports are taken as well', async (t) => {
  const home = makeHome(t);
  const first = await serve(t, home);
  const { port } = first;
  const inUse = new RegExp(`in use by process ${first.process.child.pid}: stop that one first`);
  const listen = ['run', '--home', home, '--listen', `127.0.0.1:${port}`];
  const metrics = { EDGE_METRICS_LISTEN: `127.0.0.1:${port}` };
  for (const also of [{}, metrics]) refused(t, await runHere(listen, also), inUse);
  t.equal((await first.process.stop()).code, 0);
});

t.test('a damaged log, and formats of a newer release', async (t) => {
  const home = makeHome(t);
  const first = await serve(t, home);
  const admin = await logIn(connect(t, first));
  for (const name of ['one', 'two', 'three']) {
    await admin.create('identities', { name, type: 'Default', isAdmin: false });
  }
  await first.process.kill();
  const spoilers: [(home: string) => () => void, RegExp][] = [
    [damageFrame, /0001\.log is damaged at offset 512, LSN 1: .*--recover-to/],
    [makeSegmentNewer, /0001\.log has log format 3; .*use a newer release/],
    [makeManifestNewer, /manifest has manifest format 2; .*use a newer release/],
  ];
  for (const [spoil, sentence] of spoilers) {
    const mend = spoil(home);
    const before = digestOf(home);
    refused(t, await refusedHere(home), sentence);
    t.equal(digestOf(home), before, 'nothing was changed');
    mend();
  }
  const again = await serve(t, home);
  const later = await logIn(connect(t, again));
  t.equal((await later.all('identities')).length, 4, 'repaired, it starts with all records');
});
