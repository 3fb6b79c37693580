// Lives of a clustered home on a simulated disk: a node follows a stream, snapshots its home and
// dies. Every start ends with a beginning of the log, and what was synced is in it.

import t from 'tap';
import { LogCorrupt, NewerFormat, OtherMembership } from '../../snapshots/errors.ts';
import type { FollowingJournal } from '../../snapshots/journal.ts';
import { InlineWriter } from '../../snapshots/log/writer-inline.ts';
import { openClusterHome } from '../../src/cluster/node/home-recovery.ts';
import type { SharedSnapshot } from '../../src/cluster/shared-snapshots.ts';
import type { LogPoint } from '../../src/cluster/stream.ts';
import { LocalLog } from '../../src/cluster/thread/local-log.ts';
import { StreamFrames } from '../../src/cluster/thread/stream-frames.ts';
import { campaignSize, isNightly } from '../campaigns.ts';
import { GroupStream } from '../cluster/group-stream.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { chance, type Fault, SimulatedDisk } from '../simulated/disk.ts';
import {
  clusterDataSetId,
  makeClusterHome,
  Stamping,
  snapshotBytes,
} from '../snapshots/clustered-home.ts';
import { smallBounds } from './life.ts';
import { isSimulated } from './work.ts';

/** What all nodes share. Frame n puts the record `i<n>`, so an LSN says which records there are. */
class Shared {
  readonly stream = new GroupStream();
  readonly #stamping = new Stamping();
  snapshot: SharedSnapshot | undefined;

  get last(): LogPoint {
    return this.#stamping.last;
  }

  add(frames: number): void {
    const { lsn } = this.last;
    this.stream.add(this.#stamping.puts(...idsUpTo(lsn + frames).slice(lsn)));
  }

  /** A snapshot of all groups so far, after which the older ones may go. */
  share(purges: boolean): void {
    const { lsn, crc } = this.last;
    const sequence = this.stream.groups.length;
    this.snapshot = { name: `${lsn}`, generation: 1, lsn, crc, sequence, bytes: 1 };
    if (purges) this.stream.first = sequence;
  }

  reaches(end: LogPoint): boolean {
    const oldest = this.stream.groups[this.stream.first - 1];
    return oldest === undefined || oldest.after.lsn <= end.lsn;
  }
}

function idsUpTo(lsn: number): string[] {
  return Array.from({ length: lsn }, (_, index) => `i${index + 1}`);
}

/** A node that follows. */
class FollowingNode {
  readonly #shared: Shared;
  readonly #clock: SimulatedClock;
  readonly #log: LocalLog;
  readonly journal: FollowingJournal;
  readonly after: LogPoint;
  readonly replacements: number;
  readonly tornTail: boolean;
  #last: LogPoint;

  private constructor(
    shared: Shared,
    clock: SimulatedClock,
    log: LocalLog,
    opened: Awaited<ReturnType<typeof openClusterHome>>,
    replacements: number,
  ) {
    this.#shared = shared;
    this.#clock = clock;
    this.#log = log;
    this.journal = opened.journal;
    this.after = this.#last = opened.after;
    this.replacements = replacements;
    this.tornTail = opened.report.tornTail !== undefined;
  }

  /** @throws when the records are not those of the frames up to where it starts */
  static async open(disk: SimulatedDisk, shared: Shared): Promise<FollowingNode> {
    const clock = new SimulatedClock();
    const ids: string[] = [];
    let log: LocalLog | undefined;
    let replacements = 0;
    const opened = await openClusterHome({
      ...smallBounds,
      snapshotBlockBytes: 256,
      home: '/home',
      disk,
      clock,
      level: 'second',
      writer: 'inline',
      follows: true,
      openWriter: (start) => {
        const { lsn, crc } = start.position;
        const own = new LocalLog({
          after: { lsn, crc },
          open: (events) => new InlineWriter(disk, clock, start, events),
          bytesMax: 1500,
          source: () => {
            const { stream, decode, groups } = shared.stream;
            return new StreamFrames(stream, decode, groups.length);
          },
          clock,
          changed: () => undefined,
        });
        log = own;
        const nothing = () => undefined;
        return {
          append: () => false,
          wake: nothing,
          sync: () => own.sync(),
          stop: () => own.stop(),
        };
      },
      newDataSetId: clusterDataSetId,
      load: ({ id }) => ids.push(id),
      shared: {
        generation: 1,
        reaches: async (end) => shared.reaches(end),
        termOf: async () => 0,
        snapshots: {
          list: async () => (shared.snapshot === undefined ? [] : [shared.snapshot]),
          download: async ({ lsn }, path) => {
            const file = disk.open(path, 'create');
            file.write([snapshotBytes(lsn, idsUpTo(lsn))], 0);
            file.close();
          },
        },
      },
      replacing: () => {
        replacements++;
      },
    });
    if (log === undefined) throw new Error('no log was opened');
    const expected = idsUpTo(opened.after.lsn).sort().join(' ');
    if (ids.sort().join(' ') !== expected) throw new Error(`it holds ${ids}, not ${expected}`);
    return new FollowingNode(shared, clock, log, opened, replacements);
  }

  /** Reads what the stream has beyond the home. */
  async follow(): Promise<void> {
    const { stream, decode, first } = this.#shared.stream;
    const reader = new StreamFrames(stream, decode, first);
    for (;;) {
      const found = await reader.next(this.#last);
      if (found === 'purged') throw new Error(`what follows LSN ${this.#last.lsn} is gone`);
      if (found === undefined) return;
      this.#log.take(found);
      this.#last = found.last;
      this.journal.followed({ lsn: found.last.lsn, timeMs: 1, bytes: found.frames.length });
    }
  }

  /** Resolves to the LSN up to which the home is durable; undefined if it cannot be now. */
  async synced(): Promise<number | undefined> {
    const { lsn } = this.#last;
    return this.#log.sync().then(
      () => lsn,
      () => undefined,
    );
  }

  async snapshot(): Promise<boolean> {
    const { lsn } = this.#last;
    const records = idsUpTo(lsn).map((id) => {
      return { kind: 'thing', id, lsn, version: 1, values: [id, 'text'] };
    });
    return this.journal.writeSnapshot(records).then(
      () => true,
      () => false,
    );
  }

  async advance(ms: number): Promise<void> {
    this.#clock.advance(ms);
    await this.#clock.settle();
  }
}

const seeds = campaignSize('CRASH_SEEDS', { usual: 25, nightly: 5000 });
const firstSeed = Number(process.env['CRASH_FIRST_SEED'] ?? 1);
const timeoutMs = Math.max(120_000, seeds * 500);
t.setTimeout(timeoutMs);

t.test(`${seeds} seeds from ${firstSeed}: a home is a beginning of the log`, async (t) => {
  t.setTimeout(timeoutMs);
  const seen = { replaced: 0, torn: 0, snapshots: 0, failed: 0 };
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    try {
      await liveThrough(seed, seen);
    } catch (error) {
      const file = 'test/crash/clustered-home.test.ts';
      const command = `CRASH_SEEDS=1 CRASH_FIRST_SEED=${seed} npm test ${file}`;
      t.fail(`seed ${seed} failed; replay with: ${command}`, { found: error });
    }
  }
  const isSeen = Object.values(seen).every((count) => count > 0);
  t.ok(seeds < 25 || isSeen, `all of it happens: ${JSON.stringify(seen)}`);
});

/** Some lives of a home; the last one is not disturbed and ends with all of the log. */
async function liveThrough(seed: number, seen: Record<string, number>): Promise<void> {
  const random = chance(seed * 7919);
  const note = (what: string, count = 1) => {
    seen[what] = (seen[what] ?? 0) + count;
  };
  let disk = new SimulatedDisk(seed);
  const shared = new Shared();
  makeClusterHome(disk, []);
  shared.share(false);
  let durableLsn = 0;
  const lives = 2 + Math.floor(random() * 5);
  for (let life = 0; life <= lives; life++) {
    const faults: readonly Fault[] = ['crash', 'crash', 'EIO', 'ENOSPC'];
    const fault = faults[Math.floor(random() * 4)] ?? 'crash';
    if (life < lives) disk.failCall(1 + Math.floor(random() * 200), fault);
    try {
      const node = await FollowingNode.open(disk, shared);
      note('replaced', node.replacements);
      if (node.tornTail) note('torn');
      if (node.after.lsn < durableLsn) {
        throw new Error(`it starts after LSN ${node.after.lsn}, ${durableLsn} were durable`);
      }
      for (let step = 0; step < 25; step++) {
        for (let groups = random() * 4; groups >= 1; groups--) shared.add(1 + random() * 5);
        await node.follow();
        if (random() < 0.3) await node.advance(random() * 1200);
        if (random() < 0.2) durableLsn = (await node.synced()) ?? durableLsn;
        if (random() < 0.15 && (await node.snapshot())) note('snapshots');
        if (disk.crashed) break;
      }
      if (life === lives && node.journal.lastLsn !== shared.last.lsn) {
        throw new Error('it does not reach the end of the stream');
      }
    } catch (error) {
      if (!isSimulated(error)) throw error;
      note('failed');
    }
    const isKill = random() < 0.3;
    disk = isKill ? disk.kill() : disk.crash();
    // While the node was down, the others went on.
    if (random() < 0.4) shared.add(3);
    if (random() < 0.3) {
      shared.share(true);
      shared.add(2);
    }
  }
}

t.test('a bit flipped in any file: cut, replaced, refused or harmless', async (t) => {
  const shared = new Shared();
  const disk = new SimulatedDisk(1);
  makeClusterHome(disk, [], 1024);
  const node = await FollowingNode.open(disk, shared);
  for (let group = 0; group < 6; group++) shared.add(4);
  await node.follow();
  t.ok(await node.snapshot());
  shared.add(4);
  await node.follow();
  t.ok(await node.snapshot());
  shared.share(false);
  for (let group = 0; group < 8; group++) shared.add(3);
  await node.follow();
  await node.synced();
  const directories = ['/home', '/home/log', '/home/snapshots'];
  const files = new Map(
    directories.flatMap((directory) =>
      disk.list(directory).map((name) => {
        const path = `${directory}/${name}`;
        return [path, disk.bytesOf(path)] as const;
      }),
    ),
  );
  const counts = { cut: 0, replaced: 0, refused: 0, harmless: 0 };
  for (const [path, bytes] of files) {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      if (!isNightly && bit % 128 !== (bit >> 7) % 128) continue;
      const damaged = new SimulatedDisk(1);
      for (const [name, content] of files) damaged.place(name, content);
      damaged.corrupt(path, (content) => {
        content[bit >> 3] = (content[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      });
      try {
        const found = await FollowingNode.open(damaged.kill(), shared);
        await found.follow();
        if (found.journal.lastLsn !== shared.last.lsn) t.fail(`bit ${bit} of ${path}: it is short`);
        if (found.replacements > 0) counts.replaced++;
        else if (found.tornTail) counts.cut++;
        else counts.harmless++;
      } catch (error) {
        const known = [LogCorrupt, NewerFormat, OtherMembership];
        if (!known.some((type) => error instanceof type))
          t.fail(`bit ${bit} of ${path}`, { error });
        counts.refused++;
        if (!/cluster$|lock$/.test(path) && error instanceof LogCorrupt) {
          t.fail(`bit ${bit} of ${path} is refused: ${error.message}`);
        }
      }
    }
  }
  t.ok(counts.cut > 0 && counts.replaced > 0 && counts.harmless > 0, JSON.stringify(counts));
});
