// One life of a home on a simulated disk, for the crash campaign: open, work, die in some way,
// compare with a model.

import { LogCorrupt } from '../../snapshots/errors.ts';
import { openHome } from '../../snapshots/home/open.ts';
import type { OpenHomeOptions } from '../../snapshots/home/open-options.ts';
import type {
  DurabilityLevel,
  Journal,
  RecoveryReport,
  StoredRecord,
} from '../../snapshots/journal.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { chance, type Fault, SimulatedDisk } from '../simulated/disk.ts';
import { checkSnapshots, checkTidy } from './home-files.ts';
import { Model, type Records, textOf } from './model.ts';
import { isSimulated, Work } from './work.ts';

/** How a life goes and ends, and what happens to its disk meanwhile. */
export interface Plan {
  readonly faultAtCall: number;
  readonly fault: Fault;
  readonly steps: number;
  /** The chance of a snapshot in each step. */
  readonly snapshots: number;
  readonly cleanStop: 'with a snapshot' | 'without' | undefined;
  /** Power is lost, or only the process dies. */
  readonly end: 'crash' | 'kill';
}

/** What is the same in all lives of a home. */
export interface Ways {
  readonly level: DurabilityLevel;
  readonly snapshotsKept: number;
}

/** The bounds of these tests: small enough that a few frames fill a segment. */
export const smallBounds = {
  segmentBytes: 4096,
  frameBytesMax: 2048,
  pendingBytesMax: 65_536,
  snapshotsKept: 2,
} as const;

/** Opens a home and answers what was recovered. */
export async function openAndRead(
  disk: SimulatedDisk,
  clock: SimulatedClock,
  level: DurabilityLevel,
  more: Partial<OpenHomeOptions> = {},
): Promise<{ journal: Journal; report: RecoveryReport; records: Records }> {
  const records: Records = new Map();
  const load = (record: StoredRecord) => {
    const key = `${record.kind} ${record.id}`;
    if (records.has(key)) throw new Error(`${key} was handed out twice`);
    records.set(key, record);
  };
  const newDataSetId = '0123456789abcdef'.repeat(2);
  const options = {
    home: '/home',
    disk,
    clock,
    level,
    newDataSetId,
    load,
    ...smallBounds,
    ...more,
  };
  const opened = await openHome({ writer: 'inline', ...options });
  return { ...opened, records };
}

/**
 * Runs one life; answers the disk the next one finds. Throws when anything is missing or too much.
 */
export async function live(
  disk: SimulatedDisk,
  model: Model,
  plan: Plan,
  random: () => number,
  ways: Ways,
): Promise<SimulatedDisk> {
  const clock = new SimulatedClock();
  disk.countReads();
  disk.failCall(plan.faultAtCall, plan.fault);
  const opened = await openedOrRefused(disk, clock, ways);
  if (opened !== undefined) {
    const { journal, records } = opened;
    compare(model, opened, ways.level);
    const { snapshotsKept } = ways;
    const work = new Work({ disk, clock, model, random, journal, snapshotsKept }, records);
    await worked(work, model, plan, random);
  }
  if (ways.level !== 'disk' && plan.end === 'crash') model.acknowledgedLsn = 0;
  const next = plan.end === 'crash' ? disk.crash() : disk.kill();
  checkSnapshots(next, model);
  return next;
}

/** A plan made up from chance. */
export function somePlan(random: () => number): Plan {
  const faults: readonly Fault[] = ['crash', 'crash', 'EIO', 'ENOSPC'];
  const stop = random();
  return {
    faultAtCall: 1 + Math.floor(random() * 250),
    fault: faults[Math.floor(random() * 4)] ?? 'crash',
    steps: Math.floor(random() * 25),
    snapshots: random() * 0.4,
    cleanStop: stop < 0.4 ? 'with a snapshot' : stop < 0.5 ? 'without' : undefined,
    end: random() < 0.7 ? 'crash' : 'kill',
  };
}

/**
 * All lives of one seed, each found by the next; the last recovery is done twice and must agree.
 */
export async function liveThrough(seed: number): Promise<void> {
  const random = chance(seed * 7919);
  const level: DurabilityLevel = random() < 0.8 ? 'disk' : 'second';
  const ways = { level, snapshotsKept: 1 + Math.floor(random() * 3) };
  const model = new Model();
  let disk = new SimulatedDisk(seed);
  const lives = 2 + Math.floor(random() * 5);
  for (let life = 0; life < lives; life++) {
    disk = await live(disk, model, somePlan(random), random, ways);
  }
  const first = await openAndRead(disk, new SimulatedClock(), level, ways);
  compare(model, first, level);
  checkTidy(disk);
  disk = random() < 0.5 ? disk.kill() : disk.crash();
  const second = await openAndRead(disk, new SimulatedClock(), level, ways);
  const summary = ({ report, records }: typeof first) =>
    `${report.lastLsn} ${report.lastTimeMs} ${report.snapshotLsn} ${report.sealed} ${textOf(records)}`;
  if (summary(first) !== summary(second)) throw new Error('the second recovery differs');
  if (second.report.tornTail !== undefined) throw new Error('the torn tail was not cut');
}

/** Small blocks, so that a snapshot of a few records is written with many calls. */
const snapshotBlockBytes = 1024;

type Opened = Awaited<ReturnType<typeof openAndRead>>;

/** A start that the planned fault refused is none; what it left must still be whole. */
async function openedOrRefused(
  disk: SimulatedDisk,
  clock: SimulatedClock,
  ways: Ways,
): Promise<Opened | undefined> {
  let readFailed = false;
  disk.onFault = (what) => {
    readFailed ||= what === 'read';
  };
  try {
    const opened = await openAndRead(disk, clock, ways.level, { ...ways, snapshotBlockBytes });
    const { damagedSnapshots } = opened.report;
    if (damagedSnapshots.length === 0) disk.quietly(() => checkTidy(disk));
    else if (!readFailed) throw new Error(`damaged: ${JSON.stringify(damagedSnapshots)}`);
    return opened;
  } catch (error) {
    // Without the snapshot that could not be read, the log may not reach back far enough.
    const refused = readFailed && error instanceof LogCorrupt;
    if (!refused && !isSimulated(error)) throw error;
    return undefined;
  }
}

function compare(model: Model, { report, records }: Opened, level: DurabilityLevel): void {
  if (report.lastLsn < model.acknowledgedLsn) {
    throw new Error(`acknowledged up to ${model.acknowledgedLsn}, recovered ${report.lastLsn}`);
  }
  const expected = model.stateAt(report.lastLsn);
  const found = textOf(records);
  if (found !== expected) throw new Error(`recovered ${found}, expected ${expected}`);
  model.cutAfter(report.lastLsn);
  // What was recovered is durable from here on, acknowledged before or not.
  if (level === 'disk') model.acknowledgedLsn = report.lastLsn;
}

async function worked(work: Work, model: Model, plan: Plan, random: () => number): Promise<void> {
  if (model.log.length === 1) await work.fill();
  for (let step = 0; step < plan.steps; step++) {
    if (random() < plan.snapshots)
      work.beginSnapshot(random() < 0.7 ? 0 : Number.POSITIVE_INFINITY);
    await work.step();
  }
  if (plan.cleanStop !== undefined) await work.stop(plan.cleanStop === 'with a snapshot');
}
