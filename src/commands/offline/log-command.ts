// The command `log`: the frames of a home, also while a controller writes them.

import { LogCorrupt } from '../../../snapshots/errors.ts';
import { manifestPath } from '../../../snapshots/home/layout.ts';
import { holderOf } from '../../../snapshots/home/lock.ts';
import { type Manifest, readManifest } from '../../../snapshots/home/manifest.ts';
import type { Lsn } from '../../../snapshots/journal.ts';
import { FrameFinder } from '../../../snapshots/log/frame-finder.ts';
import { LogCursor } from '../../../snapshots/log/log-cursor.ts';
import { entryOf, type LogEntry } from '../../../snapshots/log/read-frames.ts';
import { listSegments } from '../../../snapshots/log/segment-list.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { ActorNames } from '../../inspect/server/instances/actor-names.ts';
import { shownKinds } from '../../inspect/server/instances/shown-kinds.ts';
import {
  LogLines,
  matchesFrame,
  namedLine,
  type ShownKind,
} from '../../inspect/server/log/log-lines.ts';
import { RecordNames } from '../network/kinds/record-names.ts';
import { type AuditRow, auditRows, auditTable } from '../network/live/audit-rows.ts';
import type { LiveTable } from '../network/live/live-table.ts';
import { type FrameChange, frameIn } from '../network/live/log-frame.ts';
import { terminalColumns } from '../network/output/output.ts';
import { Progress } from './progress.ts';
import { asRefusal } from './refusal.ts';

/** What to show. */
export interface LogOrder {
  readonly home: string;
  /** Continues with new frames until SIGINT or SIGTERM. */
  readonly follow: boolean;
  readonly fromLsn: Lsn | undefined;
  readonly toLsn: Lsn | undefined;
  /** Only frames that touch the record, or one of any kind, with this id. */
  readonly id: string | undefined;
  /** Only frames that touch a record of this kind. */
  readonly kind: string | undefined;
  /** JSON lines or text, wherever it goes; undefined for text at a terminal and JSON elsewhere. */
  readonly form: 'json' | 'text' | undefined;
}

/**
 * Shows frames until the log ends, or its reader goes away.
 * @returns whether the log was undamaged; otherwise damage or a torn tail was reported
 * @throws StartProblem for a home that cannot be read, or that a later version has written
 */
export async function showLog(order: LogOrder, context: ProcessContext): Promise<boolean> {
  const { disk } = context;
  const progress = new Progress(context);
  const known = shownKinds(context.clock);
  refuseUnknown(order, known);
  const show = new LogShow(order, context, progress, known);
  const finder = new FrameFinder(disk, order.home);
  try {
    return await show.run(finder);
  } catch (error) {
    progress.clear();
    if (!(error instanceof LogCorrupt)) throw asRefusal(error, order.home);
    progress.err(`edge-control: ${error.message}`);
    return false;
  } finally {
    finder.close();
    progress.clear();
  }
}

/** One run of the command. */
class LogShow {
  readonly #order: LogOrder;
  readonly #context: ProcessContext;
  readonly #progress: Progress;
  readonly #kinds: ReadonlyMap<string, ShownKind>;
  readonly #text: LiveTable<AuditRow> | undefined;
  readonly #names = new RecordNames();
  #isWhole = true;
  #isStopped = false;
  /**
   * The LSN of a frame that looked damaged at the last try. An unfinished write can look like this.
   */
  #suspectLsn: Lsn | undefined;
  #tornLsn: Lsn | undefined;

  constructor(
    order: LogOrder,
    context: ProcessContext,
    progress: Progress,
    known: ReadonlyMap<string, ShownKind>,
  ) {
    this.#order = order;
    this.#context = context;
    this.#progress = progress;
    this.#kinds = known;
    const { form = context.outIsTerminal ? 'text' : 'json' } = order;
    const layout = { columns: terminalColumns(context), withHeader: true };
    this.#text = form === 'text' ? auditTable(layout, (line) => progress.out(line)) : undefined;
  }

  async run(finder: FrameFinder): Promise<boolean> {
    const { home, follow, fromLsn = 1, toLsn = Number.POSITIVE_INFINITY } = this.#order;
    const { disk } = this.#context;
    if (follow) {
      this.#context.onSignal(() => {
        this.#isStopped = true;
      });
    }
    const manifest = this.#manifest();
    const cursor = new LogCursor({ disk, home, fromLsn, isServed: () => this.#isServed() });
    try {
      this.#tellGone(cursor.nextLsn);
      const first = Math.max(fromLsn, cursor.nextLsn);
      const identity = this.#kinds.get('identity');
      const names = new ActorNames({ disk, home, manifest, fromLsn: first, identity });
      const lines = new LogLines(this.#kinds, (lsn) => finder.find(lsn));
      for (let steps = 1; cursor.nextLsn <= toLsn && !this.#isOver; steps++) {
        const step = cursor.next();
        if (step === undefined) {
          if (this.#mayGoOn(cursor)) continue;
          if (!follow) break;
          this.#text?.flush(true);
          await this.#context.sleep(pollMs);
        } else if ('fromLsn' in step) {
          this.#progress.err(`LSN ${step.fromLsn} to ${step.toLsn} went with a newer snapshot`);
        } else if (step.header.lsn >= fromLsn) {
          this.#show(entryOf(step), names, lines);
        }
        this.#progress.say(() => `LSN ${cursor.nextLsn - 1}`);
        if (steps % stepsATurn === 0) await this.#turn();
      }
    } finally {
      this.#text?.flush();
      cursor.close();
    }
    return this.#isWhole;
  }

  /** Waits for the reader of the output, and for signals. */
  async #turn(): Promise<void> {
    await this.#context.drained();
    await new Promise<void>((resolve) => this.#context.clock.soon(resolve));
  }

  get #isOver(): boolean {
    return this.#isStopped || this.#context.outIsClosed();
  }

  #isServed(): boolean {
    return holderOf(this.#context.disk, this.#order.home) !== undefined;
  }

  /** Without it, fewer names are shown; nothing else depends on it. */
  #manifest(): Manifest | undefined {
    const { disk } = this.#context;
    const { home } = this.#order;
    const isHome = disk.exists(manifestPath(home)) || listSegments(disk, home).length > 0;
    if (!isHome) throw new StartProblem(`${home} is no home: there is neither manifest nor log`);
    try {
      return readManifest(disk, home);
    } catch (error) {
      if (!(error instanceof LogCorrupt)) throw error;
      this.#progress.err(`edge-control: ${error.message}`);
      this.#isWhole = false;
      return undefined;
    }
  }

  #tellGone(oldestLsn: Lsn): void {
    const { fromLsn = oldestLsn } = this.#order;
    if (fromLsn >= oldestLsn) return;
    this.#progress.err(
      `the log begins with LSN ${oldestLsn}: what was before it went with a snapshot`,
    );
  }

  #show(entry: LogEntry, names: ActorNames, lines: LogLines): void {
    const { id, kind } = this.#order;
    if (entry.entry !== 'transaction') {
      const isAsked = id === undefined && kind === undefined;
      if (isAsked) this.#print(namedLine(lines.ofMark(entry), undefined));
      return;
    }
    const { frame } = entry;
    names.learn(frame);
    if (!matchesFrame(frame, { kind, id })) return;
    this.#print(namedLine(lines.of(frame), names.of(frame.actor)));
  }

  #print(json: string): void {
    if (this.#text === undefined) {
      this.#progress.out(json);
      return;
    }
    const frame = frameIn(json);
    this.#names.learn([frame]);
    const { kind, id } = this.#order;
    const isWanted = (change: FrameChange) =>
      (kind === undefined || change.kind === kind) && (id === undefined || change.id === id);
    this.#text.add(auditRows(frame, this.#names, this.#context.clock.now(), isWanted));
  }

  /**
   * Evaluates the end of the log. @returns whether to read the frame again at once: an unfinished
   * write can look like damage once, but not twice.
   * @throws LogCorrupt
   */
  #mayGoOn(cursor: LogCursor): boolean {
    if (this.#order.follow && !cursor.isMidWrite) return false;
    const isServed = this.#isServed();
    try {
      const { file, offset, lsn, tornBytes } = cursor.end();
      if (tornBytes === 0 || isServed || this.#tornLsn === lsn + 1) return false;
      this.#tornLsn = lsn + 1;
      this.#isWhole = false;
      this.#progress.err(
        `edge-control: ${file} has a torn tail at offset ${offset}, LSN ${lsn + 1}: ${tornBytes} ` +
          'bytes, as a crash leaves them. The next start keeps a copy and cuts them off.',
      );
      return false;
    } catch (error) {
      const isNew = this.#suspectLsn !== cursor.nextLsn;
      if (!(error instanceof LogCorrupt) || !isServed || !isNew) throw error;
      this.#suspectLsn = cursor.nextLsn;
      return true;
    }
  }
}

/** How often `--follow` looks for new frames. */
const pollMs = 250;
/** Frames per turn of the event loop: some ms of work. */
const stepsATurn = 256;

function refuseUnknown({ kind }: LogOrder, known: ReadonlyMap<string, ShownKind>): void {
  if (kind === undefined || known.has(kind)) return;
  const all = [...known.keys()].sort().join(', ');
  throw new StartProblem(`there is no kind ${kind}; the kinds are ${all}`);
}
