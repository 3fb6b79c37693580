// One life of a journal on a simulated disk, for the crash campaign: open, work, die in some way,
// compare with a model.

import { JournalFailed, JournalStalled } from '../../snapshots/errors.ts';
import type {
  DurabilityLevel,
  FrameContent,
  Journal,
  OpenHomeOptions,
  RecoveryReport,
  StoredRecord,
} from '../../snapshots/journal.ts';
import { openHome } from '../../snapshots/open.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { chance, type Fault, SimulatedDisk } from '../simulated/disk.ts';

/** What was appended at each LSN (index 0 unused), and up to where it was acknowledged. */
export interface Model {
  readonly log: (FrameContent | 'seal')[];
  acknowledgedLsn: number;
}

/** How a life ends, and what happens to its disk meanwhile. */
export interface Plan {
  readonly faultAtCall: number;
  readonly fault: Fault;
  readonly steps: number;
  readonly cleanStop: boolean;
  /** Power is lost, or only the process dies. */
  readonly end: 'crash' | 'kill';
}

/** The bounds of these tests: small enough that a few frames fill a segment. */
export const smallBounds = {
  segmentBytes: 4096,
  frameBytesMax: 2048,
  pendingBytesMax: 65_536,
  snapshotsKept: 2,
} as const;

/** Opens a home and answers what was recovered as a comparable text. */
export async function openAndRead(
  disk: SimulatedDisk,
  clock: SimulatedClock,
  level: DurabilityLevel,
  more: Partial<OpenHomeOptions> = {},
): Promise<{ journal: Journal; report: RecoveryReport; records: Map<string, StoredRecord> }> {
  const records = new Map<string, StoredRecord>();
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
  before: SimulatedDisk,
  model: Model,
  plan: Plan,
  random: () => number,
  level: DurabilityLevel,
): Promise<SimulatedDisk> {
  const disk = before;
  const clock = new SimulatedClock();
  disk.failCall(plan.faultAtCall, plan.fault);
  let opened: Awaited<ReturnType<typeof openAndRead>> | undefined;
  try {
    opened = await openAndRead(disk, clock, level);
  } catch (error) {
    if (!isSimulated(error)) throw error;
  }
  if (opened !== undefined) {
    compare(model, opened, level);
    await work(opened.journal, opened.records, { disk, clock, model, plan, random });
  }
  if (level !== 'disk' && plan.end === 'crash') model.acknowledgedLsn = 0;
  return plan.end === 'crash' ? disk.crash() : disk.kill();
}

/** The records a model's first `lsn` frames leave. */
export function recordsOf(model: Model, lsn: number): Map<string, StoredRecord> {
  const records = new Map<string, StoredRecord>();
  for (let at = 1; at <= lsn; at++) {
    const frame = model.log[at];
    if (frame === undefined) throw new Error(`LSN ${at} was never appended`);
    if (frame === 'seal') continue;
    for (const { kind, id, version, values } of frame.changes) {
      if (values === null) records.delete(`${kind} ${id}`);
      else records.set(`${kind} ${id}`, { kind, id, lsn: at, version, values });
    }
  }
  return records;
}

/** Maps as text, whatever order they came in. */
export function textOf(records: ReadonlyMap<string, StoredRecord>): string {
  return JSON.stringify([...records].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function compare(
  model: Model,
  { report, records }: { report: RecoveryReport; records: Map<string, StoredRecord> },
  level: DurabilityLevel,
): void {
  if (report.lastLsn < model.acknowledgedLsn) {
    throw new Error(`acknowledged up to ${model.acknowledgedLsn}, recovered ${report.lastLsn}`);
  }
  const expected = textOf(recordsOf(model, report.lastLsn));
  const found = textOf(records);
  if (found !== expected) throw new Error(`recovered ${found}, expected ${expected}`);
  model.log.length = report.lastLsn + 1;
  // What was recovered is durable from here on, acknowledged before or not.
  if (level === 'disk') model.acknowledgedLsn = report.lastLsn;
}

interface Surroundings {
  readonly disk: SimulatedDisk;
  readonly clock: SimulatedClock;
  readonly model: Model;
  readonly plan: Plan;
  readonly random: () => number;
}

async function work(
  journal: Journal,
  records: Map<string, StoredRecord>,
  around: Surroundings,
): Promise<void> {
  const { clock, model, plan, random } = around;
  journal.onDurable((lsn) => {
    model.acknowledgedLsn = Math.max(model.acknowledgedLsn, lsn);
  });
  for (let step = 0; step < plan.steps && journal.health.state !== 'failed'; step++) {
    const group = 1 + Math.floor(random() * 6);
    for (let index = 0; index < group; index++) appendOne(journal, records, model, random);
    clock.turn();
    if (journal.health.state === 'stalled') clock.advance(300);
    if (random() < 0.1) clock.advance(1200);
    if (random() < 0.06) await ended(journal.writeSnapshot([...records.values()]), around);
  }
  if (!plan.cleanStop) return;
  if (random() < 0.8) await ended(journal.writeSnapshot([...records.values()]), around);
  model.log.push('seal');
  if (await ended(journal.close(), around)) {
    model.acknowledgedLsn = Math.max(model.acknowledgedLsn, model.log.length - 1);
  }
}

function appendOne(
  journal: Journal,
  records: Map<string, StoredRecord>,
  model: Model,
  random: () => number,
): void {
  const changes = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const kind = random() < 0.5 ? 'identity' : 'session';
    const id = `i${Math.floor(random() * 12)}`;
    const previousLsn = records.get(`${kind} ${id}`)?.lsn ?? 0;
    const long = random() < 0.1 ? 400 : 40;
    const values = random() < 0.2 ? null : [id, 'x'.repeat(random() * long), random() < 0.5];
    return { kind, id, previousLsn, version: 1, values };
  });
  const lsn = model.log.length;
  const content: FrameContent = {
    timeMs: 1_700_000_000_000 + lsn,
    actor: 'someone',
    requestId: `r${lsn}`,
    operation: 'work',
    causeLsn: 0,
    events: [['session', 'i1', 'touch', 'active', 'active']],
    changes,
  };
  try {
    const given = journal.append(content);
    if (given !== lsn) throw new Error(`LSN ${given} was given, ${lsn} expected`);
  } catch (error) {
    if (error instanceof JournalStalled) return;
    throw error;
  }
  model.log.push(content);
  for (const { kind, id, version, values } of changes) {
    if (values === null) records.delete(`${kind} ${id}`);
    else records.set(`${kind} ${id}`, { kind, id, lsn, version, values });
  }
}

/**
 * Waits for a promise while time goes by; true when it was kept, false when the disk had its way.
 */
async function ended(promise: Promise<unknown>, { disk, clock }: Surroundings): Promise<boolean> {
  let state: 'open' | 'kept' | 'failed' = 'open';
  let failure: unknown;
  promise.then(
    () => {
      state = 'kept';
    },
    (error: unknown) => {
      state = 'failed';
      failure = error;
    },
  );
  for (let turn = 0; turn < 20 && state === 'open'; turn++) {
    for (let tick = 0; tick < 10; tick++) await undefined;
    if (state === 'open' && !disk.crashed) clock.advance(300);
  }
  if ((state as string) === 'failed' && !isSimulated(failure)) throw failure;
  if ((state as string) === 'open' && !disk.crashed) throw new Error('it never ended');
  return (state as string) === 'kept';
}

function isSimulated(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'SimulatedCrash' || /simulated/.test(at.message)) return true;
    if (at instanceof JournalFailed) return true;
  }
  return false;
}

/** A plan made up from chance. */
export function somePlan(random: () => number): Plan {
  const faults: readonly Fault[] = ['crash', 'crash', 'EIO', 'ENOSPC'];
  return {
    faultAtCall: 1 + Math.floor(random() * 120),
    fault: faults[Math.floor(random() * 4)] ?? 'crash',
    steps: Math.floor(random() * 25),
    cleanStop: random() < 0.5,
    end: random() < 0.7 ? 'crash' : 'kill',
  };
}

/**
 * All lives of one seed, each found by the next; the last recovery is done twice and must agree.
 */
export async function liveThrough(seed: number): Promise<void> {
  const random = chance(seed * 7919);
  const level: DurabilityLevel = random() < 0.8 ? 'disk' : 'second';
  const model: Model = { log: ['seal'], acknowledgedLsn: 0 };
  let disk = new SimulatedDisk(seed);
  const lives = 2 + Math.floor(random() * 5);
  for (let life = 0; life < lives; life++) {
    disk = await live(disk, model, somePlan(random), random, level);
  }
  const first = await openAndRead(disk, new SimulatedClock(), level);
  compare(model, first, level);
  disk = random() < 0.5 ? disk.kill() : disk.crash();
  const second = await openAndRead(disk, new SimulatedClock(), level);
  const summary = ({ report, records }: typeof first) =>
    `${report.lastLsn} ${report.lastTimeMs} ${report.snapshotLsn} ${report.sealed} ${textOf(records)}`;
  if (summary(first) !== summary(second)) throw new Error('the second recovery differs');
  if (second.report.tornTail !== undefined) throw new Error('the torn tail was not cut');
}
