// What a restore is made of: the snapshot and its log up to an LSN or a time, or a clear refusal.

import { crc32 } from 'node:zlib';
import t from 'tap';
import { NewerFormat, RestoreRefused } from '../../snapshots/errors.ts';
import { openSource, type RestoreTarget } from '../../snapshots/home/restore-source.ts';
import { NewerRecord } from '../../src/store/record.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { openSimulated, putEach } from './home.ts';
import {
  frames,
  hour,
  restorableHome,
  snapshotLsn,
  snapshotPath,
  sourceOf,
  textAt,
} from './restorable.ts';

const lastLsn = frames.length;
const log = '/home/log';
const firstSegment = `${log}/0000000000000001.log`;

function refusal(disk: SimulatedDisk, target: RestoreTarget = {}, from: string | null = log) {
  try {
    openSource(disk, {
      snapshot: snapshotPath,
      target,
      evaluate: () => undefined,
      log: from ?? undefined,
    });
  } catch (error) {
    if (error instanceof RestoreRefused) return error.message;
    throw error;
  }
  return 'it was not refused';
}

t.test('each LSN from the snapshot to the end of the log', async (t) => {
  const disk = await restorableHome();
  for (let lsn = snapshotLsn; lsn <= lastLsn; lsn++) {
    const { source, text, records, evaluated } = sourceOf(disk, { lsn });
    t.match(source, { lsn, snapshotLsn, timeMs: hour(lsn) });
    t.equal(text, textAt(lsn), `LSN ${lsn}`);
    t.equal(records, JSON.parse(text).length);
    t.ok(evaluated.length >= records, 'each record was evaluated');
  }
  t.equal(sourceOf(disk).text, textAt(lastLsn), 'all of the log where nothing is said');
  const alone = openSource(disk, {
    snapshot: snapshotPath,
    target: {},
    evaluate: () => undefined,
  });
  t.equal(alone.lsn, snapshotLsn, 'the snapshot where no log is named');
});

t.test('times: the last frame that is no later', async (t) => {
  const disk = await restorableHome();
  for (let lsn = snapshotLsn; lsn <= lastLsn; lsn++) {
    t.equal(sourceOf(disk, { timeMs: hour(lsn) }).source.lsn, lsn, 'to the very millisecond');
    t.equal(sourceOf(disk, { timeMs: hour(lsn + 1) - 1 }).source.lsn, lsn);
  }
  t.equal(sourceOf(disk, { timeMs: hour(1000) }).source.lsn, lastLsn, 'there is no more');
  t.match(refusal(disk, { timeMs: hour(snapshotLsn) - 1 }), /lies before the snapshot.*LSN 3 \(/);
});

t.test('a clock that was set back makes a time ambiguous, and only then', async (t) => {
  const disk = await restorableHome([1, 2, 3, 6, 7, 5, 8, 9].map(hour));
  t.match(
    refusal(disk, { timeMs: hour(5) }),
    /clock .* set back: up to LSN 3 no frame is later .* yet LSN 6 is no later .*--to-lsn/,
  );
  t.equal(sourceOf(disk, { timeMs: hour(4) }).source.lsn, 3);
  t.equal(sourceOf(disk, { timeMs: hour(7) }).source.lsn, 6);
});

t.test('what cannot be reached is told with what can', async (t) => {
  const disk = await restorableHome();
  t.match(refusal(disk, { lsn: 2 }), /LSN 2 lies before the snapshot.*at LSN 3 \(2026-11-21T03/);
  t.match(
    refusal(disk, { lsn: 9 }),
    /LSN 9 cannot be reached: the snapshot is of LSN 3 .* goes on to LSN 8 \(2026-11-21T08/,
  );
  t.match(refusal(disk, { lsn: 4 }, null), /reaches to LSN 3 .* no further: .*--log/);
  t.match(refusal(disk, { timeMs: hour(4) }, null), /no further/);
  t.match(refusal(disk, {}, '/home/pki'), /holds no segment/);
});

t.test('a log that misses frames, and one of another home', async (t) => {
  const disk = await restorableHome();
  const other = new SimulatedDisk(2);
  const { journal } = await openSimulated(other, undefined, { newDataSetId: 'f'.repeat(32) });
  await putEach(journal, ['x']);
  disk.place('/other/0000000000000001.log', other.bytesOf(firstSegment));
  t.match(refusal(disk, {}, '/other'), /belongs to the data set f{32}, .* not of the same home/);
  disk.remove(firstSegment);
  t.match(refusal(disk, { lsn: 8 }), /LSN 3 .* begins with LSN [4-8]: the frames between/);
});

t.test('damage: where it is, and what can be had before it', async (t) => {
  const disk = await restorableHome();
  const segments = disk.list(log).map((name) => `${log}/${name}`);
  const damaged = segments.find((path) => path !== firstSegment) ?? firstSegment;
  disk.corrupt(damaged, (bytes) => {
    bytes[600] = (bytes[600] ?? 0) ^ 1;
  });
  const told = refusal(disk);
  t.match(told, new RegExp(`${damaged} is damaged at offset \\d+, LSN \\d+: .*with --to-lsn`));
  const lsn = Number(/LSN \d+ to (\d+) can be had/.exec(told)?.[1]);
  t.equal(sourceOf(disk, { lsn }).text, textAt(lsn));
  t.match(refusal(disk, { lsn: lsn + 1 }), new RegExp(`goes on to LSN ${lsn} .*, then .*damaged`));
  t.match(refusal(disk, { timeMs: hour(lsn) }), /cannot be told.*--to-lsn/);
  t.equal(sourceOf(disk, { timeMs: hour(lsn) - 1 }).source.lsn, lsn - 1);
});

t.test('a torn tail ends a log like any end', async (t) => {
  const disk = await restorableHome();
  const newest = `${log}/${disk.list(log).findLast((name) => disk.bytesOf(`${log}/${name}`)[0] !== 0)}`;
  disk.corrupt(newest, (bytes) => {
    const end = bytes.findLastIndex((byte) => byte !== 0);
    bytes[end - 3] = (bytes[end - 3] ?? 0) ^ 1;
  });
  t.equal(sourceOf(disk).source.lsn, lastLsn - 1);
});

t.test('every flipped bit of a snapshot is noticed', async (t) => {
  const disk = await restorableHome();
  const { length } = disk.bytesOf(snapshotPath);
  const flip = (bit: number) =>
    disk.corrupt(snapshotPath, (bytes) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    });
  let unnoticed = 0;
  for (let bit = 0; bit < length * 8; bit++) {
    flip(bit);
    if (!/ is damaged: /.test(refusal(disk))) unnoticed += 1;
    flip(bit);
  }
  t.equal(unnoticed, 0, `${length * 8} bits`);
  t.equal(sourceOf(disk).text, textAt(lastLsn), 'and repaired it is whole');
});

t.test('formats and records of a later version', async (t) => {
  const disk = await restorableHome();
  const evaluate = () => {
    throw new NewerRecord('records of tomorrow');
  };
  const target = {};
  t.throws(() => openSource(disk, { snapshot: snapshotPath, target, evaluate }), NewerRecord);
  disk.corrupt(snapshotPath, (bytes) => {
    bytes.writeUInt32LE(2, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  });
  t.throws(() => sourceOf(disk), NewerFormat);
});
