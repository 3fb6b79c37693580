// Kills the process at random moments under load, with snapshots under way, and compares the
// recovered data with what was promised.

import { cpSync, mkdtempSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { audit } from './audit.ts';
import { Api, connect, createNetwork, logIn } from './client.ts';
import { checkDeadHome } from './dead-home.ts';
import { Dice } from './dice.ts';
import { Ledger } from './ledger.ts';
import { LoadWorker } from './load.ts';
import {
  adminPassword,
  type Ended,
  logLines,
  makeHome,
  type Process,
  recoveryOf,
  type Serving,
  startProcess,
  whenReady,
} from './process.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';

/** How a round ends. */
export type End = 'kill' | 'killInSnapshot' | 'killInStart' | 'killInStop' | 'stop';

/** What a campaign is made of. */
export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: string;
  /** How often each end comes. */
  readonly ends: Readonly<Record<End, number>>;
}

const workers = 6;
const acknowledgedMax = 100;
const servicesCount = 8;
/** Changes in its directories that a start or a stop lives to see at most. */
const changesMax = 20;
/** The same of a snapshot while serving, which makes some ten of them. */
const changesInSnapshotMax = 12;
/** Answers after which a process is killed that made no more changes in its directories. */
const answersMore = 60;
/** One in so many answers has the process asked for a snapshot by a signal. */
const answersPerSignal = 60;

/** One home, killed again and again. */
export class Campaign {
  readonly #options: CampaignOptions;
  readonly #t: Test;
  readonly #home: string;
  readonly #ledger = new Ledger();
  readonly #dice: Dice;
  readonly #processes: Process[] = [];
  readonly #ballast = ['b1', 'b2', 'b3', 'b4'].map((name) => this.#ledger.identity(name));
  #services: readonly string[] = [];
  #admin = { token: '', sessionId: '' };
  acknowledged = 0;
  /** Dead homes in which a snapshot had been begun and not ended. */
  interrupted = 0;

  constructor(t: Test, options: CampaignOptions) {
    this.#t = t;
    this.#options = options;
    this.#dice = new Dice(options.seed);
    // At level debug the log says all it ever says; the smallest segments are soon full.
    this.#home = makeHome(t, {
      log: { level: 'debug' },
      limits: { segmentBytes: 8 * mebibyte, snapshotIntervalMs: 0 },
      snapshot: { logBytes: mebibyte },
    });
  }

  /** Snapshots that were kept, by those who asked for none and those who did. */
  get snapshots(): number {
    return this.#processes.reduce((sum, { stderr }) => sum + keptIn(stderr), 0);
  }

  /** Goes through all rounds. @throws for the first broken promise */
  async run(): Promise<void> {
    const { rounds } = this.#options;
    const first = await this.#started(startProcess(this.#t, this.#home));
    const admin = await logIn(connect(this.#t, first));
    this.#admin = admin;
    this.#services = await createNetwork(admin, servicesCount);
    for (const entry of this.#ballast) {
      const { name, value } = entry;
      const body = { name, type: 'Default', isAdmin: false, appData: { value } };
      entry.id = await admin.create('identities', body);
      this.#ledger.asked(entry, 'there');
    }
    let serving = first;
    for (let round = 1; round <= rounds; round += 1) {
      this.#ledger.round = round;
      serving = await this.#round(serving);
    }
    await this.#finish(serving);
  }

  /** Load, an end, a start, an audit. @returns the controller that was started */
  async #round(before: Serving): Promise<Serving> {
    const end = this.#dice.weighted(this.#options.ends);
    const target = this.#dice.integer(1, acknowledgedMax);
    await this.#underLoad(before, target, end);
    if (end === 'killInStart') await this.#killInStart();
    const { names, snapshots } = checkDeadHome(this.#home);
    if (names.length > 0) this.interrupted += 1;
    const serving = await this.#started(startProcess(this.#t, this.#home));
    const counts = await this.#audit(serving, false);
    if (end === 'stop')
      this.#t.equal(counts.done, 0, 'whatever it did before it stopped was answered');
    const { lastLsn, snapshotLsn, sealed } = await recoveryOf(serving.process);
    const dead = { snapshots, left: names.join(' ') };
    const found = JSON.stringify({ end, target, lastLsn, snapshotLsn, sealed, ...dead, ...counts });
    this.#t.pass(`round ${this.#ledger.round}: ${found}`);
    return serving;
  }

  /** Ends the process when so many answers have come; the moment is decided by the last of them. */
  async #underLoad(serving: Serving, target: number, end: End): Promise<void> {
    const { process } = serving;
    let acknowledged = 0;
    const noted = () => {
      acknowledged += 1;
      this.acknowledged += 1;
      if (acknowledged === target) this.#end(process, end);
      else if (acknowledged === target + answersMore) process.signal('SIGKILL');
      else if (this.#dice.integer(1, answersPerSignal) === 1) process.signal('SIGUSR2');
    };
    const clients = Array.from({ length: workers }, () => connect(this.#t, serving));
    const working = clients.map(async (http, index) => {
      const worker = new LoadWorker({
        admin: new Api(http, this.#admin.token, this.#admin.sessionId),
        name: `r${this.#ledger.round}-w${index}`,
        services: this.#services,
        ballast: this.#ballast.map(({ id = '' }) => id),
        ledger: this.#ledger,
        dice: new Dice(`${this.#options.seed}/${this.#ledger.round}/${index}`),
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

  #end(process: Process, end: End): void {
    if (end === 'killInSnapshot' || end === 'killInStop') {
      const most = end === 'killInStop' ? changesMax : changesInSnapshotMax;
      void this.#killAtChange(process, ['.', 'snapshots'], most);
    }
    if (end === 'killInSnapshot') process.signal('SIGUSR2');
    else process.signal(end === 'stop' || end === 'killInStop' ? 'SIGTERM' : 'SIGKILL');
  }

  /** Kills a start at its n-th change in the home, should it come so far. */
  async #killInStart(): Promise<void> {
    const starting = startProcess(this.#t, this.#home);
    this.#processes.push(starting);
    const ready = starting.says('stdout', 'ready').catch(() => undefined);
    await Promise.race([this.#killAtChange(starting, ['.', 'log'], changesMax), ready]);
    asWanted(await starting.kill(), false, true);
  }

  /** Kills a process at its n-th change in these directories, unless it ends before. */
  async #killAtChange(
    process: Process,
    directories: readonly string[],
    most: number,
  ): Promise<void> {
    let changes = this.#dice.integer(1, most);
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
    this.#t.same(checkDeadHome(this.#home).names, [], 'nothing is left lying about');
    this.#checkLogs();
  }

  #checkLogs(): void {
    const log = this.#processes.map(({ stderr, stdout }) => stderr + stdout).join('');
    const secrets = [
      adminPassword,
      this.#admin.token,
      ...this.#ledger.secrets,
      ...privateKeysIn(this.#home),
    ];
    this.#t.ok(secrets.length > this.#options.rounds, `${secrets.length} secrets looked for`);
    this.#t.same(secretsIn(log, secrets), [], 'no secret stands in a log');
    this.#t.notMatch(log, /"level":"(error|fatal)"/, 'nothing went wrong inside');
  }

  /** Keeps the home, and beside it all its processes said. @returns where */
  keep(): string {
    const copy = mkdtempSync(join(tmpdir(), 'edge-control-sigkill-'));
    cpSync(this.#home, copy, { recursive: true, preserveTimestamps: true });
    const log = this.#processes.map(({ stderr }) => stderr).join('--- next start\n');
    writeFileSync(`${copy}.log`, log, { mode: 0o600 });
    return `${copy} and ${copy}.log`;
  }
}

/** @throws with the log when a process ended otherwise than by a clean stop or our SIGKILL. */
function asWanted({ code, signal, stderr }: Ended, cleanly: boolean, killed: boolean): void {
  if ((cleanly && code === 0) || (killed && signal === 'SIGKILL')) return;
  throw new Error(`ended with ${signal ?? code}:\n${stderr}`);
}

function keptIn(log: string): number {
  return logLines(log).filter(({ message }) => message === 'a snapshot is kept').length;
}

const mebibyte = 1024 * 1024;

/** Runs one in a test of its own, which says how to run it again. */
export async function runCampaign(t: Test, file: string, options: CampaignOptions): Promise<void> {
  const { seed, rounds } = options;
  const again = `KILL_SEED=${seed} KILL_ROUNDS=${rounds} npm test ${file}`;
  t.comment(`seed ${seed}; again with: ${again}`);
  const campaign = new Campaign(t, options);
  try {
    await campaign.run();
    const { acknowledged, snapshots, interrupted } = campaign;
    t.comment(`${acknowledged} changes were acknowledged, none is missing`);
    t.comment(`${snapshots} snapshots were kept, ${interrupted} were interrupted`);
  } catch (thrown) {
    t.comment(`the home and what was said: ${campaign.keep()}`);
    t.fail(`${String(thrown)}\nagain with: ${again}`, { thrown });
  }
}
