// Bits of every file of a small home, flipped one by one: a start refuses, or says what it passed
// over, or the bit meant nothing. What it opens is never silently another home. At night every bit
// is flipped, otherwise one of each second byte.

import t from 'tap';
import { LogCorrupt, NewerFormat } from '../../snapshots/errors.ts';
import type { Journal, RecoveryReport } from '../../snapshots/journal.ts';
import { isNightly } from '../campaigns.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { openAndRead } from './life.ts';
import { applyFrame, Model, type Records, textOf } from './model.ts';

const bounds = { segmentBytes: 1024, frameBytesMax: 400, snapshotBlockBytes: 256 } as const;

for (const isSealed of [false, true]) {
  t.test(isSealed ? 'a home that was stopped' : 'a home whose process was killed', async (t) => {
    const home = await smallHome(isSealed);
    const { report } = await read(home.files);
    t.match(report, { lastLsn: home.model.log.length - 1, sealed: isSealed });
    t.ok(report.snapshotLsn > 0 && report.framesReplayed > 1, 'a snapshot, and frames behind it');
    t.equal(home.snapshots, 2, 'and a snapshot before it');
    const counts = { refused: 0, told: 0, harmless: 0 };
    for (const [path, bytes] of home.files) {
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        if (!isNightly && bit % 16 !== (bit >> 4) % 16) continue;
        try {
          counts[await evaluate(home, path, bit)]++;
        } catch (error) {
          t.fail(`bit ${bit} of ${path}`, { found: error });
        }
      }
    }
    t.ok(counts.refused > 0 && counts.told > 0 && counts.harmless > 0, JSON.stringify(counts));
  });
}

/** What a dead process left, and what it stands for. */
interface DeadHome {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly model: Model;
  /** Everything up to here was durable before the last group was written. */
  readonly provenLsn: number;
  readonly snapshots: number;
}

/**
 * A home of a few records with two snapshots, each made while frames were appended, and a log of
 * several segments behind the newer one.
 */
async function smallHome(isSealed: boolean): Promise<DeadHome> {
  const disk = new SimulatedDisk(1);
  const clock = new SimulatedClock();
  const { journal } = await openAndRead(disk, clock, 'disk', bounds);
  const model = new Model();
  const records: Records = new Map();
  const put = (ids: readonly number[]) => append(journal, model, records, ids);
  for (let first = 0; first < 40; first += 10) put(Array.from({ length: 10 }, (_, n) => first + n));
  for (const part of [1, 2]) {
    const taken = journal.writeSnapshot([...records.values()], 0);
    for (let n = 0; n < 6; n++) {
      put([n, 30 + part, 50 * part + n]);
      await clock.settle();
    }
    await taken;
  }
  if (isSealed) {
    model.log.push('seal');
    await journal.close();
  } else {
    put([1, 2]);
    put([3]);
    clock.turn();
  }
  const provenLsn = model.log.length - (isSealed ? 2 : 3);
  const directories = ['/home', '/home/log', '/home/snapshots'];
  const paths = directories.flatMap((directory) =>
    disk.list(directory).map((name) => `${directory}/${name}`),
  );
  const files = new Map(paths.map((path) => [path, disk.bytesOf(path)]));
  return { files, model, provenLsn, snapshots: disk.list('/home/snapshots').length };
}

function append(journal: Journal, model: Model, records: Records, ids: readonly number[]): void {
  const changes = ids.map((n) => {
    const values = n % 7 === 0 ? null : [n, model.log.length];
    return { kind: 'k', id: `${n}`, previousLsn: 0, version: 1, values };
  });
  const content = {
    timeMs: 1,
    actor: 'a',
    requestId: '',
    operation: 'o',
    causeLsn: 0,
    events: [],
    changes,
  };
  const lsn = journal.append(content);
  model.log.push(content);
  applyFrame(records, lsn, content);
}

/** @throws when the home opens as another one without a word */
async function evaluate(
  { files, model, provenLsn }: DeadHome,
  path: string,
  bit: number,
): Promise<'refused' | 'told' | 'harmless'> {
  let found: Awaited<ReturnType<typeof read>>;
  try {
    found = await read(files, path, bit);
  } catch (error) {
    if (error instanceof LogCorrupt || error instanceof NewerFormat) return 'refused';
    throw error;
  }
  const { lastLsn, tornTail, damagedSnapshots } = found.report;
  if (found.text !== model.stateAt(lastLsn)) throw new Error(`it holds ${found.text}`);
  const isWhole = lastLsn === model.log.length - 1;
  if (lastLsn < provenLsn || (!isWhole && tornTail === undefined)) {
    throw new Error(`it ends at LSN ${lastLsn}`);
  }
  return tornTail === undefined && damagedSnapshots.length === 0 ? 'harmless' : 'told';
}

/** Opens a copy of the home with one bit flipped. */
async function read(
  files: ReadonlyMap<string, Buffer>,
  path = '',
  bit = 0,
): Promise<{ readonly report: RecoveryReport; readonly text: string }> {
  const disk = new SimulatedDisk(1);
  for (const [name, bytes] of files) disk.place(name, bytes);
  if (path !== '') {
    disk.corrupt(path, (bytes) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    });
  }
  const next = disk.kill();
  const { report, records } = await openAndRead(next, new SimulatedClock(), 'disk', bounds);
  return { report, text: textOf(records) };
}
