// How a node opens its home: what it lost, or has slept through, comes from a shared snapshot.

import t from 'tap';
import { LogCorrupt, OtherMembership } from '../../snapshots/errors.ts';
import { readMembership, writeMembership } from '../../snapshots/home/membership.ts';
import { openHome } from '../../snapshots/home/open.ts';
import { frameBytesAt } from '../../snapshots/log/frame.ts';
import { openClusterHome, placeOf, type SharedLog } from '../../src/cluster/node/home-recovery.ts';
import { type SharedSnapshot, SnapshotGone } from '../../src/cluster/shared-snapshots.ts';
import type { LogPoint } from '../../src/cluster/stream.ts';
import { smallBounds } from '../crash/life.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../simulated/disk.ts';
import {
  clusterDataSetId,
  makeClusterHome,
  Stamping,
  snapshotBytes,
} from '../snapshots/clustered-home.ts';
import { firstSegment } from '../snapshots/home.ts';

const snapshot: SharedSnapshot = {
  name: 'ten',
  generation: 1,
  lsn: 10,
  crc: 4711,
  sequence: 9,
  bytes: 1,
};
const inSnapshot = ['s1', 's2'];

interface Around {
  /** The first point from which the stream can be followed. */
  readonly reachedFrom?: number;
  readonly snapshots?: readonly SharedSnapshot[];
  /** How many downloads come too late. */
  gone?: number;
  readonly generation?: number;
  /** Bytes of the downloaded files, instead of sound ones. */
  readonly bytes?: Buffer;
}

async function open(disk: SimulatedDisk, around: Around = {}) {
  const { reachedFrom = 0, snapshots = [snapshot], generation = 1 } = around;
  const asked: LogPoint[] = [];
  const ids: string[] = [];
  const reasons: string[] = [];
  const shared: SharedLog = {
    generation,
    reaches: async (end) => {
      asked.push(end);
      return end.lsn >= reachedFrom;
    },
    termOf: async () => 6,
    snapshots: {
      list: async () => snapshots,
      download: async ({ lsn }, file) => {
        if ((around.gone ?? 0) > 0) {
          around.gone = (around.gone ?? 0) - 1;
          throw new SnapshotGone('it is gone');
        }
        const opened = disk.open(file, 'create');
        opened.write([around.bytes ?? snapshotBytes(lsn, inSnapshot)], 0);
        opened.close();
      },
    },
  };
  const opened = await openClusterHome({
    ...smallBounds,
    home: '/home',
    disk,
    clock: new SimulatedClock(),
    level: 'second',
    writer: 'inline',
    newDataSetId: 'ff'.repeat(16),
    load: ({ id }) => ids.push(id),
    shared,
    replacing: (_, reason) => reasons.push(reason),
  });
  return { ...opened, asked, ids: ids.sort().join(' '), reasons };
}

/** A home with one frame per id, and where it ends. */
function home(ids: readonly string[], segmentBytes = 4096) {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  makeClusterHome(
    disk,
    ids.map((id) => stamping.puts(id)),
    segmentBytes,
  );
  return { disk: disk.kill(), last: stamping.last };
}

t.test('a sound home that the stream goes on from is opened as it is', async (t) => {
  const { disk, last } = home(['a', 'b']);
  const { after, ids, asked, reasons, report, membership } = await open(disk);
  t.strictSame([ids, reasons], ['a b', []]);
  t.strictSame(after, last);
  t.strictSame(asked, [last]);
  t.strictSame(membership, { generation: 1, nodeId: 'node' });
  t.equal(report.tornTail, undefined);
});

t.test('a torn tail is cut, and the node starts before it', async (t) => {
  const { disk } = home(['a', 'b', 'c']);
  const second = 512 + frameBytesAt(disk.bytesOf(firstSegment), 512);
  disk.corrupt(firstSegment, (bytes) => {
    bytes[second + 40] = (bytes[second + 40] ?? 0) ^ 1;
  });
  const { after, ids, report, reasons } = await open(disk);
  t.equal(ids, 'a');
  t.equal(after.lsn, 1);
  t.match(report.tornTail, { offset: second });
  t.strictSame(reasons, []);
});

t.test('a stream that begins later is a gap: the snapshot takes the place', async (t) => {
  const { disk, last } = home(['a', 'b']);
  const { after, ids, asked, reasons, report } = await open(disk, { reachedFrom: 5 });
  t.equal(ids, 's1 s2', 'records are handed out once');
  t.strictSame(after, { lsn: 10, crc: 4711 });
  t.strictSame(asked, [last, after]);
  t.strictSame(reasons, ['the stream no longer has what follows LSN 2']);
  t.match(report, { dataSetId: clusterDataSetId, lastLsn: 10, lastTimeMs: 3000, term: 6 });
  t.ok(disk.exists('/home/aside/log/0000000000000001.log'), 'the old log is laid aside');
  t.ok(disk.exists('/home/aside/manifest'));
  t.notOk(disk.exists('/home/incoming'));
  const again = await open(disk.crash(), { reachedFrom: 5 });
  t.strictSame([again.ids, again.after, again.reasons], ['s1 s2', after, []], 'and it is durable');
});

t.test('damage is refilled by a snapshot, if there is one', async (t) => {
  const ids = Array.from({ length: 20 }, (_, n) => `i${n}`);
  const { disk } = home(ids, 1024);
  disk.corrupt(firstSegment, (bytes) => bytes.fill(0xee, 600, 610));
  await t.rejects(open(disk, { snapshots: [] }), LogCorrupt, 'nothing can refill it');
  t.notOk(disk.exists('/home/aside'));
  const { after, reasons } = await open(disk);
  t.equal(after.lsn, 10);
  t.match(reasons, [/0001\.log is damaged at offset/]);
});

t.test('a lost manifest is refilled, and never taken for a new home', async (t) => {
  const { disk } = home(['a']);
  disk.remove('/home/manifest');
  await t.rejects(open(disk, { snapshots: [] }), LogCorrupt);
  t.equal((await open(disk)).ids, 's1 s2');
});

t.test('a home of a join that made no data is told from one of no cluster', async (t) => {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory('/home');
  t.throws(() => placeOf(disk, '/home'), /belongs to no cluster: run edge-control cluster init/);
  writeMembership(disk, '/home', { generation: 1, nodeId: 'node' });
  t.throws(() => placeOf(disk, '/home'), /is not complete: remove it, and run .* join again/);
});

t.test('a snapshot that disappears gives way to the newest, three times', async (t) => {
  const { disk } = home(['a']);
  const around: Around = { reachedFrom: 5, gone: 2 };
  t.equal((await open(disk, around)).ids, 's1 s2');
  const other = home(['a']).disk;
  await t.rejects(open(other, { reachedFrom: 5, gone: 3 }), SnapshotGone);
  t.equal((await open(other)).ids, 'a', 'the old home is still there');
});

t.test('a snapshot that does not read is not taken', async (t) => {
  const { disk } = home(['a']);
  const bytes = snapshotBytes(10, inSnapshot);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  await t.rejects(open(disk, { reachedFrom: 5, bytes }), { name: 'SnapshotDamaged' });
  const other = snapshotBytes(11, inSnapshot);
  await t.rejects(open(disk, { reachedFrom: 5, bytes: other }), /it is of LSN 11, not 10/);
  t.equal((await open(disk)).ids, 'a');
});

t.test('a home of an older generation begins with a snapshot of the newer one', async (t) => {
  const { disk } = home(['a']);
  const newer = { ...snapshot, generation: 2 };
  await t.rejects(open(disk, { generation: 2 }), /the cluster has a new generation/);
  const { ids, membership } = await open(disk, { generation: 2, snapshots: [newer, snapshot] });
  t.equal(ids, 's1 s2');
  t.match(membership, { generation: 2, nodeId: 'node' });
  t.match(readMembership(disk, '/home'), { generation: 2, nodeId: 'node' });
  await t.rejects(open(disk.kill()), OtherMembership, 'and follows no older one');
});

t.test('a home is opened as what it is', async (t) => {
  const options = {
    ...smallBounds,
    home: '/home',
    clock: new SimulatedClock(),
    level: 'disk',
    writer: 'inline',
    newDataSetId: clusterDataSetId,
    load: () => undefined,
  } as const;
  const disk = new SimulatedDisk(1);
  const alone = await openHome({ ...options, disk });
  await alone.journal.close();
  await t.rejects(open(disk), OtherMembership, 'no member');
  writeMembership(disk, '/home', { generation: 1, nodeId: 'node' });
  await t.rejects(openHome({ ...options, disk }), /belongs to a cluster, and none is configured/);
  const { after, report } = await open(disk);
  t.equal(after.lsn, 1, 'the seal of its life alone');
  t.match(report, { sealed: true, term: 0 });
  disk.remove('/home/cluster');
  const left = await openHome({ ...options, disk: disk.kill() });
  t.match(left.report, { lastLsn: 1 }, 'it has left');
});

t.test('a crash at every call of a replacement: the next start ends the same', async (t) => {
  const whole = home(['a', 'b']).disk;
  await open(whole, { reachedFrom: 5 });
  const calls = whole.calls;
  t.ok(calls > 20, `${calls} calls`);
  for (let call = 1; call <= calls; call++) {
    const { disk } = home(['a', 'b']);
    disk.failCall(call, 'crash');
    await open(disk, { reachedFrom: 5 }).catch((error: unknown) => {
      if (!(error instanceof SimulatedCrash)) throw error;
    });
    const place = { id: 'node', dataSet: { dataSetId: clusterDataSetId, generation: 1 } };
    t.strictSame(placeOf(disk.kill(), '/home'), place, `crash at call ${call}`);
    const next = await open(call % 2 === 0 ? disk.crash() : disk.kill(), { reachedFrom: 5 });
    if (next.ids !== 's1 s2' || next.after.lsn !== 10) t.fail(`crash at call ${call}: ${next.ids}`);
    t.match(next.membership, { nodeId: 'node' });
  }
});
