// Recovers a home into memory, from each snapshot that it keeps, and checks every record.

import { join } from 'node:path';
import type { CheckedLog, FileFinding } from '../../../snapshots/check/check-log.ts';
import { LogCorrupt, RecoverToUnreachable } from '../../../snapshots/errors.ts';
import { logDirectory, snapshotDirectory } from '../../../snapshots/home/layout.ts';
import { type RecoveredHome, recoverHome } from '../../../snapshots/home/recovery.ts';
import type { KeptSnapshot, Lsn, StoredRecord } from '../../../snapshots/journal.ts';
import { packValue } from '../../../snapshots/log/codec.ts';
import { sealedTexts } from '../../auth/sealing/sealed-texts.ts';
import { blindSealer, type SealedText } from '../../auth/sealing/sealing.ts';
import { Cascades } from '../../declare/kinds/cascades.ts';
import { recordsMaxOf } from '../../declare/kinds/kind.ts';
import { RecordChecks, type RecordFinding } from '../../integrity/record-checks.ts';
import type { Clock, Disk } from '../../platform/ports.ts';
import { detachedAccess, detachedStore } from '../../resources/detached-store.ts';
import { kinds } from '../../resources/index.ts';
import type { Limits } from '../../settings/limits.ts';
import { deferredCascadeKind } from '../../store/deferred-cascades.ts';
import { NewerRecord, type RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';

/** What to check, and where to report it. */
export interface RecordsCheck {
  readonly disk: Disk;
  readonly home: string;
  readonly clock: Clock;
  /** The bounds that the controller is configured with. */
  readonly limits: Limits;
  readonly dataSetId: string;
  /** The undamaged snapshots, newest first. */
  readonly snapshots: readonly KeptSnapshot[];
  readonly log: CheckedLog;
  readonly foundInFile: (finding: FileFinding) => void;
  readonly foundInRecord: (finding: RecordFinding) => void;
  /** Receives remarks that are not faults. */
  readonly note: (text: string) => void;
  /** Receives the progress. */
  readonly doing: (text: () => string) => void;
}

/** What was checked. */
export interface CheckedRecords {
  readonly records: number;
  /** The records are as they were after this frame. */
  readonly lsn: Lsn;
  /** The sealed texts of these records, as stored on disk. */
  readonly sealed: Iterable<SealedText>;
}

/** Checks all records. Returns undefined if the home does not define them. @throws NewerRecord */
export function checkRecords(check: RecordsCheck): CheckedRecords | undefined {
  const bases = usableBases(check);
  for (const [index, base] of bases.entries()) {
    const recovered = recover(check, base);
    if (recovered === undefined) continue;
    const { lsn } = recovered.log.position;
    const state = loaded(check, recovered);
    for (const other of bases.slice(index + 1)) compare(check, state, other, lsn);
    checkState(check, state.store);
    checkCounts(check, state.store);
    const records = [...state.store.tables()].reduce((sum, { size }) => sum + size, 0);
    return { records, lsn, sealed: sealedOnDisk(state.store) };
  }
  return undefined;
}

/** Leaves out secrets that older versions kept in plain text, because they are not sealed here. */
function* sealedOnDisk(store: Store): Generator<SealedText> {
  for (const text of sealedTexts(store, kinds)) if (text.sealed !== '') yield text;
}

/** A snapshot from which a state can be built; undefined for the beginning of the log. */
type Base = KeptSnapshot | undefined;

/** The snapshots from which the log continues, and the beginning of the log if it still exists. */
function usableBases(check: RecordsCheck): Base[] {
  const { snapshots, log, home, foundInFile } = check;
  const usable = snapshots.filter(({ file, lsn }) => {
    const isGone = log.firstLsn > lsn + 1;
    const isAhead = log.lastLsn < lsn;
    const what = isGone
      ? `the log begins with LSN ${log.firstLsn} and does not carry on from it`
      : `the log ends with LSN ${log.lastLsn}, before it`;
    const path = join(snapshotDirectory(home), file);
    if (isGone || isAhead) foundInFile({ file: path, lsn, what, advice: restore });
    return !isGone && !isAhead;
  });
  if (log.firstLsn === 1) return [...usable, undefined];
  if (usable.length > 0) return usable;
  const what = `the log begins with LSN ${log.firstLsn}, and there is no snapshot to begin with`;
  const file = logDirectory(home);
  foundInFile({ file, lsn: log.firstLsn, what, advice: restore });
  return [];
}

/** Reads up to the end of the log, or to where it is damaged. */
function recover(check: RecordsCheck, base: Base, upTo?: Lsn): RecoveredHome | undefined {
  const { disk, home, dataSetId, doing } = check;
  doing(() => `recovering from ${base === undefined ? 'the log alone' : base.file}`);
  const manifest = { dataSetId, snapshots: base === undefined ? [] : [base] };
  try {
    return recoverHome(disk, home, manifest, upTo);
  } catch (error) {
    if (error instanceof RecoverToUnreachable) return undefined;
    if (!(error instanceof LogCorrupt)) throw error;
    const goodLsn = error.lsn - 1;
    const isWorthIt = upTo === undefined && goodLsn >= Math.max(base?.lsn ?? 0, 1);
    return isWorthIt ? recover(check, base, goodLsn) : undefined;
  }
}

/** A state in memory, and the records that could not be loaded into it. */
interface State {
  readonly store: Store;
  readonly left: ReadonlySet<string>;
}

function loaded(check: RecordsCheck, recovered: RecoveredHome): State {
  const store = detachedStore(check.clock);
  const checks = new RecordChecks(kinds, store);
  const left = new Set<string>();
  const known = new Set(store.durableTables().map(({ kind }) => kind));
  let taken = 0;
  recovered.load(({ kind, id, lsn, version, values }) => {
    if (!known.has(kind)) throw new NewerRecord(`records of the unknown kind ${kind}`);
    check.doing(() => `record ${taken}`);
    taken++;
    const table = store.tableNamed(kind);
    const problems = (problem: string): RecordFinding[] => [
      { check: 'values', kind, id, field: undefined, description: problem, fix: undefined },
    ];
    let found: readonly RecordFinding[];
    let record: RecordBase | undefined;
    try {
      record = table.codec.decode(id, version, values, blindSealer);
      found = checks.valuesOf(kind, record);
    } catch (error) {
      if (error instanceof NewerRecord) throw error;
      found = problems('does not decode');
    }
    if (table.peek(id) !== undefined) found = problems('is there twice');
    for (const finding of found) check.foundInRecord(finding);
    if (record === undefined || found.length > 0) left.add(`${kind}/${id}`);
    else table.load(record, lsn);
  });
  return { store, left };
}

/** Checks that another beginning leads to the same records. */
function compare(check: RecordsCheck, state: State, base: Base, lsn: Lsn): void {
  if (base !== undefined && base.lsn > lsn) return;
  const recovered = recover(check, base, check.log.lastLsn === lsn ? undefined : lsn);
  if (recovered?.log.position.lsn !== lsn) return;
  const file =
    base === undefined ? logDirectory(check.home) : join(snapshotDirectory(check.home), base.file);
  let differing = 0;
  const tell = (what: string): void => {
    differing++;
    if (differing > differencesMax) return;
    check.foundInFile({ file, lsn: base?.lsn, what, advice: restore });
  };
  const seen = new Set<RecordBase>();
  recovered.load((stored) => {
    check.doing(() => `comparing record ${seen.size}`);
    const { kind, id } = stored;
    if (state.left.has(`${kind}/${id}`)) return;
    const row = state.store.tableNamed(kind).peek(id);
    if (row !== undefined) seen.add(row.record);
    const isSame = row?.lsn === stored.lsn && isEqual(state.store, stored, row.record);
    if (!isSame)
      tell(`with the log behind it, the ${kind} ${id} is not as the newest snapshot has it`);
  });
  for (const table of state.store.tables()) {
    for (const { record } of table.all()) {
      if (seen.has(record)) continue;
      tell(
        `with the log behind it, there is no ${table.kind} ${record.id} as in the newest snapshot`,
      );
    }
  }
  if (differing > differencesMax)
    check.note(`${file}: ${differing - differencesMax} more like these`);
}

/** Differences of one snapshot that a check lists. @bound */
const differencesMax = 100;

function isEqual(store: Store, { kind, id, version, values }: StoredRecord, record: RecordBase) {
  const { codec } = store.tableNamed(kind);
  const other = codec.decode(id, version, values, blindSealer);
  // A later start sealed what the older version kept in plain text, with a random value.
  const comparable = version === codec.version ? asIs : unsealed(kind);
  // The next call reuses the packer's buffer.
  const here = Buffer.from(packValue(codec.encode(comparable(record))));
  return here.equals(packValue(codec.encode(comparable(other))));
}

const asIs = (record: RecordBase): RecordBase => record;

function unsealed(kind: string): (record: RecordBase) => RecordBase {
  const { sealedFields = [] } = kinds.find((one) => one.kind === kind) ?? {};
  const emptied = Object.fromEntries(sealedFields.map((field) => [field, '']));
  return (record) => ({ ...record, ...emptied });
}

function checkState(check: RecordsCheck, store: Store): void {
  // Both sides know which records readers no longer see.
  new Cascades({ kinds, store, newId: () => '', remover: () => undefined });
  detachedAccess(store, check.clock);
  const records = new RecordChecks(kinds, store);
  for (const table of store.tables()) {
    for (const row of table.all()) {
      check.doing(() => `checking records of the kind ${table.kind}`);
      for (const finding of records.of(table.kind, row)) check.foundInRecord(finding);
    }
  }
  for (const { record, lsn } of store.table(deferredCascadeKind).all()) {
    const subject = record.subject.join(' ');
    const of = subject === '' ? '' : ` of ${subject}`;
    check.note(`${record.work}${of} is under way since LSN ${lsn}: the controller finishes it`);
  }
}

/**
 * A home over a bound is not damaged and can start. It only accepts no more records of the kind.
 */
function checkCounts({ limits, note }: RecordsCheck, store: Store): void {
  for (const [kind, most] of recordsMaxOf(kinds, limits)) {
    const { size } = store.tableNamed(kind);
    if (size <= most) continue;
    note(`there are ${size} records of the kind ${kind}, and ${most} are permitted: none is added`);
  }
}

const restore = 'restore a backup, or have a new snapshot made while the newest is sound';
