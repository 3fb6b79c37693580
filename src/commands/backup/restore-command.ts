// The command `restore`: creates a home from a backup or a snapshot, and the log that follows it.

import { dirname, join } from 'node:path';
import {
  HomeLocked,
  NewerFormat,
  RestoreRefused,
  systemCodeOf,
} from '../../../snapshots/errors.ts';
import {
  type BackupContents,
  contentsName,
  type FileCopy,
  isBackup,
  readBackup,
  recordsName,
} from '../../../snapshots/home/backup.ts';
import { logDirectory, manifestPath, pkiName } from '../../../snapshots/home/layout.ts';
import { refuseIfInUse } from '../../../snapshots/home/lock.ts';
import { openSource, type RestoreSource } from '../../../snapshots/home/restore-source.ts';
import { restoreHome } from '../../../snapshots/home/restored-home.ts';
import type { StoredRecord } from '../../../snapshots/journal.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { blindSealer } from '../../auth/sealing/sealing.ts';
import { StartProblem } from '../../errors/errors.ts';
import { mfaEnrollmentKind } from '../../records/mfa-enrollment.ts';
import { detachedStore } from '../../resources/detached-store.ts';
import { type Config, loadConfig } from '../../settings/config.ts';
import { NewerRecord } from '../../store/record.ts';
import { Progress } from '../offline/progress.ts';
import type { RestoreCommandOrder } from './flags.ts';
import { checkKeys, leftWithoutKeys } from './required-keys.ts';

/**
 * Restores, and reports what was restored.
 * @returns whether the home was created; otherwise the reason was printed
 * @throws StartProblem for a refusal before anything was changed
 */
export function restore(
  home: string,
  order: RestoreCommandOrder,
  context: ProcessContext,
): boolean {
  const progress = new Progress(context);
  const command = new Restore(home, order, context, progress);
  let plan: Plan;
  try {
    plan = command.plan();
  } catch (error) {
    throw asStartProblem(error);
  } finally {
    progress.clear();
  }
  try {
    command.carryOut(plan);
    return true;
  } catch (error) {
    const sentence = failure(error, home);
    if (sentence === undefined) throw error;
    progress.err(`edge-control: ${sentence}`);
    return false;
  } finally {
    progress.clear();
  }
}

/** Everything that was verified. */
interface Plan {
  readonly source: RestoreSource;
  readonly contents: BackupContents | undefined;
  readonly files: readonly FileCopy[];
  readonly aside: string | undefined;
  readonly config: Config;
}

class Restore {
  readonly #home: string;
  readonly #order: RestoreCommandOrder;
  readonly #context: ProcessContext;
  readonly #progress: Progress;

  constructor(
    home: string,
    order: RestoreCommandOrder,
    context: ProcessContext,
    progress: Progress,
  ) {
    this.#home = home;
    this.#order = order;
    this.#context = context;
    this.#progress = progress;
  }

  /** Verifies everything and changes nothing. */
  plan(): Plan {
    const { disk } = this.#context;
    const { file } = this.#order;
    const aside = this.#aside();
    if (!disk.exists(file)) throw new StartProblem(`${file} is not there.`);
    this.#progress.say(() => `verifying ${file}`);
    const contents = isBackup(disk, file) ? readBackup(disk, file) : undefined;
    if (contents === undefined && disk.exists(manifestPath(file))) {
      throw new StartProblem(
        `${file} is a home, no backup: name one of its snapshots, or copy it as it is.`,
      );
    }
    const kinds = new Set<string>();
    const whole = this.#source(contents, kinds);
    const config = this.#configOf(contents);
    const files = this.#files(contents);
    if (!this.#order.newKeys) {
      const { clock, random } = this.#context;
      const folder = this.#order.pki ?? join(file, pkiName);
      checkKeys({ disk, clock, random, folder, config, kinds });
    } else if (kinds.has(mfaEnrollmentKind.kind)) {
      throw new StartProblem(
        `${file} holds second factors, which only the key pki/sealing.key of its home opens: ` +
          'it cannot be restored with --new-keys.',
      );
    }
    const source = this.#order.newKeys ? without(whole, leftWithoutKeys()) : whole;
    return { source, contents, files, aside, config };
  }

  /** Creates the home, and reports it. */
  carryOut({ source, contents, files, aside, config }: Plan): void {
    const { disk, clock, random } = this.#context;
    const kept = restoreHome(disk, {
      target: this.#home,
      aside,
      source,
      files,
      ...(contents === undefined ? {} : { digests: contents.files }),
      newDataSetId: random.bytes(16).toString('hex'),
      segmentBytes: config.limits.segmentBytes,
      nowMs: clock.now(),
      progress: (records) => this.#progress.say(() => `${records} records are restored`),
    });
    const time = new Date(source.timeMs).toISOString();
    this.#progress.out(
      `restored ${this.#home}, LSN ${kept.lsn} of ${time}, ${kept.records} records`,
    );
    for (const line of this.#remarks(contents, aside)) this.#progress.err(`edge-control: ${line}`);
  }

  /** The path to which the existing home is moved. @throws StartProblem; HomeLocked. */
  #aside(): string | undefined {
    const { disk, clock } = this.#context;
    const home = this.#home;
    if (!disk.exists(home)) return undefined;
    refuseIfInUse(disk, home);
    if (disk.entries(home).length === 0) return undefined;
    if (!this.#order.force) {
      throw new StartProblem(
        `${home} is not empty: name another directory, or lay aside what is there with --force.`,
      );
    }
    const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
    const aside = `${home}.before-restore-${stamp}`;
    if (disk.exists(aside)) throw new StartProblem(`${aside} is there already: try again.`);
    return aside;
  }

  #source(contents: BackupContents | undefined, kinds: Set<string>): RestoreSource {
    const { disk, clock } = this.#context;
    const { file, log, toLsn, toTimeMs } = this.#order;
    const tables = new Map(
      detachedStore(clock)
        .durableTables()
        .map((table) => [table.kind, table]),
    );
    let records = 0;
    const evaluate = ({ kind, id, version, values }: StoredRecord): void => {
      const table = tables.get(kind);
      if (table === undefined) throw new NewerRecord(`records of the unknown kind ${kind}`);
      table.codec.decode(id, version, values, blindSealer);
      kinds.add(kind);
      records += 1;
      this.#progress.say(() => `${records} records are verified`);
    };
    const source = openSource(disk, {
      snapshot: contents === undefined ? file : join(file, recordsName),
      log: log === undefined ? undefined : segmentsFolder(disk, log),
      target: { lsn: toLsn, timeMs: toTimeMs },
      evaluate,
    });
    if (contents === undefined || contents.lsn === source.snapshotLsn) return source;
    throw new StartProblem(
      `${join(file, contentsName)} speaks of LSN ${contents.lsn}, the snapshot of ${source.snapshotLsn}.`,
    );
  }

  /** The configuration of the restored home, as far as the backup contains it. */
  #configOf(contents: BackupContents | undefined): Config {
    const { file } = this.#order;
    const home = contents === undefined ? dirname(file) : file;
    return loadConfig({ ...this.#context, flags: { home } });
  }

  /** @throws StartProblem if there are no keys. */
  #files(contents: BackupContents | undefined): FileCopy[] {
    const { disk } = this.#context;
    const { file, pki, newKeys } = this.#order;
    const copies = (contents?.files ?? []).map(({ path }) => ({ from: join(file, path), path }));
    if (newKeys) return copies.filter((copy) => !isKey(copy));
    if (copies.some(isKey)) {
      if (pki === undefined) return copies;
      throw new StartProblem(`${file} has keys of its own: leave --pki out.`);
    }
    if (pki === undefined) {
      throw new StartProblem(
        `${file} holds no keys, and clients know a controller by its own: name a copy of the ` +
          'folder pki of its home, --pki DIR.',
      );
    }
    const names = disk.list(pki).filter((name) => !name.endsWith('.new'));
    const keys = names.map((name) => ({ from: join(pki, name), path: `${pkiName}/${name}` }));
    return [...copies, ...keys];
  }

  *#remarks(contents: BackupContents | undefined, aside: string | undefined): Generator<string> {
    const { disk } = this.#context;
    if (aside !== undefined) yield `What was there before is kept in ${aside}.`;
    if (this.#order.newKeys) {
      yield 'The next start makes new keys: every client has to be enrolled again.';
      yield 'API sessions and outstanding enrollments were left out: only the old keys open them.';
    }
    for (const { setting, path } of contents?.elsewhere ?? []) {
      if (!disk.exists(path))
        yield `${path} (${setting}) is not there: put it back before the start.`;
    }
  }
}

/** A source that skips the records of some kinds. */
function without(source: RestoreSource, kinds: ReadonlySet<string>): RestoreSource {
  return {
    ...source,
    load: (take) => {
      let taken = 0;
      source.load((record) => {
        if (kinds.has(record.kind)) return;
        taken += 1;
        take(record);
      });
      return taken;
    },
  };
}

function isKey({ path }: FileCopy): boolean {
  return path.startsWith(`${pkiName}/`);
}

/** The path may be a home, its folder of segments, or a copy of that folder. */
function segmentsFolder(disk: ProcessContext['disk'], path: string): string {
  const below = logDirectory(path);
  if (disk.exists(below)) return below;
  if (disk.exists(path)) return path;
  throw new StartProblem(`${path} is not there.`);
}

/** The refusal as one sentence. Other errors are returned unchanged. */
function asStartProblem(error: unknown): unknown {
  const refusals = [RestoreRefused, NewerFormat, NewerRecord, HomeLocked];
  if (!(error instanceof Error) || error instanceof StartProblem) return error;
  if (refusals.some((type) => error instanceof type)) return new StartProblem(error.message);
  const code = systemCodeOf(error);
  return code === undefined ? error : new StartProblem(`Nothing was restored: ${error.message}.`);
}

/** The same for a failure after the restore has begun. */
function failure(error: unknown, home: string): string | undefined {
  if (error instanceof RestoreRefused || error instanceof HomeLocked) return error.message;
  if (!(error instanceof Error)) return undefined;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = systemCodeOf(cause);
  if (code === undefined) return undefined;
  const full = code === 'ENOSPC' ? 'the disk is full' : cause.message;
  return `${home} was not restored: ${full}; nothing was changed.`;
}
