// The command `migrate`: makes a home of the database, the keys and the configuration of an
// OpenZiti controller.

import { dirname, join } from 'node:path';
import { HomeLocked, RestoreRefused, reasonOf, systemCodeOf } from '../../../snapshots/errors.ts';
import { withFile, writeNewFile } from '../../../snapshots/home/file-access.ts';
import { migrationMarkName, migrationReportName } from '../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { buildHome, refuseExisting } from '../../migrate/home/built-home.ts';
import { type Migration, migrate } from '../../migrate/migration.ts';
import { openSourceFile, type SourceFile } from '../../migrate/source-file.ts';
import { SourceDamaged, SourceRefused } from '../../migrate/source-problem.ts';
import type { TreeDisk } from '../../platform/ports.ts';
import { exitCodes } from '../exit-codes.ts';
import { checkHome } from './check-command.ts';
import { nextCommands } from './migrate-advice.ts';
import type { MigrateCommandOrder } from './migrate-flags.ts';
import { type Outcome, reportLines } from './migrate-text.ts';
import { Progress } from './progress.ts';

/**
 * Migrates, and prints the report.
 * @returns the exit code; if it is not 0, the reason was printed
 * @throws StartProblem for flags and files that do not do
 */
export async function migrateNetwork(
  home: string,
  order: MigrateCommandOrder,
  context: ProcessContext,
): Promise<number> {
  const progress = new Progress(context);
  try {
    return await new MigrateCommand(home, order, context, progress).run();
  } catch (error) {
    if (error instanceof SourceRefused) {
      // A file may have several faults, one on each line.
      for (const line of error.message.split('\n')) progress.err(`edge-control: ${line}`);
      return exitCodes.notStarted;
    }
    const sentence = failure(error, home);
    if (sentence === undefined) throw error;
    progress.err(`edge-control: ${sentence}`);
    return exitCodes.failed;
  } finally {
    progress.clear();
  }
}

class MigrateCommand {
  readonly #home: string;
  readonly #order: MigrateCommandOrder;
  readonly #context: ProcessContext;
  readonly #progress: Progress;

  constructor(
    home: string,
    order: MigrateCommandOrder,
    context: ProcessContext,
    progress: Progress,
  ) {
    this.#home = home;
    this.#order = order;
    this.#context = context;
    this.#progress = progress;
  }

  async run(): Promise<number> {
    this.#refuse();
    const source = openSourceFile(this.#order.from);
    try {
      const migration = await this.#migration(source);
      const text = `${JSON.stringify(migration.report, undefined, 2)}\n`;
      const { report, isCheck } = this.#order;
      if (report !== undefined) replaceReport(this.#context.disk, report, text);
      const code = this.#verdict(migration);
      if (code !== exitCodes.stopped) this.#print(migration, 'refused', report);
      else if (isCheck) this.#print(migration, 'checked', report);
      else {
        this.#build(migration, text);
        this.#print(migration, 'migrated', join(this.#home, migrationReportName));
      }
      return code;
    } finally {
      source.close();
    }
  }

  /** Refuses places that cannot be written to before anything is read. */
  #refuse(): void {
    const { disk } = this.#context;
    const { report, from, configuration } = this.#order;
    try {
      refuseExisting(disk, this.#home);
    } catch (error) {
      const isRefusal = error instanceof RestoreRefused || error instanceof HomeLocked;
      throw isRefusal ? new StartProblem(error.message) : error;
    }
    if (report === undefined || !disk.exists(report) || isReport(disk, report)) return;
    const source = report === from || report === configuration ? 'of the source' : 'of others';
    throw new StartProblem(
      `--report names ${report}, which is a file ${source}: name another one.`,
    );
  }

  async #migration(source: SourceFile): Promise<Migration> {
    const { clock, random, environment } = this.#context;
    const order = this.#order;
    const { configuration, isCheck, leaveOut, sessions, listener } = order;
    return await migrate(
      {
        source,
        configuration,
        home: this.#home,
        isCheck,
        leaveOut,
        sessions,
        variables: { ...environment, ...order.variables },
        listener,
        next: (stops, database) => {
          // A rehearsal on another machine knows only what it has read.
          const isThere = database !== undefined && this.#context.disk.exists(database);
          return nextCommands(this.#home, order, stops, isThere ? database : order.from);
        },
      },
      { clock, random, doing: (text) => this.#progress.say(text) },
    );
  }

  /** Whether the home can be made; otherwise the code to end with, whose reason is printed. */
  #verdict({ damagedCount, isStopped, records }: Migration): number {
    if (damagedCount > 0) {
      const damaged = damagedCount === 1 ? 'One entity' : `${damagedCount} entities`;
      this.#progress.err(`edge-control: ${damaged} of the database cannot be read.`);
      return exitCodes.failed;
    }
    if (isStopped) {
      this.#progress.err('edge-control: Something cannot be taken over, and nothing was written.');
      return exitCodes.leftBehind;
    }
    // The home that is written is checked as a whole.
    if (!this.#order.isCheck) return exitCodes.stopped;
    let count = 0;
    for (const { kind, id, description } of records.findings()) {
      count += 1;
      if (count <= findingsMax) this.#progress.err(`${kind} ${id} ${description}`);
    }
    if (count === 0) return exitCodes.stopped;
    this.#progress.err(`edge-control: ${count} records of the new home would break a rule.`);
    return exitCodes.failed;
  }

  #print({ report }: Migration, verb: Outcome['verb'], file: string | undefined): void {
    for (const line of reportLines(report, { verb, file })) this.#progress.out(line);
  }

  #build({ records, files, config }: Migration, report: string): void {
    const { disk, clock, random } = this.#context;
    buildHome(disk, {
      target: this.#home,
      files: new Map(files).set(migrationReportName, report).set(migrationMarkName, ''),
      load: (take) => records.load(take),
      dataSetId: random.bytes(16).toString('hex'),
      segmentBytes: config.limits.segmentBytes,
      nowMs: clock.now(),
      progress: (count) => this.#progress.say(() => `${count} records are written`),
      check: (directory) => this.#check(directory, config.limits),
    });
  }

  /** As `edge-control check` would. @throws HomeUnsound */
  #check(directory: string, limits: Migration['config']['limits']): void {
    const { disk, clock, random, terminal } = this.#context;
    const findings: string[] = [];
    const isSound = checkHome(directory, limits, {
      disk,
      clock,
      random,
      terminal,
      out: (text) => findings.push(text),
      err: () => undefined,
      overwrite: (text) => this.#context.overwrite(text),
    });
    if (isSound) return;
    for (const line of findings.slice(0, findingsMax)) this.#progress.err(line.trimEnd());
    throw new HomeUnsound(findings.length);
  }
}

/** Findings in the new home that are printed. @bound */
const findingsMax = 100;

/** The new home does not pass its check, which is a mistake of this program. */
class HomeUnsound extends Error {
  override readonly name = 'HomeUnsound';

  constructor(findings: number) {
    super(`The new home does not pass its check (${findings} findings): please report this.`);
  }
}

/** The beginning of every report. */
const reportStart = '{\n  "format": 1,';

/** Whether a file is a report of ours, which a further one may replace. */
function isReport(disk: TreeDisk, path: string): boolean {
  try {
    const start = withFile(disk, path, 'read', (file) => file.read(0, reportStart.length));
    return start.toString() === reportStart;
  } catch {
    return false;
  }
}

/** Replaces a report as a whole. @throws any error of the disk */
function replaceReport(disk: TreeDisk, path: string, text: string): void {
  const draft = `${path}.new`;
  if (disk.exists(draft)) disk.remove(draft);
  writeNewFile(disk, draft, text);
  disk.rename(draft, path);
  disk.syncDirectory(dirname(path));
}

/** The failure as one sentence; undefined for what is none of them. */
function failure(error: unknown, home: string): string | undefined {
  if (error instanceof SourceDamaged || error instanceof HomeUnsound) return error.message;
  if (error instanceof RestoreRefused || error instanceof HomeLocked) return error.message;
  if (!(error instanceof Error) || error instanceof StartProblem) return undefined;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = systemCodeOf(cause);
  if (code === undefined) return undefined;
  const reason = code === 'ENOSPC' ? 'the disk is full' : reasonOf(cause);
  return `${home} was not made: ${reason}; nothing is left of it.`;
}
