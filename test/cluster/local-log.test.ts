// The local log behind the cluster: its disk may stall, fill or fail, and it is refilled from the
// stream.

import t from 'tap';
import type { WriterEvents } from '../../snapshots/log/log-writer.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import { InlineWriter } from '../../snapshots/log/writer-inline.ts';
import type { LogPoint } from '../../src/cluster/stream.ts';
import { LocalLog } from '../../src/cluster/thread/local-log.ts';
import { StreamFrames } from '../../src/cluster/thread/stream-frames.ts';
import { campaignSize } from '../campaigns.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { chance, SimulatedDisk } from '../simulated/disk.ts';
import { beginLog, clusterDataSetId, Stamping } from '../snapshots/clustered-home.ts';
import { GroupStream } from './group-stream.ts';

class World {
  readonly clock = new SimulatedClock();
  readonly disk: SimulatedDisk;
  readonly shared = new GroupStream();
  readonly stamping = new Stamping();
  readonly log: LocalLog;
  readonly told: (string | undefined)[] = [];

  constructor(bytesMax = 1000, seed = 1) {
    this.disk = new SimulatedDisk(seed);
    beginLog(this.disk).close();
    this.disk.syncDirectory('/home/log');
    const position = { sequence: 1, offset: 512, lsn: 0, crc: 0 };
    const start = { home: '/home', dataSetId: clusterDataSetId, segmentBytes: 4096, position };
    const writing = { ...start, level: 'second', clusterTerm: 0 } as const;
    this.log = new LocalLog({
      after: { lsn: 0, crc: 0 },
      open: (events) => new InlineWriter(this.disk, this.clock, writing, events),
      bytesMax,
      clock: this.clock,
      source: () => {
        const near = this.shared.groups.length;
        return new StreamFrames(this.shared.stream, this.shared.decode, near);
      },
      changed: () => this.told.push(this.log.trouble),
    });
  }

  put(...ids: readonly string[]): LogPoint {
    const group = this.stamping.puts(...ids);
    this.shared.add(group);
    this.log.take(group);
    return group.last;
  }

  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      this.clock.advance(50);
      await this.clock.settle();
    }
  }

  lsns(disk = this.disk): number[] {
    return [...readFrames(disk, '/home')].map((entry) =>
      entry.entry === 'transaction' ? entry.frame.lsn : entry.lsn,
    );
  }
}

t.test('what is confirmed is written, and synced within a second', async (t) => {
  const world = new World();
  world.put('a');
  world.put('b', 'c');
  t.strictSame(world.lsns(), [1, 2, 3]);
  await world.advance(1100);
  t.strictSame(world.lsns(world.disk.crash()), [1, 2, 3]);
  t.strictSame(world.told, []);
});

t.test('a sync waits for the disk', async (t) => {
  const world = new World();
  world.put('a');
  await world.log.sync();
  t.strictSame(world.lsns(world.disk.crash()), [1]);
});

t.test('a full disk holds up nothing; the log catches up from the stream', async (t) => {
  const world = new World();
  world.put('a');
  world.disk.fill();
  for (let n = 0; n < 30; n++) world.put(`b${n}`);
  t.match(world.log.trouble, /the local log is stalled: .*ENOSPC/);
  await t.rejects(world.log.sync(), { name: 'JournalStalled' });
  await world.advance(1000);
  world.disk.free();
  world.put('c');
  await world.advance(300);
  await world.advance(1500);
  t.equal(world.log.trouble, undefined);
  world.put('d');
  t.strictSame(
    world.lsns(),
    Array.from({ length: 33 }, (_, index) => index + 1),
  );
  t.ok(world.told.some((trouble) => trouble?.includes('behind')));
  t.equal(world.told.at(-1), undefined);
});

t.test('a disk that does not answer is told after a while', async (t) => {
  const clock = new SimulatedClock();
  let events: WriterEvents | undefined;
  const log = new LocalLog({
    after: { lsn: 0, crc: 0 },
    open: (given) => {
      events = given;
      const done = async () => undefined;
      const takes = () => true;
      return { append: takes, appendStamped: takes, wake: () => undefined, sync: done, stop: done };
    },
    bytesMax: 1000,
    clock,
    source: () => ({ next: async () => undefined }),
    changed: () => undefined,
  });
  log.take({ frames: Buffer.alloc(100), last: { lsn: 1, crc: 1 } });
  clock.advance(4999);
  t.equal(log.trouble, undefined);
  clock.advance(1);
  t.equal(log.trouble, 'the local log is stalled: its disk does not answer');
  await t.rejects(log.sync(), { name: 'JournalStalled' });
  events?.progress({ lsn: 1, bytes: 100, groups: 1 });
  t.equal(log.trouble, undefined);
  clock.advance(10_000);
  log.take({ frames: Buffer.alloc(100), last: { lsn: 2, crc: 2 } });
  t.equal(log.trouble, undefined, 'nothing waited for it before');
  await log.stop();
});

t.test('a log that is behind what the stream still has is given up, and says so', async (t) => {
  const world = new World();
  world.put('a');
  world.disk.fill();
  for (let n = 0; n < 30; n++) world.put(`b${n}`);
  world.shared.first = 25;
  world.disk.free();
  await world.advance(1000);
  t.match(world.log.trouble, /given up: what follows LSN \d+ is no longer in the stream/);
  world.put('c');
  await t.rejects(world.log.sync(), /given up/);
  await world.log.stop();
});

t.test('a disk that fails for good ends the local log alone', async (t) => {
  const world = new World();
  world.put('a');
  const files = world.disk;
  files.failCall(2, 'EIO');
  world.put('b');
  await t.rejects(world.log.sync(), /cannot make the log durable|EIO/);
  t.match(world.log.trouble, /given up/);
  world.put('c');
});

t.test('a message of a leader whose term had ended is passed over', async (t) => {
  const world = new World();
  world.put('a');
  world.disk.fill();
  // Enough to fall behind before the first stale message.
  for (let n = 0; n < 10; n++) world.put(`b${n}`);
  const fork = new Stamping(world.stamping.last);
  world.put('c');
  world.shared.add(fork.puts('x', 'y'));
  world.put('d');
  world.disk.free();
  await world.advance(1000);
  t.equal(world.log.trouble, undefined);
  t.equal(world.lsns().length, world.stamping.last.lsn);
  const ids = [...readFrames(world.disk, '/home')].flatMap((entry) =>
    entry.entry === 'transaction' ? entry.frame.changes.map(({ id }) => id) : [],
  );
  t.notOk(ids.includes('x') || ids.includes('y'));
});

const seeds = campaignSize('CRASH_SEEDS', { usual: 25, nightly: 5000 });
t.setTimeout(Math.max(30_000, seeds * 60));

t.test(
  `${seeds} seeds: whatever the disk does, the log is a beginning of what is confirmed`,
  async (t) => {
    t.setTimeout(Math.max(30_000, seeds * 60));
    let survived = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const random = chance(seed * 104_729);
      const world = new World(200 + random() * 2000, seed);
      for (let step = 0; step < 60; step++) {
        const drawn = random();
        if (drawn < 0.05) world.disk.fill();
        else if (drawn < 0.15) world.disk.free();
        else if (drawn < 0.8)
          world.put(...Array.from({ length: 1 + random() * 4 }, (_, n) => `${n}`));
        else await world.advance(random() * 800);
      }
      world.disk.free();
      const isCrash = random() < 0.5;
      if (!isCrash) await world.advance(3000);
      const lsns = world.lsns(isCrash ? world.disk.crash() : world.disk.kill());
      const isWhole = lsns.every((lsn, index) => lsn === index + 1);
      const isDone = isCrash || lsns.length === world.stamping.last.lsn;
      if (isWhole && isDone) survived++;
      else t.fail(`seed ${seed}: LSNs ${lsns} of ${world.stamping.last.lsn}; ${world.log.trouble}`);
    }
    t.equal(survived, seeds);
  },
);
