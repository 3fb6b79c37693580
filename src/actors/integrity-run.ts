// Looks whether the data is whole while the controller serves, and mends it when asked: one run at
// a time, in slices. A live XState actor.

import { type Actor, type AnyStateMachine, createActor, type InspectionEvent } from 'xstate';
import {
  type IntegrityFinding,
  type IntegrityRunRecord,
  integrityRun,
} from '../../machines/integrity-run.ts';
import type { RefuseParams } from '../../machines/machine.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../ports.ts';
import type { Fault, Look, Repair } from '../store/fault.ts';
import { toActorClock } from './actor-clock.ts';
import { Pace } from './pace.ts';

/** One part of what a run looks at. */
export interface IntegrityPart {
  /** For the log. */
  readonly name: string;
  look(): Look;
}

/** What a run works with. */
export interface IntegrityRunOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * In the order in which they rest on each other: what mends a later one relies on the earlier.
   */
  readonly parts: readonly IntegrityPart[];
  /** How long it works a turn. */
  readonly sliceMs: number;
  /** Findings that are kept (behaviour §11.1). */
  readonly resultsMax: number;
  /** Makes the error for a run that the machine refuses with `code`. */
  readonly refusal: (code: string) => Error;
  /** Sees every event and snapshot of its actor system; for the inspector. */
  readonly inspect?: (event: InspectionEvent) => void;
}

/** The last run as administrators see it (spec/2 "Data integrity and snapshot"). */
export interface IntegrityResults {
  readonly inProgress: boolean;
  readonly fixingErrors: boolean;
  /** Wall-clock ms; undefined before the first run. */
  readonly startTime: number | undefined;
  /** Undefined before the end of the first run, and while one is in progress. */
  readonly endTime: number | undefined;
  readonly error: string;
  readonly tooManyErrors: boolean;
  readonly results: readonly IntegrityFinding[];
}

/** Integrity runs of a controller. */
export interface IntegrityRuns {
  readonly results: IntegrityResults;
  /**
   * Begins a run; it is carried out in later turns.
   * @throws the error made by `refusal` while there is one.
   */
  start(isFixing: boolean): void;
  /** Ends a run that is in progress, and keeps others from beginning. */
  stop(): void;
}

/** Runs that have not begun. */
export function createIntegrityRuns(options: IntegrityRunOptions): IntegrityRuns {
  return new LiveIntegrityRuns(options);
}

class LiveIntegrityRuns implements IntegrityRuns {
  readonly #options: IntegrityRunOptions;
  readonly #actor: Actor<AnyStateMachine>;
  #refusedAs: string | undefined;
  #isStopped = false;

  constructor(options: IntegrityRunOptions) {
    this.#options = options;
    this.#actor = this.#createActor();
    this.#actor.start();
  }

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

  start(isFixing: boolean): void {
    const { clock, refusal } = this.#options;
    this.#refusedAs = undefined;
    this.#actor.send({ type: 'start', now: clock.now(), fixingErrors: isFixing });
    if (this.#refusedAs !== undefined) throw refusal(this.#refusedAs);
    if (this.#isStopped) this.#abandon();
    else void this.#run(isFixing);
  }

  stop(): void {
    this.#isStopped = true;
    if (this.results.inProgress) this.#abandon();
  }

  #abandon(): void {
    this.#actor.send({ type: 'abandon', now: this.#options.clock.now() });
  }

  async #run(isFixing: boolean): Promise<void> {
    const { clock, log, parts, sliceMs, resultsMax } = this.#options;
    const startedAt = clock.monotonic();
    const findings = new Findings(resultsMax);
    const run = new Run(new Pace(clock, sliceMs), findings, isFixing, () => this.#isStopped);
    let error = '';
    try {
      for (const part of parts) await run.go(part);
    } catch (err) {
      error = reasonOf(err);
      log.error({ err }, 'the data integrity run ended early: this is a bug worth reporting');
    }
    if (this.#isStopped) return;
    const { kept: results, tooMany: tooManyErrors, count, fixed } = findings;
    this.#actor.send({ type: 'finish', now: clock.now(), error, results, tooManyErrors });
    const figures = { findings: count, fixed, ms: Math.round(clock.monotonic() - startedAt) };
    if (count === 0) log.info(figures, 'a data integrity run found nothing wrong');
    else log.warn(figures, 'a data integrity run found something: see its results');
  }

  #createActor() {
    const { clock, inspect } = this.#options;
    const machine = integrityRun.machine.provide({
      actions: {
        refuse: (_: unknown, { code }: RefuseParams) => {
          this.#refusedAs = code;
        },
      },
    });
    return createActor(machine, { clock: toActorClock(clock), inspect });
  }
}

/** What was found so far, up to a bound. */
class Findings {
  readonly kept: IntegrityFinding[] = [];
  count = 0;
  fixed = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get tooMany(): boolean {
    return this.count > this.#most;
  }

  /** Notes one whose end is known. */
  add(description: string, fixed: boolean): void {
    this.count++;
    if (fixed) this.fixed++;
    if (this.kept.length < this.#most) this.kept.push({ description, fixed });
  }
}

/** One run, part by part. */
class Run {
  readonly #pace: Pace;
  readonly #findings: Findings;
  readonly #isFixing: boolean;
  readonly #isOver: () => boolean;

  constructor(pace: Pace, findings: Findings, isFixing: boolean, isOver: () => boolean) {
    this.#pace = pace;
    this.#findings = findings;
    this.#isFixing = isFixing;
    this.#isOver = isOver;
  }

  async go(part: IntegrityPart): Promise<void> {
    const waiting = new Map<Repair, Fault[]>();
    await this.#pace.rest();
    for (const fault of part.look()) {
      if (this.#isOver()) return;
      if (fault !== undefined) this.#take(fault, waiting);
      if (this.#pace.isDue) await this.#pace.rest();
    }
    for (const [repair, faults] of waiting) await this.#repair(repair, faults);
  }

  #take(fault: Fault, waiting: Map<Repair, Fault[]>): void {
    const { description, fix, repair, advice } = fault;
    if (!this.#isFixing) {
      const isMendable = fix !== undefined || repair !== undefined;
      this.#findings.add(isMendable ? description : `${description}: ${advice}`, false);
    } else if (fix !== undefined) {
      try {
        fix();
        this.#findings.add(description, true);
      } catch (error) {
        this.#findings.add(unfixed(fault, error), false);
      }
    } else if (repair !== undefined) {
      const known = waiting.get(repair);
      if (known === undefined) waiting.set(repair, [fault]);
      else if (known.length <= faultsWaitingMax) known.push(fault);
    } else {
      this.#findings.add(`${description}: ${advice}`, false);
    }
  }

  async #repair(repair: Repair, faults: readonly Fault[]): Promise<void> {
    let problem: { readonly error: unknown } | undefined;
    try {
      const steps = repair();
      if (steps instanceof Promise) await steps;
      else {
        for (const _ of steps) {
          if (this.#isOver()) return;
          if (this.#pace.isDue) await this.#pace.rest();
        }
      }
    } catch (error) {
      problem = { error };
    }
    for (const fault of faults) {
      const text = problem === undefined ? fault.description : unfixed(fault, problem.error);
      this.#findings.add(text, problem === undefined);
    }
  }
}

/** Faults remembered until the repair that fixes all: more than are ever shown. @bound */
const faultsWaitingMax = 10_000;

function unfixed({ description, advice }: Fault, error: unknown): string {
  return `${description}; it could not be put right (${reasonOf(error)}): ${advice}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
