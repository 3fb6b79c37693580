// When snapshots are taken: by log bytes, by age and on request; and the handling of failures.

import t from 'tap';
import type { KeptSnapshot, RecoveryReport } from '../../snapshots/journal.ts';
import { Snapshotter } from '../../src/actors/snapshotter.ts';
import { createLog } from '../../src/observe/logs.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

const minute = 60_000;

/** A journal of which only the figures count. */
class FiguredJournal extends MemoryJournal {
  override readonly figures = { framesWritten: 0, bytesWritten: 0, groupsWritten: 0 };
  #durable: () => void = () => undefined;

  override onDurable(listener: (lsn: number) => void): void {
    this.#durable = () => listener(this.lastLsn);
  }

  log(bytes: number): void {
    this.figures.bytesWritten += bytes;
    this.append({
      timeMs: 0,
      actor: '',
      requestId: '',
      operation: '',
      causeLsn: 0,
      events: [],
      changes: [],
    });
    this.#durable();
  }
}

class Scene {
  readonly clock = new SimulatedClock();
  readonly journal = new FiguredJournal();
  readonly logged: string[] = [];
  /** Those that are being written, to be ended by the test. */
  readonly open: { keep(bytes?: number): void; fail(reason: string): void }[] = [];
  started = 0;
  readonly snapshotter: Snapshotter;

  constructor(report: Partial<RecoveryReport> = {}) {
    const { log } = createLog({
      level: 'info',
      clock: this.clock,
      readable: false,
      write: (line) => void this.logged.push(line),
    });
    this.snapshotter = new Snapshotter({
      clock: this.clock,
      journal: this.journal,
      log,
      report: { bytesReplayed: 0, snapshotLsn: 0, ...report } as RecoveryReport,
      logBytes: 1000,
      ageMs: 60 * minute,
      retryMs: minute,
      write: () => this.#write(),
    });
    this.snapshotter.start();
  }

  /** Ends the one that is being written. */
  async end(how: (open: Scene['open'][number]) => void): Promise<void> {
    const open = this.open.shift();
    if (open === undefined) throw new Error('none is being written');
    how(open);
    await this.clock.settle();
  }

  #write(): Promise<KeptSnapshot> {
    this.started += 1;
    const lsn = this.journal.lastLsn;
    return new Promise((resolve, reject) => {
      this.open.push({
        keep: (bytes = 10) => resolve({ file: `${lsn}.snap`, lsn, records: 1, bytes }),
        fail: (reason) => reject(new Error(reason)),
      });
    });
  }
}

t.test('log bytes: replayed ones count, and those after the newest snapshot', async (t) => {
  const scene = new Scene({ bytesReplayed: 600 });
  scene.journal.log(399);
  t.equal(scene.started, 0);
  scene.journal.log(1);
  t.equal(scene.started, 1);
  t.equal(scene.snapshotter.phase, 'writing');
  scene.journal.log(500);
  await scene.end((open) => open.keep());
  t.equal(scene.snapshotter.phase, 'idle');
  t.equal(scene.snapshotter.logBytes, 500, 'what came meanwhile is not in it');
  scene.journal.log(499);
  t.equal(scene.started, 1);
  scene.journal.log(1);
  t.equal(scene.started, 2);
});

t.test('a large snapshot makes the log longer between two', async (t) => {
  const scene = new Scene();
  scene.journal.log(1000);
  await scene.end((open) => open.keep(5000));
  scene.journal.log(2499);
  t.equal(scene.started, 1);
  scene.journal.log(1);
  t.equal(scene.started, 2);
});

t.test('age: only when something has changed', async (t) => {
  const scene = new Scene();
  scene.clock.advance(3 * 60 * minute);
  t.equal(scene.started, 0);
  scene.journal.log(1);
  scene.clock.advance(60 * minute);
  t.equal(scene.started, 1);
  await scene.end((open) => open.keep());
  scene.clock.advance(59 * minute);
  scene.journal.log(1);
  scene.clock.advance(2 * minute);
  t.equal(scene.started, 2);
});

t.test('on request: at once, or after the snapshot that is being written', async (t) => {
  const scene = new Scene();
  const first = scene.snapshotter.take();
  t.equal(scene.started, 1);
  scene.journal.log(1);
  const second = scene.snapshotter.take();
  const third = scene.snapshotter.take();
  t.equal(scene.started, 1);
  await scene.end((open) => open.keep());
  t.match(await first, { lsn: 0 });
  t.equal(scene.started, 2);
  await scene.end((open) => open.keep());
  t.match(await Promise.all([second, third]), [{ lsn: 1 }, { lsn: 1 }], 'one does for both');
  t.equal(scene.snapshotter.phase, 'idle');
});

t.test(
  'a failure is reported and followed by a pause, but requests are still served',
  async (t) => {
    const scene = new Scene();
    scene.journal.log(1000);
    await scene.end((open) => open.fail('no space left on device'));
    t.equal(scene.snapshotter.phase, 'resting');
    t.match(scene.logged.at(-1), /no space left on device.*check the disk/);
    scene.journal.log(1000);
    t.equal(scene.started, 1, 'not at once again');
    const refused = t.rejects(scene.snapshotter.take(), /still none/);
    t.equal(scene.started, 2);
    await scene.end((open) => open.fail('still none'));
    await refused;
    scene.clock.advance(minute);
    t.equal(scene.snapshotter.phase, 'idle');
    scene.journal.log(1);
    t.equal(scene.started, 3);
    await scene.end((open) => open.keep());
    t.match(scene.snapshotter.newest, { lsn: 3 });
  },
);

t.test('a stop waits only for the snapshot that is being written', async (t) => {
  const scene = new Scene();
  const first = scene.snapshotter.take();
  const refused = t.rejects(scene.snapshotter.take(), /stops/);
  let stopped = false;
  const stop = scene.snapshotter.stop().then(() => {
    stopped = true;
  });
  await refused;
  await scene.clock.settle();
  t.notOk(stopped);
  await t.rejects(scene.snapshotter.take(), /stops/, 'nor does it take another');
  await scene.end((open) => open.keep());
  await stop;
  t.match(await first, { lsn: 0 });
  t.equal(scene.snapshotter.phase, 'stopped');
  await t.rejects(scene.snapshotter.take(), /stops/);
  t.equal(scene.clock.timers, 0);
});

t.test('a snapshotter that never wrote stops at once', async (t) => {
  const scene = new Scene();
  await scene.snapshotter.stop();
  t.equal(scene.snapshotter.phase, 'stopped');
});

t.test('one that was never started stops at once: init opens a home and closes it', async (t) => {
  const clock = new SimulatedClock();
  const snapshotter = new Snapshotter({
    clock,
    journal: new FiguredJournal(),
    log: createLog({ level: 'error', clock, readable: false, write: () => undefined }).log,
    report: { bytesReplayed: 0, snapshotLsn: 0 } as RecoveryReport,
    logBytes: 1000,
    ageMs: 60 * minute,
    retryMs: minute,
    write: () => Promise.reject(new Error('nobody asked')),
  });
  await snapshotter.stop();
  t.pass('it did');
});
