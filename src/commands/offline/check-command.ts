// The command `check`: whether everything in a home is complete and undamaged. It changes nothing.

import { join } from 'node:path';
import { FilesOfAMoment } from '../../../snapshots/check/check-files.ts';
import { type CheckedLog, checkLog, type FileFinding } from '../../../snapshots/check/check-log.ts';
import { checkedManifest, checkSnapshots } from '../../../snapshots/check/check-snapshots.ts';
import { pkiName } from '../../../snapshots/home/layout.ts';
import { holderOf } from '../../../snapshots/home/lock.ts';
import type { Frame } from '../../../snapshots/journal.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { blindSealer, type SealedText, SealingKey } from '../../auth/sealing/sealing.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { RecordFinding } from '../../integrity/record-checks.ts';
import type { Disk } from '../../platform/ports.ts';
import { detachedStore } from '../../resources/detached-store.ts';
import type { Limits } from '../../settings/limits.ts';
import { NewerRecord } from '../../store/record.ts';
import { checkRecords } from './check-recovery.ts';
import { Progress } from './progress.ts';
import { asRefusal } from './refusal.ts';

/** The parts of the process that a check uses. */
export type CheckContext = Pick<
  ProcessContext,
  'disk' | 'clock' | 'random' | 'out' | 'err' | 'overwrite' | 'terminal'
>;

/**
 * Checks a home. It prints one line per fault on standard output. On standard error it prints what
 * was checked, and which kinds have more records than `limits` permit. Beside a running controller
 * it checks the files as they were at one moment.
 * @returns whether all is well
 * @throws StartProblem for a home that cannot be read, or that a later version has written
 */
export function checkHome(home: string, limits: Limits, context: CheckContext): boolean {
  const progress = new Progress(context);
  const { disk } = context;
  if (!disk.exists(home)) throw new StartProblem(`${home} is not there.`);
  const pid = holderOf(disk, home);
  let files: FilesOfAMoment | undefined;
  try {
    files = new FilesOfAMoment(disk, home, pid !== undefined);
    return new HomeCheck(home, limits, context, progress).run(files, pid);
  } catch (error) {
    throw asRefusal(error, home);
  } finally {
    files?.close();
    progress.clear();
  }
}

/** One check. */
class HomeCheck {
  readonly #home: string;
  readonly #limits: Limits;
  readonly #context: CheckContext;
  readonly #progress: Progress;
  #findings = 0;

  constructor(home: string, limits: Limits, context: CheckContext, progress: Progress) {
    this.#home = home;
    this.#limits = limits;
    this.#context = context;
    this.#progress = progress;
  }

  run(disk: Disk, pid: number | undefined): boolean {
    const home = this.#home;
    const found = (finding: FileFinding) => this.#found(fileLine(finding));
    const foundInRecord = (finding: RecordFinding) => this.#found(recordLine(finding));
    const manifest = checkedManifest({ disk, home, found });
    if (manifest === undefined) {
      throw new StartProblem(`${home} is no home: there is neither manifest, log nor snapshot.`);
    }
    const take = this.#decoder();
    const snapshots = checkSnapshots(
      {
        disk,
        home,
        found,
        take: (record) => take(record),
        reading: (number, of) => this.#progress.say(() => `snapshot ${number} of ${of}`),
      },
      manifest,
    );
    const log = checkLog({
      disk,
      home,
      dataSetId: manifest.dataSetId,
      isServed: pid !== undefined,
      found,
      take: (frame) => decodeFrame(frame, take),
      reading: (number, of) => this.#progress.say(() => `segment ${number} of ${of}`),
    });
    const checked = checkRecords({
      disk,
      home,
      clock: this.#context.clock,
      limits: this.#limits,
      dataSetId: manifest.dataSetId,
      snapshots,
      log,
      foundInFile: found,
      foundInRecord,
      note: (text) => this.#progress.err(text),
      doing: (text) => this.#progress.say(text),
    });
    if (checked !== undefined) this.#checkKey(checked.sealed);
    const kept = keptText(snapshots.length, manifest.snapshots.length);
    this.#summarise(pid, kept, log, checked);
    return this.#findings === 0;
  }

  /** Whether the key with which the records were sealed is there. */
  #checkKey(sealed: Iterable<SealedText>): void {
    const { disk, random } = this.#context;
    const key = new SealingKey({ disk, random, directory: join(this.#home, pkiName) });
    try {
      const problem = key.problem(sealed);
      if (problem !== undefined) this.#found(problem);
    } catch (error) {
      if (!(error instanceof StartProblem)) throw error;
      this.#found(error.message);
    }
  }

  /** Decodes records of every stored version, as a start has to. */
  #decoder(): (record: Stored) => void {
    const codecs = new Map(
      detachedStore(this.#context.clock)
        .durableTables()
        .map(({ kind, codec }) => [kind, codec]),
    );
    return ({ kind, id, version, values }) => {
      const codec = codecs.get(kind);
      if (codec === undefined) throw new NewerRecord(`records of the unknown kind ${kind}`);
      try {
        codec.decode(id, version, values, blindSealer);
      } catch (error) {
        if (error instanceof NewerRecord) throw error;
        this.#found(`${kind} ${id}: a version of it does not decode; restore a backup`);
      }
    };
  }

  #found(line: string): void {
    this.#findings++;
    this.#progress.out(line);
  }

  #summarise(
    pid: number | undefined,
    kept: string,
    log: CheckedLog,
    checked: { readonly records: number; readonly lsn: number } | undefined,
  ): void {
    const running = pid === undefined ? '' : `, as process ${pid} had made it durable`;
    const records =
      checked === undefined
        ? 'no records, as nothing leads to them'
        : `${counted(checked.records, 'record')} as of LSN ${checked.lsn}`;
    const found = this.#findings === 0 ? 'all is well' : counted(this.#findings, 'finding');
    this.#progress.err(
      `checked ${this.#home}${running}: ${kept}, ${counted(log.frames, 'frame')} in ` +
        `${counted(log.segments, 'segment')}, ${records}: ${found}`,
    );
  }
}

/** The snapshots in words: a home that has none yet must not read like one that lost them. */
function keptText(sound: number, named: number): string {
  if (named === 0) return 'no snapshot yet';
  if (sound === named) return counted(named, 'sound snapshot');
  return `${sound} of ${counted(named, 'snapshot')} sound`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

interface Stored {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly values: readonly unknown[];
}

function decodeFrame({ changes }: Frame, take: (record: Stored) => void): void {
  for (const { kind, id, version, values } of changes) {
    if (values !== null) take({ kind, id, version, values });
  }
}

/** The line of a fault in a file. */
function fileLine({ file, offset, lsn, what, advice }: FileFinding): string {
  const at = offset === undefined ? '' : ` at offset ${offset}`;
  const from = lsn === undefined ? '' : `, LSN ${lsn}`;
  return `${file}${at}${from}: ${what}; ${advice}`;
}

/** The line of a record that breaks a rule of its kind. */
function recordLine({ kind, id, field, description, fix }: RecordFinding): string {
  const where = field === undefined ? '' : `, field ${field}`;
  const advice =
    fix === undefined
      ? 'correct one of the records through the API, or restore a backup'
      : 'have the controller repair it: POST /edge/management/v1/database/fix-data-integrity';
  return `${kind} ${id}${where}: ${description}; ${advice}`;
}
