// Backups and restores with real processes: of a running controller, of a stopped home, to an LSN,
// to a time, and what is refused.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Test, t } from 'tap';
import { client, connect, createNetwork, createUser, logIn } from './client.ts';
import { runHere } from './command-here.ts';
import { digestOf, pathsIn } from './damage.ts';
import {
  adminPassword,
  type Ended,
  makeHome,
  Process,
  roomOf,
  runToEnd,
  type Serving,
  serve,
} from './process.ts';
import { digestOfHome, digestOfLog } from './record-digest.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';
import { SmallDisk } from './small-disk.ts';

t.setTimeout(300_000);

const environment = { EDGE_ADMIN_PASSWORD: adminPassword };

const run = (...words: string[]) => runHere(words, environment);

/** Nothing is dropped, so that the log can be replayed from its beginning. */
const keepAll = { snapshot: { keep: 100 } };

function refused(t: Test, { code, stdout, stderr }: Ended, sentence: RegExp, exitCode = 2): void {
  t.equal(code, exitCode, `exit code ${exitCode}`);
  t.equal(stdout, '', 'silence on standard output');
  t.match(stderr, /^edge-control: [^\n]+\n$/, 'one line on standard error');
  t.match(stderr, sentence);
}

async function checked(t: Test, home: string): Promise<void> {
  const { code, stdout, stderr } = await run('check', '--home', home);
  t.equal(code, 0, `check: ${stdout}${stderr}`);
}

/** Names of the identities that a controller has. */
async function namesAt(t: Test, serving: Serving): Promise<string[]> {
  const admin = await logIn(connect(t, serving));
  return (await admin.all('identities')).map(({ name }) => String(name)).sort();
}

t.test('a backup of a running controller, restored elsewhere', async (t) => {
  const umask = process.umask(0);
  t.teardown(() => process.umask(umask));
  const home = makeHome(t, keepAll);
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  const [serviceId] = await createNetwork(admin, 2);
  await createUser(admin, 'user', 'password of user');
  const user = await logIn(admin.client, 'user', 'password of user');
  const session = await user.ask('POST', `${client}/sessions`, { serviceId, type: 'Dial' });
  const before = await namesAt(t, serving);

  const backup = join(roomOf(t), 'backup');
  const ask = ['snapshot', '--home', home, '--url', serving.url];
  const taken = await runToEnd(t, [...ask, '--output', backup], environment);
  t.equal(taken.code, 0, taken.stderr);
  const lsn = Number(
    /^snapshot .+\.snap, LSN (\d+), \d+ records, \d+ bytes\n/.exec(taken.stdout)?.[1],
  );
  t.match(taken.stdout, new RegExp(`^backup ${backup}, LSN ${lsn}, \\d+ files$`, 'm'));
  t.match(taken.stderr, /holds private keys/);
  refused(t, await run(...ask), /within the last minute/, 1);
  await createUser(admin, 'after', 'password of after');
  t.equal((await serving.process.stop()).code, 0);

  const restored = join(roomOf(t), 'restored');
  const done = await runToEnd(t, ['restore', backup, '--home', restored], environment);
  t.same([done.code, done.stderr], [0, '']);
  t.match(done.stdout, new RegExp(`^restored ${restored}, LSN ${lsn} of \\S+Z, \\d+ records\n$`));
  for (const place of [backup, restored]) t.same(modesIn(place), ['directory 700', 'file 600']);
  t.same(digestOfHome(restored), digestOfLog(home, lsn), 'record for record');
  await checked(t, restored);

  const again = await serve(t, restored);
  t.equal(again.ca, serving.ca, 'the CA that clients trust');
  t.same(await namesAt(t, again), before, 'as it was at the snapshot');
  const same = await connect(t, again).call('GET', `${client}/sessions/${session['id']}`, {
    token: user.token,
  });
  t.equal(same.status, 200, 'tokens are good where they were');
  t.equal((await again.process.stop()).code, 0);
  await checked(t, restored);
  const log = [taken, done].map(({ stdout, stderr }) => stdout + stderr).join('');
  t.same(secretsIn(log, [adminPassword, ...privateKeysIn(home)]), [], 'no secret is said');
});

t.test('a stopped home: without a controller, without keys, back with --pki', async (t) => {
  const home = makeHome(t, keepAll);
  await run('init', '--home', home);
  const before = digestOfHome(home);
  const backup = join(roomOf(t), 'backup');
  const words = ['snapshot', '--home', home, '--output', backup, '--without-keys'];
  const taken = await run(...words);
  t.equal(taken.code, 0, taken.stderr);
  t.match(taken.stderr, /holds no keys/);
  t.same(readdirSync(backup).sort(), ['config.json', 'contents', 'records.snap']);
  refused(t, await run('snapshot', '--home', join(home, 'none')), /is no home/);
  const over = await run(...words);
  t.match(over, { code: 1, stderr: /exists already/ }, 'no backup is written over another');

  const restored = join(roomOf(t), 'restored');
  const bare = ['restore', backup, '--home', restored];
  refused(t, await run(...bare), /holds no keys.*--pki/);
  rmSync(join(home, 'pki', 'server.key'));
  refused(t, await run(...bare, '--pki', join(home, 'pki')), /lacks server\.key/);
  t.notOk(existsSync(restored));
  const fresh = await run(...bare, '--new-keys');
  t.match(fresh, { code: 0, stderr: /enrolled again/ });
  t.equal(digestOfHome(restored).records, before.records - 1, 'all but the key of tokens');
  const serving = await serve(t, restored);
  t.same(await namesAt(t, serving), ['admin']);
  t.equal((await serving.process.stop()).code, 0);
});

t.test('to each LSN and time that the log of a killed controller has', async (t) => {
  const home = makeHome(t, keepAll);
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  await run('snapshot', '--home', home, '--url', serving.url);
  await createNetwork(admin, 3);
  await createUser(admin, 'user', 'password of user');
  await serving.process.kill();
  const last = digestOfHome(home).lsn;
  const name = readdirSync(join(home, 'snapshots'))[0] ?? '';
  const first = Number(name.slice(0, 16));
  const source = [join(home, 'snapshots', name), '--pki', join(home, 'pki'), '--log', home];
  let made = 0;
  const restore = async (...target: string[]) => {
    made += 1;
    const place = join(roomOf(t), `restored-${made}`);
    return { place, ended: await run('restore', ...source, '--home', place, ...target) };
  };
  for (const lsn of [first, first + 3, last]) {
    const { place, ended } = await restore('--to-lsn', String(lsn));
    t.equal(ended.code, 0, ended.stderr);
    t.same(digestOfHome(place), digestOfLog(home, lsn), `LSN ${lsn}`);
  }
  const all = await restore();
  t.same(digestOfHome(all.place), digestOfLog(home, last), 'all of it where nothing is said');
  await checked(t, all.place);
  const time = /of (\S+Z)/.exec(all.ended.stdout)?.[1] ?? '';
  const timed = await restore('--to-time', time);
  t.same(digestOfHome(timed.place), digestOfLog(home, last), 'by its time');
  const beyond = await restore('--to-lsn', String(last + 1));
  refused(
    t,
    beyond.ended,
    new RegExp(`LSN ${last + 1} cannot be reached.*LSN ${first} .*to LSN ${last} `),
  );
  refused(
    t,
    (await restore('--to-time', '2020-01-01T00:00:00Z')).ended,
    /lies before the snapshot/,
  );
  refused(t, (await restore('--to-time', 'yesterday')).ended, /--to-time .* must be a time/);
  const both = await restore('--to-time', time, '--to-lsn', '9');
  refused(t, both.ended, /exclude each other/);
  t.notOk(existsSync(beyond.place));
});

t.test('what is there already, or in use', async (t) => {
  const home = makeHome(t);
  await run('init', '--home', home);
  const backup = join(roomOf(t), 'backup');
  await run('snapshot', '--home', home, '--output', backup);
  const onto = ['restore', backup, '--home', home];
  const before = digestOf(home);
  refused(t, await run(...onto), /is not empty.*--force/);
  t.equal(digestOf(home), before, 'nothing was changed');
  const serving = await serve(t, home);
  const pid = serving.process.child.pid;
  const inUse = new RegExp(`in use by process ${pid}`);
  refused(t, await run(...onto, '--force'), inUse);
  t.same(await namesAt(t, serving), ['admin'], 'it serves on');
  t.equal((await serving.process.stop()).code, 0);
  const stopped = digestOf(home);
  const forced = await run(...onto, '--force');
  t.equal(forced.code, 0, forced.stderr);
  const aside = /kept in (.+)\.\n/.exec(forced.stderr)?.[1] ?? '';
  t.equal(digestOf(aside), stopped, 'what was there is laid aside as it was');
  await checked(t, home);
  const empty = join(roomOf(t), 'empty');
  mkdirSync(empty);
  t.equal((await run('restore', backup, '--home', empty)).code, 0, 'an empty one is as good');
});

t.test('damaged, newer and foreign files', async (t) => {
  const home = makeHome(t);
  await run('init', '--home', home);
  const backup = join(roomOf(t), 'backup');
  await run('snapshot', '--home', home, '--output', backup);
  const place = join(roomOf(t), 'restored');
  const tried = async (file: string, sentence: RegExp, ...more: string[]) => {
    refused(t, await run('restore', file, '--home', place, ...more), sentence);
    t.notOk(existsSync(place), 'nothing is there');
    t.notOk(existsSync(`${place}.unfinished`), 'nor beside it');
  };
  await tried(join(home, 'none'), /is not there/);
  await tried(home, /is a home, no backup/);
  const spoiled = (path: string, change: (bytes: Buffer) => Buffer) => {
    const copy = join(roomOf(t), 'spoiled');
    rmSync(copy, { recursive: true, force: true });
    cpSync(backup, copy, { recursive: true });
    const file = join(copy, path);
    writeFileSync(file, change(readFileSync(file)));
    return copy;
  };
  const flipped = (bytes: Buffer) => {
    bytes.writeUInt8(bytes.readUInt8(80) ^ 1, 80);
    return bytes;
  };
  await tried(spoiled('records.snap', flipped), /records\.snap is not what was backed up/);
  await tried(spoiled('pki/root.key', flipped), /root\.key is not what was backed up/);
  await tried(spoiled('contents', flipped), /contents is damaged: its checksum/);
  const newer = (bytes: Buffer) => Buffer.from(bytes.toString().replace('backup 1', 'backup 2'));
  await tried(spoiled('contents', newer), /backup format 2; .*use a newer release/);
  const snapshots = join(home, 'snapshots');
  const snapshot = join(snapshots, readdirSync(snapshots)[0] ?? '');
  const damaged = join(roomOf(t), 'damaged.snap');
  writeFileSync(damaged, flipped(readFileSync(snapshot)));
  const keys = ['--pki', join(home, 'pki')];
  await tried(damaged, /damaged\.snap is damaged: wrong checksum in the block at 64/, ...keys);
  const foreign = makeHome(t);
  await run('init', '--home', foreign);
  await tried(backup, /belongs to the data set .* not of the same home/, '--log', foreign);
});

t.test('the controller cannot be asked, or refuses', async (t) => {
  const home = makeHome(t);
  const serving = await serve(t, home);
  const ask = ['snapshot', '--home', home];
  refused(t, await run(...ask, '--url', 'http://x'), /must be https:/);
  refused(t, await run(...ask, '--cert', 'x'), /only make sense together/);
  refused(t, await run(...ask, '--without-keys'), /only makes sense with --output/);
  refused(t, await runHere([...ask, '--url', serving.url]), /is not kept in .*EDGE_ADMIN_PASS/);
  const wrong = await runHere([...ask, '--url', serving.url], {
    EDGE_ADMIN_PASSWORD: 'wrong!',
  });
  refused(t, wrong, /refused to log admin in: 401 INVALID_AUTH/, 1);
  refused(t, await run(...ask, '--url', 'https://127.0.0.1:1'), /cannot be asked: .*REFUSED/, 1);
  const other = await serve(t, makeHome(t));
  refused(t, await run(...ask, '--url', other.url), /cannot be asked: .*certificate/, 1);
  const byName = ['--listen', `127.0.0.1:${serving.port}`, '--advertise', 'localhost:1'];
  t.equal((await run(...ask, ...byName)).code, 0, 'found by its listen address');
});

t.test('a restore that is killed leaves nothing that disturbs the next one', async (t) => {
  const home = makeHome(t);
  await run('init', '--home', home);
  const backup = join(roomOf(t), 'backup');
  await run('snapshot', '--home', home, '--output', backup);
  const place = join(roomOf(t), 'restored');
  const words = ['restore', backup, '--home', place];
  const restoring = new Process(t, words, environment);
  const seen = watch(dirname(place), () => {
    if (existsSync(`${place}.unfinished`)) restoring.signal('SIGKILL');
  });
  const { signal } = await restoring.ended;
  seen.close();
  if (signal === 'SIGKILL' && !existsSync(place)) {
    t.pass('nothing is there');
    const next = await run(...words);
    t.equal(next.code, 0, next.stderr);
  }
  t.notOk(existsSync(`${place}.unfinished`));
  await checked(t, place);
});

t.test('a full disk: nothing is left behind', async (t) => {
  const disk = await SmallDisk.mount(t, 'tmpfs', 8);
  if (typeof disk === 'string') {
    t.comment(`skipped: ${disk}`);
    return;
  }
  const home = makeHome(t);
  await run('init', '--home', home);
  const backup = join(roomOf(t), 'backup');
  await run('snapshot', '--home', home, '--output', backup);
  const place = join(disk.path, 'restored');
  // The first segment alone is larger.
  const restoring = await run('restore', backup, '--home', place);
  refused(t, restoring, /was not restored: the disk is full; nothing was changed/, 1);
  t.same(readdirSync(disk.path), [], 'nor beside it');
  disk.fill();
  const output = join(disk.path, 'backup');
  const backingUp = await run('snapshot', '--home', home, '--output', output);
  t.match(backingUp, { code: 1, stderr: /nothing of it is left behind.*ENOSPC/ });
  t.notOk(existsSync(output));
});

/** Kinds of files below a directory, with their modes. */
function modesIn(directory: string): string[] {
  const found = new Set(
    ['.', ...pathsIn(directory)].map((path) => {
      const status = statSync(join(directory, path));
      const mode = (status.mode & 0o777).toString(8);
      return `${status.isDirectory() ? 'directory' : 'file'} ${mode}`;
    }),
  );
  return [...found].sort();
}
