// Checks the data while the controller serves, and repairs it on request: one run at a time, in
// slices. Start and end of a run are events of its record, so that they outlive the process.

import type { IntegrityFinding, IntegrityRunEvent } from '../../machines/integrity-run.ts';
import { JournalStalled, reasonOf } from '../../snapshots/errors.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock, Timer } from '../platform/ports.ts';
import type { IntegrityRunRecord } from '../records/integrity-run.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { Transaction } from '../store/transaction.ts';
import { Pace } from '../turns/slices.ts';
import type { Fault, Part } from './checked-part.ts';

/** The options of a run. */
export interface IntegrityRunOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The parts in the order of their dependencies: repairs of a later part rely on the earlier ones.
   * Each part is requested when its turn comes.
   */
  readonly parts: () => Iterable<Part>;
  /** The record of the last run; undefined before the first. */
  readonly record: () => IntegrityRunRecord | undefined;
  /** Sends the record's machine an event. @throws ApiError as the machine refuses it. */
  readonly send: (tx: Transaction, event: IntegrityRunEvent) => void;
  /** Runs a transaction of the controller's own. @throws whatever the journal throws. */
  readonly transact: (body: (tx: Transaction) => void) => void;
  readonly bounds?: BoundValues | undefined;
}

/** The last run as administrators see it (behaviour/database). */
export interface IntegrityResults {
  readonly inProgress: boolean;
  readonly fixingErrors: boolean;
  /** Wall-clock ms; undefined before the first run. */
  readonly startTime: number | undefined;
  /** Undefined until the first run has ended, and while a run is in progress. */
  readonly endTime: number | undefined;
  readonly error: string;
  readonly tooManyErrors: boolean;
  readonly results: readonly IntegrityFinding[];
}

type Finish = Omit<Extract<IntegrityRunEvent, { type: 'finish' }>, 'now'>;

/** An event that no request asks for, without the time. */
type OwnEvent = { readonly type: 'create' | 'interrupt' } | Finish;

/** Integrity runs of a controller. */
export class IntegrityRuns {
  readonly #options: IntegrityRunOptions;
  #run: Run | undefined;
  #retry: Timer | undefined;
  #isStopped = false;

  constructor(options: IntegrityRunOptions) {
    this.#options = options;
  }

  /** The last run, or the one in progress, whose findings are shown at its end. */
  get results(): IntegrityResults {
    const { state, ...record } = this.#options.record() ?? never;
    const { fixingErrors, startTime, endTime, error, tooManyErrors, results } = record;
    const inProgress = state === 'inProgress';
    return { inProgress, fixingErrors, startTime, endTime, error, tooManyErrors, results };
  }

  /**
   * Starts a run; it is carried out in later turns, once the transaction is committed.
   * @throws ApiError while a run is in progress.
   */
  start(tx: Transaction, isFixing: boolean): void {
    const { send } = this.#options;
    const { now } = tx;
    send(tx, { type: 'start', now, fixingErrors: isFixing });
    if (this.#isStopped) send(tx, { ...stoppedWith(undefined), now });
    else tx.afterCommit(() => void this.#carryOut(isFixing));
  }

  /** Writes the record of a new home. */
  create(tx: Transaction): void {
    this.#options.send(tx, { type: 'create', now: tx.now });
  }

  /**
   * Ends the run that was in progress when the last process ended, if there was one. Homes of
   * former releases have no record before their first run; it is written here.
   */
  recover(): void {
    if (this.#options.record() === undefined) this.#write({ type: 'create' });
    else if (this.results.inProgress) this.#write({ type: 'interrupt' });
  }

  /** Ends a run that is in progress, and keeps others from starting. */
  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    // If this cannot be written, the next start finds the run interrupted.
    if (this.#run !== undefined) this.#write(stoppedWith(this.#run));
  }

  async #carryOut(isFixing: boolean): Promise<void> {
    const { clock, log, parts } = this.#options;
    const startedAt = clock.monotonic();
    const run = new Run(this.#options, isFixing, () => this.#isStopped);
    this.#run = run;
    let error = '';
    try {
      for (const part of parts()) await run.go(part);
    } catch (err) {
      error = reasonOf(err);
      log.error({ err }, 'the data integrity run ended early: this is a bug worth reporting');
    }
    if (this.#isStopped) return;
    this.#run = undefined;
    const { results, tooManyErrors, count, fixed } = run;
    this.#write({ type: 'finish', error, results, tooManyErrors });
    const figures = { findings: count, fixed, ms: Math.round(clock.monotonic() - startedAt) };
    if (count === 0) log.info(figures, 'a data integrity run found nothing wrong');
    else log.warn(figures, 'a data integrity run found faults: see its results');
  }

  /** Tried again until it is in the log. Until then a run that ends counts as in progress. */
  #write(event: OwnEvent): void {
    const { clock, log, record, send, transact } = this.#options;
    // A request may have started the first run in the meantime.
    if (event.type === 'create' && record() !== undefined) return;
    try {
      transact((tx) => send(tx, { ...event, now: tx.now }));
    } catch (err) {
      // A log that takes no writes is reported elsewhere.
      if (!(err instanceof JournalStalled)) {
        log.error(
          { err },
          `the event ${event.type} of the data integrity run could not be written`,
        );
      }
      if (!this.#isStopped) this.#retry = clock.after(retryMs, () => this.#write(event));
    }
  }
}

/**
 * Where the record is not there yet: on a node of a cluster whose leader is of a former release.
 */
const never = {
  state: 'idle',
  fixingErrors: false,
  startTime: undefined,
  endTime: undefined,
  error: '',
  tooManyErrors: false,
  results: [],
} as const;

/** The interval at which an event is written again while the log takes no writes. */
const retryMs = 1000;

function stoppedWith(run: Run | undefined): Finish {
  const { results = [], tooManyErrors = false } = run ?? {};
  return { type: 'finish', error: 'the controller was stopped', results, tooManyErrors };
}

/** One run, part by part, and its findings so far. */
class Run {
  /** At most as many as the options allow. */
  readonly results: IntegrityFinding[] = [];
  count = 0;
  fixed = 0;
  readonly #pace: Pace;
  readonly #resultsMax: number;
  readonly #isFixing: boolean;
  readonly #isOver: () => boolean;

  constructor(options: IntegrityRunOptions, isFixing: boolean, isOver: () => boolean) {
    const { integritySliceMs, integrityResultsMax } = boundsOf(runBounds, options.bounds);
    this.#pace = new Pace(options.clock, integritySliceMs);
    this.#resultsMax = integrityResultsMax;
    this.#isFixing = isFixing;
    this.#isOver = isOver;
  }

  get tooManyErrors(): boolean {
    return this.count > this.#resultsMax;
  }

  async go(part: Part): Promise<void> {
    const waiting: Fault[] = [];
    await this.#pace.rest();
    for (const fault of part.findFaults()) {
      if (this.#isOver()) return;
      if (fault !== undefined) this.#take(fault, waiting);
      if (this.#pace.isDue) await this.#pace.rest();
    }
    if (waiting.length > 0) await this.#rebuild(part, waiting);
  }

  #take(fault: Fault, waiting: Fault[]): void {
    const { description, fix, advice } = fault;
    if (fix === undefined) this.#add(`${description}: ${advice}`, false);
    else if (!this.#isFixing) this.#add(description, false);
    else if (fix === 'rebuild') {
      if (waiting.length <= faultsWaitingMax) waiting.push(fault);
    } else {
      try {
        fix();
        this.#add(description, true);
      } catch (error) {
        this.#add(unfixed(fault, error), false);
      }
    }
  }

  async #rebuild(part: Part, faults: readonly Fault[]): Promise<void> {
    try {
      const steps = part.rebuild?.() ?? [];
      if (steps instanceof Promise) await steps;
      else {
        for (const _ of steps) {
          if (this.#isOver()) return;
          if (this.#pace.isDue) await this.#pace.rest();
        }
      }
      for (const { description } of faults) this.#add(description, true);
    } catch (error) {
      for (const fault of faults) this.#add(unfixed(fault, error), false);
    }
  }

  #add(description: string, fixed: boolean): void {
    this.count++;
    if (fixed) this.fixed++;
    if (this.results.length >= this.#resultsMax) return;
    const isLong = description.length > findingCharactersMax;
    const shown = isLong
      ? `${description.slice(0, findingCharactersMax).toWellFormed()}…`
      : description;
    this.results.push({ description: shown, fixed });
  }
}

const runBounds = {
  /**
   * A data integrity run works for this long per turn, then requests run: with its longest step it
   * holds the main thread for under 5 ms. @bound
   */
  integritySliceMs: 2,
  /** Findings that an integrity run keeps and shows (behaviour/database#integrity). @bound */
  integrityResultsMax: 1000,
};

/**
 * Characters of a finding that are kept: at three bytes each, 1,000 findings fit a frame of the
 * smallest `frameBytesMax`, 2 MiB. @bound
 */
const findingCharactersMax = 500;

/** Faults remembered until the rebuild that fixes all of them: more than are ever shown. @bound */
const faultsWaitingMax = 10_000;

function unfixed({ description, advice }: Fault, error: unknown): string {
  return `${description}; it could not be put right (${reasonOf(error)}): ${advice}`;
}
