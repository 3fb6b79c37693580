// A backup that is taken while thousands of changes per second are made, restored elsewhere, and
// compared with the log of its source, frame by frame up to its LSN.

import { join } from 'node:path';
import { t } from 'tap';
import { LoadGenerator } from '../../bench/load/generator-process.ts';
import type { Job, JobResult } from '../../bench/load/job.ts';
import { connect, logIn, management } from './client.ts';
import { adminPassword, makeHome, roomOf, runToEnd, type Serving, serve } from './process.ts';
import { digestOfHome, digestOfLog } from './record-digest.ts';

/** What a window of load is to last at least; the backup goes on in several of them. */
const windowMs = 400;
const connections = 64;

t.setTimeout(300_000);
t.test('a backup under load equals the source at its LSN', async (t) => {
  t.setTimeout(300_000);
  // Nothing is dropped, so that the log can be replayed from its beginning.
  const home = makeHome(t, { snapshot: { keep: 100, logBytes: 1024 ** 3 } });
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  const generator = new LoadGenerator();
  t.teardown(() => generator.stop());
  const load = new Load(generator, home, serving, admin.token);
  await load.run();

  const backup = join(roomOf(t), 'backup');
  const environment = { EDGE_ADMIN_PASSWORD: adminPassword };
  const words = ['snapshot', '--home', home, '--url', serving.url, '--output', backup];
  let isTaken = false;
  const taking = runToEnd(t, words, environment).finally(() => {
    isTaken = true;
  });
  load.begin();
  while (!isTaken) await load.run();
  const taken = await taking;
  t.comment(`${load.perSecond} changes a second meanwhile; ${taken.stdout.split('\n')[0]}`);
  await load.run();
  await serving.process.kill();
  t.equal(taken.code, 0, taken.stderr);
  t.equal(load.wrong, 0, 'every change was answered as it should be');
  const lsn = Number(/LSN (\d+),/.exec(taken.stdout)?.[1]);
  const last = digestOfHome(home).lsn;
  t.ok(lsn > load.begunAt && last > lsn + connections, `LSN ${lsn} of ${last}, under load`);

  const at = async (place: string, more: readonly string[]) => {
    const target = join(roomOf(t), place);
    const ended = await runToEnd(t, ['restore', backup, '--home', target, ...more]);
    t.equal(ended.code, 0, ended.stderr);
    return target;
  };
  const restored = await at('restored', []);
  t.same(digestOfHome(restored), digestOfLog(home, lsn), 'at the LSN of the backup');
  const further = Math.floor((lsn + last) / 2);
  const forward = await at('forward', ['--log', home, '--to-lsn', String(further)]);
  t.same(digestOfHome(forward), digestOfLog(home, further), 'and with its log behind it');
  const check = await runToEnd(t, ['check', '--home', forward]);
  t.equal(check.code, 0, check.stdout);
  const again = await serve(t, forward);
  const later = await logIn(connect(t, again));
  t.equal((await later.call('GET', `${management}/version`)).status, 200, 'it serves');
  t.equal((await again.process.stop()).code, 0);
});

/** Identities that are made by all connections at once, each only after its last answer. */
class Load {
  readonly #generator: LoadGenerator;
  readonly #home: string;
  readonly #serving: Serving;
  readonly #token: string;
  #sent = 0;
  #windows: JobResult[] = [];
  wrong = 0;
  /** Changes before the windows that are counted. */
  begunAt = 0;

  constructor(generator: LoadGenerator, home: string, serving: Serving, token: string) {
    this.#generator = generator;
    this.#home = home;
    this.#serving = serving;
    this.#token = token;
  }

  get perSecond(): number {
    const answered = this.#windows.reduce((sum, window) => sum + window.answered, 0);
    const ms = this.#windows.reduce((sum, window) => sum + window.windowMs, 0);
    return Math.round((1000 * answered) / ms);
  }

  begin(): void {
    this.#windows = [];
    this.begunAt = this.#sent;
  }

  /** One window. */
  async run(): Promise<void> {
    const result = await this.#generator.run(this.#job());
    this.#sent += result.sent;
    this.wrong += result.wrong;
    this.#windows.push(result);
  }

  #job(): Job {
    const body = JSON.stringify({ name: 'made-{{n}}', type: 'Default', isAdmin: false });
    return {
      host: '127.0.0.1',
      port: this.#serving.port,
      connections,
      collectIds: false,
      caFile: join(this.#home, 'pki/ca.pem'),
      serverPid: this.#serving.process.child.pid ?? 0,
      warmUpMs: 0,
      measureMs: windowMs,
      firstRequest: this.#sent,
      requestsMax: 1_000_000,
      request: {
        method: 'POST',
        path: `${management}/identities`,
        body,
        headers: { 'zt-session': this.#token, 'content-type': 'application/json' },
        slots: { n: { kind: 'number', digits: 8 } },
      },
      expect: { status: 201, idAfter: '"./identities/' },
    };
  }
}
