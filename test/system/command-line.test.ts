// The command line against real processes: what it prints, and a home from its making through each
// kind of stop.

import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { version } from '../../src/platform/version.ts';
import {
  type Api,
  client,
  connect,
  createNetwork,
  createUser,
  logIn,
  management,
} from './client.ts';
import { pathsIn } from './damage.ts';
import {
  adminPassword,
  directUrlOf,
  logLines,
  makeHome,
  Process,
  recoveryOf,
  runToEnd,
  type Serving,
  serve,
  whenReady,
} from './process.ts';

t.test('version and help', async (t) => {
  const told = await runToEnd(t, ['version']);
  t.same(told, { code: 0, signal: null, stdout: `edge-control ${version}\n`, stderr: '' });
  for (const words of [['--help'], ['run', '--help']]) {
    const { code, stdout, stderr } = await runToEnd(t, words);
    t.equal(code, 0);
    t.equal(stderr, '');
    for (const exitCode of [0, 1, 2]) t.match(stdout, new RegExp(`^- ${exitCode}: `, 'm'));
  }
  const bare = await runToEnd(t, []);
  t.equal(bare.code, 2, 'nothing to do is no success');
});

t.test('a first start without a password makes one up and keeps it', async (t) => {
  const home = join(t.testdir({}), 'home');
  const args = ['run', '--home', home, '--listen', '127.0.0.1:0', '--tls-workers', '1'];
  const serving = await whenReady(new Process(t, args, {}), home);
  t.match(serving.readyUrl, /^https:\/\/localhost:\d+$/);
  const file = join(home, 'admin-password');
  t.equal(statSync(file).mode & 0o777, 0o600);
  const password = readFileSync(file, 'utf8').trim();
  const admin = await logIn(connect(t, serving), 'admin', password);
  t.match(await admin.ask('GET', `${client}/current-identity`), { name: 'admin', isAdmin: true });
  const { code, stdout, stderr } = await serving.process.stop();
  t.equal(code, 0);
  t.notMatch(stdout + stderr, password);
  t.equal(logLines(stderr).find(({ message }) => message === 'first start')?.['kept'], file);
});

t.test('init, then one home through each kind of stop', async (t) => {
  // Nothing in the home may rest on a umask that hides it.
  const umask = process.umask(0);
  t.teardown(() => process.umask(umask));
  const home = makeHome(t);
  const init = () => runToEnd(t, ['init', '--home', home], { EDGE_ADMIN_PASSWORD: adminPassword });
  const made = await init();
  t.match(made, { code: 0, stdout: `initialised ${home}, administrator admin\n` });
  t.notOk(existsSync(join(home, 'admin-password')), 'a password of our own is kept nowhere');
  t.match(await init(), { code: 0, stdout: `${home} was initialised before\n` });

  const life = new Life(t, home);
  await life.turn('SIGTERM', [], 'sealed');
  await life.turn('SIGINT', ['--durability', 'second'], 'sealed');
  await life.turn('SIGKILL', [], 'sealed');
  await life.turn('SIGTERM', ['--durability', 'memory'], 'torn off');
  await life.turn('SIGTERM', ['--direct-listen', '127.0.0.1:0'], 'sealed');
  t.equal(life.turns, 5);
});

t.test('a first password from a file or standard input, which ps shows nobody', async (t) => {
  const room = t.testdir({ password: 'kept-in-a-file\n', piped: {}, filed: {} });
  const ways = [
    ['piped', '-', 'came-through-a-pipe'],
    ['filed', join(room, 'password'), 'kept-in-a-file'],
  ] as const;
  for (const [name, file, password] of ways) {
    const home = join(room, name);
    const words = ['init', '--home', home, '--admin-password-file', file];
    const made = await runToEnd(t, words, {}, `${password}\n`);
    t.match(made, { code: 0, stdout: `initialised ${home}, administrator admin\n` });
    t.notMatch(made.stdout + made.stderr, password);
    t.notOk(existsSync(join(home, 'admin-password')));
    const serving = await serve(t, home, ['--tls-workers', '1']);
    await logIn(connect(t, serving), 'admin', password);
    await serving.process.stop();
  }
});

/** One home over several starts, with the sum of what was made in it. */
class Life {
  readonly #t: Test;
  readonly #home: string;
  readonly #names = new Set(['admin']);
  #services = 0;
  turns = 0;

  constructor(t: Test, home: string) {
    this.#t = t;
    this.#home = home;
  }

  /** A start, a look at all there should be, some more of it, and an end. */
  async turn(end: NodeJS.Signals, flags: readonly string[], before: 'sealed' | 'torn off') {
    const t = this.#t;
    this.turns += 1;
    const serving = await serve(t, this.#home, flags);
    const recovery = await recoveryOf(serving.process);
    if (before === 'sealed') {
      // The one frame behind the snapshot is the seal itself.
      t.match(recovery, { sealed: true, framesReplayed: 1 }, `turn ${this.turns} finds a seal`);
      t.equal(Number(recovery['lastLsn']) - Number(recovery['snapshotLsn']), 1);
    } else t.equal(recovery['sealed'], false, 'no seal after SIGKILL');
    const addresses = [serving.url];
    if (flags.includes('--direct-listen')) addresses.push(await directUrlOf(serving.process));
    for (const url of addresses) await this.#use(await logIn(connect(t, { ...serving, url })));
    this.#checkModes();
    await this.#end(serving, end);
  }

  async #use(admin: Api): Promise<void> {
    const names = (await admin.all('identities')).map(({ name }) => name);
    this.#t.same(new Set(names), this.#names, 'all identities are there');
    const services = await admin.all('services');
    this.#t.equal(services.length, this.#services, 'all services are there');
    if (services.length === 0) this.#services = (await createNetwork(admin, 2)).length;
    const name = `user-${this.#names.size}`;
    await createUser(admin, name, `password of ${name}`);
    this.#names.add(name);
    const user = await logIn(admin.client, name, `password of ${name}`);
    const serviceId = String((await admin.all('services'))[0]?.['id']);
    const session = await user.ask('POST', `${client}/sessions`, { serviceId, type: 'Dial' });
    const detail = await user.ask('GET', `${client}/sessions/${session['id']}`);
    this.#t.equal(detail['serviceId'], serviceId);
    const missing = await admin.call('GET', `${management}/identities/none`);
    this.#t.equal(missing.status, 404);
  }

  /** Everything below the home is for its owner alone; a socket is guarded by its directory. */
  #checkModes(): void {
    const found = new Set<string>();
    for (const path of pathsIn(this.#home)) {
      const status = statSync(join(this.#home, path));
      const mode = (status.mode & 0o777).toString(8);
      if (status.isDirectory()) found.add(`directory ${mode}`);
      else if (status.isFile()) found.add(`file ${mode}`);
    }
    this.#t.same(found, new Set(['directory 700', 'file 600']));
  }

  async #end({ process }: Serving, end: NodeJS.Signals): Promise<void> {
    process.signal(end);
    const { code, signal, stdout, stderr } = await process.ended;
    if (end === 'SIGKILL') this.#t.equal(signal, 'SIGKILL');
    else this.#t.equal(code, 0, `${end} ends it with exit code 0`);
    this.#t.match(stdout, /^ready \S+\n$/);
    const bad = logLines(stderr).filter(({ level }) => level !== 'info');
    this.#t.same(bad, [], 'nothing to warn of');
    this.#checkModes();
  }
}

t.test('a home that was made for it with other rights still hides what is in it', async (t) => {
  const home = join(t.testdir({}), 'home');
  mkdirSync(home, { mode: 0o755 });
  const init = await runToEnd(t, ['init', '--home', home], { EDGE_ADMIN_PASSWORD: adminPassword });
  t.equal(init.code, 0);
  for (const path of pathsIn(home)) {
    t.equal(statSync(join(home, path)).mode & 0o077, 0, `${path} is for its owner alone`);
  }
});
