// Checks the data while the controller serves, and repairs it on request: one run at a time, in
// slices. A live XState actor.

import { type Actor, type AnyStateMachine, createActor } from 'xstate';
import {
  type IntegrityFinding,
  type IntegrityRunRecord,
  integrityRun,
} from '../../machines/integrity-run.ts';
import type { RefuseParams } from '../../machines/machine.ts';
import { reasonOf } from '../../snapshots/errors.ts';
import { toActorClock } from '../actors/actor-clock.ts';
import { Pace } from '../actors/pace.ts';
import { type BoundValues, boundsOf } from '../bounds.ts';
import { isErrorCode } from '../error-codes.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../ports.ts';
import type { Fault, Part } from './part.ts';

/** The options of a run. */
export interface IntegrityRunOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The parts in the order of their dependencies: repairs of a later part rely on the earlier ones.
   * Each part is requested when its turn comes.
   */
  readonly parts: () => Iterable<Part>;
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

/** Integrity runs of a controller. */
export class IntegrityRuns {
  readonly #options: IntegrityRunOptions;
  readonly #actor: Actor<AnyStateMachine>;
  #refusal: Error | undefined;
  #isStopped = false;

  constructor(options: IntegrityRunOptions) {
    this.#options = options;
    this.#actor = this.#createActor();
    this.#actor.start();
  }

  /** The findings of the last run, or of the one in progress. */
  get results(): IntegrityResults {
    const { value, context } = this.#actor.getSnapshot();
    const record = context as Partial<IntegrityRunRecord>;
    return {
      inProgress: value === 'running',
      fixingErrors: record.fixingErrors ?? false,
      startTime: record.startTime,
      endTime: record.endTime,
      error: record.error ?? '',
      tooManyErrors: record.tooManyErrors ?? false,
      results: record.results ?? [],
    };
  }

  /**
   * Starts a run; it is carried out in later turns.
   * @throws ApiError while a run is in progress.
   */
  start(isFixing: boolean): void {
    const now = this.#options.clock.now();
    this.#refusal = undefined;
    this.#actor.send({ type: 'start', now, fixingErrors: isFixing });
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#isStopped) this.#abandon();
    else void this.#run(isFixing);
  }

  /** Ends a run that is in progress, and keeps others from starting. */
  stop(): void {
    this.#isStopped = true;
    if (this.results.inProgress) this.#abandon();
  }

  #abandon(): void {
    this.#actor.send({ type: 'abandon', now: this.#options.clock.now() });
  }

  async #run(isFixing: boolean): Promise<void> {
    const { clock, log, parts } = this.#options;
    const startedAt = clock.monotonic();
    const run = new Run(this.#options, isFixing, () => this.#isStopped);
    let error = '';
    try {
      for (const part of parts()) await run.go(part);
    } catch (err) {
      error = reasonOf(err);
      log.error({ err }, 'the data integrity run ended early: this is a bug worth reporting');
    }
    if (this.#isStopped) return;
    const { results, tooManyErrors, count, fixed } = run;
    this.#actor.send({ type: 'finish', now: clock.now(), error, results, tooManyErrors });
    const figures = { findings: count, fixed, ms: Math.round(clock.monotonic() - startedAt) };
    if (count === 0) log.info(figures, 'a data integrity run found nothing wrong');
    else log.warn(figures, 'a data integrity run found faults: see its results');
  }

  #createActor() {
    const machine = integrityRun.machine.provide({
      actions: {
        refuse: (_: unknown, { code }: RefuseParams) => {
          this.#refusal = isErrorCode(code) ? new ApiError(code) : new Error(`no code ${code}`);
        },
      },
    });
    return createActor(machine, { clock: toActorClock(this.#options.clock) });
  }
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
    if (this.results.length < this.#resultsMax) this.results.push({ description, fixed });
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

/** Faults remembered until the rebuild that fixes all of them: more than are ever shown. @bound */
const faultsWaitingMax = 10_000;

function unfixed({ description, advice }: Fault, error: unknown): string {
  return `${description}; it could not be put right (${reasonOf(error)}): ${advice}`;
}
