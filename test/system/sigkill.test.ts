// Kills the process at random moments under load, and holds what comes back against what was
// promised.

import { cpSync, mkdtempSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { audit } from './audit.ts';
import { Api, connect, createNetwork, logIn } from './client.ts';
import { Dice } from './dice.ts';
import { Ledger } from './ledger.ts';
import { LoadWorker } from './load.ts';
import {
  adminPassword,
  type Ended,
  makeHome,
  type Process,
  recoveryOf,
  type Serving,
  startProcess,
  whenReady,
} from './process.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';

const rounds = Number(process.env['KILL_ROUNDS'] ?? 10);
const seed = process.env['KILL_SEED'] ?? String(Date.now() % 1_000_000);
const replay = `KILL_SEED=${seed} KILL_ROUNDS=${rounds} npx tap --timeout=0 test/system/sigkill.test.ts`;

const workers = 6;
const acknowledgedMax = 150;
const servicesCount = 8;
/** Changes in its directories that a start or a stop lives to see at most. */
const changesMax = 20;

/** How a round ends, and how often. */
const ends = { kill: 7, killInStart: 2, killInStop: 2, stop: 1 } as const;
type End = keyof typeof ends;

/** One home, killed again and again. */
class Campaign {
  readonly #t: Test;
  readonly #home: string;
  readonly #ledger = new Ledger();
  readonly #dice = new Dice(seed);
  readonly #processes: Process[] = [];
  readonly #ballast = this.#ledger.identity('ballast');
  #services: readonly string[] = [];
  #admin = { token: '', sessionId: '' };
  acknowledged = 0;

  constructor(t: Test) {
    this.#t = t;
    // At level debug the log says all it ever says; the smallest segments are soon full.
    const limits = { segmentBytes: 8 * 1024 * 1024 };
    this.#home = makeHome(t, { log: { level: 'debug' }, limits });
  }

  async run(): Promise<void> {
    const first = await this.#started(startProcess(this.#t, this.#home));
    const admin = await logIn(connect(this.#t, first));
    this.#admin = admin;
    this.#services = await createNetwork(admin, servicesCount);
    this.#ballast.id = await admin.create('identities', {
      ...{ name: this.#ballast.name, type: 'Default', isAdmin: false, appData: { value: 0 } },
    });
    this.#ledger.asked(this.#ballast, 'there');
    let serving = first;
    for (let round = 1; round <= rounds; round += 1) {
      this.#ledger.round = round;
      serving = await this.#round(serving);
    }
    await this.#finish(serving);
  }

  /** Load, an end, a start, an audit. @returns the controller that was started */
  async #round(before: Serving): Promise<Serving> {
    const end = this.#dice.weighted(ends);
    const target = this.#dice.integer(1, acknowledgedMax);
    await this.#underLoad(before, target, end);
    if (end === 'killInStart') await this.#killInStart();
    const serving = await this.#started(startProcess(this.#t, this.#home));
    const counts = await this.#audit(serving, false);
    if (end === 'stop')
      this.#t.equal(counts.done, 0, 'whatever it did before it stopped was answered');
    const { lastLsn, snapshotLsn, sealed } = await recoveryOf(serving.process);
    const found = JSON.stringify({ end, target, lastLsn, snapshotLsn, sealed, ...counts });
    this.#t.pass(`round ${this.#ledger.round}: ${found}`);
    return serving;
  }

  /** Ends the process when so many answers have come; the moment is decided by the last of them. */
  async #underLoad(serving: Serving, target: number, end: End): Promise<void> {
    const { process } = serving;
    const first = end === 'stop' || end === 'killInStop' ? 'SIGTERM' : 'SIGKILL';
    let acknowledged = 0;
    const noted = () => {
      acknowledged += 1;
      this.acknowledged += 1;
      if (acknowledged === target) process.signal(first);
    };
    // Nothing changes there before the stop.
    if (end === 'killInStop') void this.#killAtChange(process, ['.', 'snapshots']);
    const clients = Array.from({ length: workers }, () => connect(this.#t, serving));
    const working = clients.map(async (http, index) => {
      const worker = new LoadWorker({
        admin: new Api(http, this.#admin.token, this.#admin.sessionId),
        name: `r${this.#ledger.round}-w${index}`,
        services: this.#services,
        ballast: this.#ballast.id ?? '',
        ledger: this.#ledger,
        dice: new Dice(`${seed}/${this.#ledger.round}/${index}`),
        acknowledged: noted,
      });
      await worker.run();
    });
    const worked = await Promise.allSettled(working);
    for (const outcome of worked) if (outcome.status === 'rejected') throw outcome.reason;
    if (acknowledged < target) throw new Error(`ended by itself: ${(await process.kill()).stderr}`);
    // Each worker has lost its connection: the end is near, or was.
    asWanted(await process.ended, end === 'stop' || end === 'killInStop', end !== 'stop');
    await Promise.all(clients.map((http) => http.close()));
  }

  /** Kills a start at its n-th change in the home, should it come so far. */
  async #killInStart(): Promise<void> {
    const starting = startProcess(this.#t, this.#home);
    this.#processes.push(starting);
    const ready = starting.says('stdout', 'ready').catch(() => undefined);
    await Promise.race([this.#killAtChange(starting, ['.', 'log']), ready]);
    asWanted(await starting.kill(), false, true);
  }

  /** Kills a process at its n-th change in these directories, unless it ends before. */
  async #killAtChange(process: Process, directories: readonly string[]): Promise<void> {
    let changes = this.#dice.integer(1, changesMax);
    const watchers = directories.map((directory) =>
      watch(join(this.#home, directory), () => {
        changes -= 1;
        if (changes === 0) process.signal('SIGKILL');
      }),
    );
    await process.ended;
    for (const watcher of watchers) watcher.close();
  }

  async #started(starting: Process): Promise<Serving> {
    this.#processes.push(starting);
    return await whenReady(starting, this.#home);
  }

  async #audit(serving: Serving, everything: boolean) {
    const http = connect(this.#t, serving, 4);
    const admin = new Api(http, this.#admin.token, this.#admin.sessionId);
    const counts = await audit(admin, this.#ledger, everything);
    await http.close();
    return counts;
  }

  /** All of it once more, before and after a clean stop. */
  async #finish(serving: Serving): Promise<void> {
    const before = await this.#audit(serving, true);
    this.#t.equal((await serving.process.stop()).code, 0, 'a clean stop');
    const last = await this.#started(startProcess(this.#t, this.#home));
    this.#t.match(await recoveryOf(last.process), { sealed: true, framesReplayed: 1 });
    this.#t.same(await this.#audit(last, true), before, 'the same from the snapshot');
    await last.process.stop();
    this.#checkLogs();
  }

  #checkLogs(): void {
    const log = this.#processes.map(({ stderr, stdout }) => stderr + stdout).join('');
    const secrets = [
      ...[adminPassword, this.#admin.token, ...this.#ledger.secrets],
      ...privateKeysIn(this.#home),
    ];
    this.#t.ok(secrets.length > rounds, `${secrets.length} secrets looked for`);
    this.#t.same(secretsIn(log, secrets), [], 'no secret stands in a log');
    this.#t.notMatch(log, /"level":"(error|fatal)"/, 'nothing went wrong inside');
  }

  /** Keeps the home for whoever looks into a failure. @returns where */
  keep(): string {
    const copy = mkdtempSync(join(tmpdir(), 'edge-control-sigkill-'));
    cpSync(this.#home, copy, { recursive: true });
    const log = this.#processes.map(({ stderr }) => stderr).join('--- next start\n');
    return `${copy}\n${log.slice(-4000)}`;
  }
}

/** @throws with the log when a process ended otherwise than by a clean stop or our SIGKILL. */
function asWanted({ code, signal, stderr }: Ended, cleanly: boolean, killed: boolean): void {
  if ((cleanly && code === 0) || (killed && signal === 'SIGKILL')) return;
  throw new Error(`ended with ${signal ?? code}:\n${stderr}`);
}

t.setTimeout(rounds * 60_000);
t.test(`killed at ${rounds} random moments`, async (t) => {
  t.setTimeout(rounds * 60_000);
  t.comment(`seed ${seed}; again with: ${replay}`);
  const campaign = new Campaign(t);
  try {
    await campaign.run();
    t.comment(`${campaign.acknowledged} changes were acknowledged, none is missing`);
  } catch (thrown) {
    t.comment(`the home and the end of the log: ${campaign.keep()}`);
    t.fail(`${String(thrown)}\nagain with: ${replay}`, { thrown });
  }
});
