// A controller on a small disk, and what it acknowledged.

import type { Test } from 'tap';
import { anotherLook } from '../real-waits.ts';
import { type Api, connect, logIn, management } from './client.ts';
import { checkDeadHome } from './dead-home.ts';
import {
  linesWith,
  makeHome,
  type Process,
  recoveryOf,
  type Serving,
  startProcess,
  whenReady,
} from './process.ts';
import { type FileSystem, SmallDisk } from './small-disk.ts';

/** A controller on a small disk, and what it acknowledged. */
export class SmallHome {
  readonly home: string;
  readonly #disk: SmallDisk | undefined;
  readonly #t: Test;
  /** Ids of those that were acknowledged, by name. */
  readonly #acknowledged = new Map<string, string>();
  #serving: Serving | undefined;
  #admin: Api | undefined;
  #named = 0;

  private constructor(t: Test, disk: SmallDisk | undefined, settings: object) {
    this.#t = t;
    this.#disk = disk;
    this.home = disk === undefined ? makeHome(t, settings) : disk.makeHome(settings);
  }

  /** On the disk of this machine. */
  static plain(t: Test, settings: object): SmallHome {
    return new SmallHome(t, undefined, settings);
  }

  /** @returns undefined, with the test skipped, where no such disk can be had */
  static async on(t: Test, kind: FileSystem, mebibytes: number, settings: object) {
    const disk = await SmallDisk.mount(t, kind, mebibytes);
    if (typeof disk !== 'string') return new SmallHome(t, disk, settings);
    t.pass(`skipped: ${disk}`);
    return undefined;
  }

  /** The small disk. */
  get disk(): SmallDisk {
    if (this.#disk === undefined) throw new Error('it is on no disk of its own');
    return this.#disk;
  }

  /** The one that serves. */
  get process(): Process {
    return this.#whole.process;
  }

  get #whole(): Serving {
    if (this.#serving === undefined) throw new Error('nothing serves');
    return this.#serving;
  }

  /** The administrator's session there. */
  get admin(): Api {
    if (this.#admin === undefined) throw new Error('nobody is logged in');
    return this.#admin;
  }

  /** Starts, and logs in. */
  async serve(): Promise<void> {
    const started = startProcess(this.#t, this.home);
    this.#serving = await whenReady(started, this.home);
    this.#admin = await logIn(connect(this.#t, this.#serving));
  }

  /** Creates an identity with so much in it, and notes it when it was acknowledged. */
  async create(characters: number) {
    const name = `n${this.#named++}`;
    const appData = { filler: 'x'.repeat(characters) };
    const body = { name, type: 'Default', isAdmin: false, appData };
    const answer = await this.admin.call('POST', `${management}/identities`, body);
    const { status, data, error } = answer;
    if (status === 201) this.#acknowledged.set(name, String(data['id']));
    return { status, code: error['code'] };
  }

  /** Puts so much into an identity in place of what it held. */
  async patch(name: string, characters: number) {
    const appData = { filler: 'y'.repeat(characters) };
    const { status, error } = await this.admin.call('PATCH', this.#path(name), { appData });
    return { status, code: error['code'] };
  }

  /** Until creations are refused. */
  async createUntilRefused() {
    for (;;) {
      const refused = await this.create(100_000);
      if (refused.status !== 201) return refused;
    }
  }

  /** Until the log is stalled: what was applied before is answered otherwise. */
  async patchUntilRefused() {
    for (;;) {
      const refused = await this.patch('n0', 100_000);
      if (refused.code === 'STORAGE_UNAVAILABLE') return refused;
      if (refused.status !== 200) this.#t.match(refused, { status: 503, code: 'OUTCOME_UNKNOWN' });
    }
  }

  /** Logs in once more, and looks at the state machines. @returns the status of the second */
  async inspect(): Promise<number> {
    const admin = await logIn(connect(this.#t, this.#whole));
    return (await admin.call('GET', `${management}/inspect/machines`)).status;
  }

  /** Reads one. @returns the status */
  async look(name: string): Promise<number> {
    return (await this.admin.call('GET', this.#path(name))).status;
  }

  /** All that was acknowledged is there. */
  async lookUp(): Promise<void> {
    const there = new Set((await this.admin.all('identities')).map(({ name }) => name));
    const lost = [...this.#acknowledged.keys()].filter((name) => !there.has(name));
    this.#t.same(lost, [], `${this.#acknowledged.size} were acknowledged, all are there`);
  }

  /** Resolves when a snapshot of all that was made so far is kept. */
  async snapshotKept(): Promise<void> {
    for (;;) {
      const { status } = await this.admin.call('POST', `${management}/database/snapshot`);
      if (status === 200) return;
      this.#t.equal(status, 429, 'one is being written');
      await anotherLook();
    }
  }

  /** SIGKILL, a look at what is left, a start, a look at all, and a clean stop. */
  async dieAndComeBack(): Promise<void> {
    await this.process.kill();
    const dead = checkDeadHome(this.home);
    this.#t.ok(dead.snapshots > 0);
    await this.serve();
    this.#t.ok(Number((await recoveryOf(this.process))['snapshotLsn']) > 0, 'from a snapshot');
    await this.lookUp();
    this.#t.equal((await this.process.stop()).code, 0);
  }

  #path(name: string): string {
    return `${management}/identities/${this.#acknowledged.get(name)}`;
  }

  /** What the log says with this message. */
  lines(message: string) {
    return linesWith(this.process, message);
  }

  /** Waits until the log has said it. @returns the last line that does */
  async told(message: string) {
    await this.process.says('stderr', `"message":"${message}"}\n`);
    return this.lines(message).at(-1);
  }
}
