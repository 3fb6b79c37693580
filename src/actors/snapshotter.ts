// Takes snapshots while the controller serves: after enough log, after enough time, and on request.
// A live XState actor.

import { type Actor, type AnyStateMachine, assign, createActor, fromPromise, setup } from 'xstate';
import type { StateMeaning } from '../../machines/meaning.ts';
import type { Journal, KeptSnapshot, RecoveryReport } from '../../snapshots/journal.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock, Timer } from '../platform/ports.ts';
import { toActorClock } from './actor-clock.ts';

/** The options of a snapshotter. */
export interface SnapshotterOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Journal;
  readonly report: RecoveryReport;
  /** Bytes of log since the newest snapshot after which another one is due. */
  readonly logBytes: number;
  /** Age at which the newest snapshot is old, unless nothing has changed since. */
  readonly ageMs: number;
  /** Rest after a snapshot that failed. */
  readonly retryMs: number;
  /** Writes a snapshot; resolves when it is kept. */
  readonly write: () => Promise<KeptSnapshot>;
}

/**
 * The phase of a snapshotter. While it rests after a failure, it still takes snapshots on request.
 */
export type SnapshotterPhase = 'idle' | 'writing' | 'resting' | 'stopped';

/** The meaning of each phase. */
export const snapshotterMeanings: Readonly<Record<SnapshotterPhase, StateMeaning>> = {
  idle: 'good',
  writing: 'good',
  resting: 'bad',
  stopped: 'over',
};

/** The texts of the guards, as `DurableMachine.guards` has them. */
export const snapshotterGuards: Readonly<Record<string, string>> = {
  stopRequested: 'the controller stops',
  isAsked: 'somebody asked for another snapshot meanwhile',
};

/**
 * Figures of a snapshotter since the start; times are wall-clock ms, undefined before the first.
 */
export interface SnapshotFigures {
  readonly kept: number;
  /** Those of them that were taken on request. */
  readonly keptAsked: number;
  readonly failed: number;
  /** Whether the last one failed. */
  readonly isFailing: boolean;
  /** How long the last kept snapshot took. */
  readonly lastMs: number | undefined;
  readonly lastKeptAtMs: number | undefined;
  /**
   * Age of the newest snapshot, or time since the start before the first; 0 when nothing was logged
   * since.
   */
  readonly behindMs: number;
}

/**
 * A large snapshot justifies a longer log. Otherwise a home of 1 GB would be rewritten for each 64
 * MiB of log.
 */
const logShareOfSnapshot = 1 / 2;

/** The snapshotter of a home. */
export class Snapshotter {
  /** The newest snapshot that this process took. */
  newest: KeptSnapshot | undefined;
  /** Wall-clock ms at which its phase began. */
  phaseSinceMs: number;
  readonly #options: SnapshotterOptions;
  readonly #actor: Actor<ReturnType<typeof snapshotterMachine>>;
  /** Bytes the journal had written at the newest snapshot; negative for replayed bytes. */
  #bytesAtNewest: number;
  #lsnAtNewest: number;
  /** Monotonic ms of the newest snapshot, or of the start if there was none since. */
  #newestAtMs: number;
  #counts = { kept: 0, keptAsked: 0, failed: 0 };
  #isFailing = false;
  #lastMs: number | undefined;
  #lastKeptAtMs: number | undefined;
  #timer: Timer | undefined;
  #asked: Asked[] = [];
  #served: Asked[] = [];
  #stopped: () => void = () => {};
  #isStarted = false;
  #isStopping = false;

  constructor(options: SnapshotterOptions) {
    this.#options = options;
    this.#bytesAtNewest = -options.report.bytesReplayed;
    this.#lsnAtNewest = options.report.snapshotLsn;
    this.#newestAtMs = options.clock.monotonic();
    this.phaseSinceMs = options.clock.now();
    this.#actor = this.#createActor();
  }

  get figures(): SnapshotFigures {
    const { clock, journal } = this.#options;
    const isBehind = journal.lastLsn > this.#lsnAtNewest;
    return {
      ...this.#counts,
      isFailing: this.#isFailing,
      lastMs: this.#lastMs,
      lastKeptAtMs: this.#lastKeptAtMs,
      behindMs: isBehind ? clock.monotonic() - this.#newestAtMs : 0,
    };
  }

  /** The machine of its actor, for drawing. */
  get machine(): AnyStateMachine {
    return this.#actor.logic;
  }

  get phase(): SnapshotterPhase {
    return this.#actor.getSnapshot().value;
  }

  /** Log bytes that a start would replay. */
  get logBytes(): number {
    return this.#options.journal.figures.bytesWritten - this.#bytesAtNewest;
  }

  /** Starts to take snapshots. */
  start(): void {
    this.#isStarted = true;
    this.#actor.start();
    this.#options.journal.onDurable(() => {
      if (this.logBytes >= this.#dueBytes) this.#actor.send({ type: 'due' });
    });
    this.#armAge();
  }

  /**
   * Takes a snapshot of the present state, after one that is being written. Rejects with the error
   * that prevents it.
   */
  take(): Promise<KeptSnapshot> {
    if (this.#isStopping) return Promise.reject(new Error(stops));
    const taken = new Promise<KeptSnapshot>((resolve, reject) => {
      this.#asked.push({ resolve, reject });
    });
    this.#actor.send({ type: 'ask' });
    return taken;
  }

  /** Resolves when no snapshot is being written any more. */
  stop(): Promise<void> {
    this.#isStopping = true;
    // An actor that was never started would never get the event: `init` opens a home and closes it.
    if (!this.#isStarted) return Promise.resolve();
    this.#timer?.cancel();
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    this.#actor.send({ type: 'stop' });
    if (this.phase === 'stopped') this.#stopped();
    for (const { reject } of this.#asked.splice(0)) reject(new Error(stops));
    return stopped;
  }

  get #dueBytes(): number {
    const { logBytes } = this.#options;
    return Math.max(logBytes, (this.newest?.bytes ?? 0) * logShareOfSnapshot);
  }

  #armAge(): void {
    const { clock, ageMs, journal } = this.#options;
    this.#timer?.cancel();
    if (this.#isStopping) return;
    this.#timer = clock.after(ageMs, () => {
      if (journal.lastLsn > this.#lsnAtNewest) this.#actor.send({ type: 'due' });
      this.#armAge();
    });
  }

  async #write(): Promise<void> {
    const { clock, log, journal, retryMs } = this.#options;
    this.#served = this.#asked.splice(0);
    const startedAt = clock.monotonic();
    const { bytesWritten } = journal.figures;
    try {
      const kept = await this.#options.write();
      const ms = Math.round(clock.monotonic() - startedAt);
      this.#note(kept, ms);
      this.#bytesAtNewest = bytesWritten;
      this.#lsnAtNewest = kept.lsn;
      this.#armAge();
      log.info({ ...kept, ms }, 'a snapshot is kept');
      for (const { resolve } of this.#served.splice(0)) resolve(kept);
    } catch (err) {
      this.#counts.failed++;
      this.#isFailing = true;
      const note = 'a snapshot could not be written, the log has everything: check the disk';
      log.error({ err, retryMs }, note);
      for (const { reject } of this.#served.splice(0)) reject(err);
      throw err;
    }
  }

  #note(kept: KeptSnapshot, ms: number): void {
    const { clock } = this.#options;
    this.newest = kept;
    this.#newestAtMs = clock.monotonic();
    this.#lastKeptAtMs = clock.now();
    this.#lastMs = ms;
    this.#isFailing = false;
    this.#counts.kept++;
    if (this.#served.length > 0) this.#counts.keptAsked++;
  }

  #createActor() {
    const machine = snapshotterMachine({
      retryMs: this.#options.retryMs,
      write: () => this.#write(),
      isAsked: () => this.#asked.length > 0,
    });
    const { clock } = this.#options;
    const actor = createActor(machine, { clock: toActorClock(clock) });
    let before: SnapshotterPhase = 'idle';
    actor.subscribe(({ value }) => {
      if (value !== before) this.phaseSinceMs = clock.now();
      before = value;
      if (value === 'stopped') this.#stopped();
    });
    return actor;
  }
}

const stops = 'the controller stops';

interface Asked {
  readonly resolve: (kept: KeptSnapshot) => void;
  readonly reject: (reason: unknown) => void;
}

type SnapshotterEvent = { readonly type: 'due' | 'ask' | 'stop' };

interface SnapshotterSteps {
  readonly retryMs: number;
  write(): Promise<void>;
  isAsked(): boolean;
}

function snapshotterMachine({ retryMs, write, isAsked }: SnapshotterSteps) {
  return setup({
    types: {
      context: {} as { stopRequested: boolean },
      events: {} as SnapshotterEvent,
    },
    actors: { write: fromPromise<void>(write) },
    guards: { isAsked, stopRequested: ({ context }) => context.stopRequested },
    delays: { retryMs },
  }).createMachine({
    id: 'snapshotter',
    context: { stopRequested: false },
    initial: 'idle',
    states: {
      idle: { on: { due: 'writing', ask: 'writing', stop: 'stopped' } },
      writing: {
        // The snapshot in progress is finished first, so that no partial file is left behind.
        on: { stop: { actions: assign({ stopRequested: true }) } },
        invoke: {
          src: 'write',
          onDone: [
            { guard: 'stopRequested', target: 'stopped' },
            { guard: 'isAsked', target: 'writing', reenter: true },
            { target: 'idle' },
          ],
          onError: [
            { guard: 'stopRequested', target: 'stopped' },
            { guard: 'isAsked', target: 'writing', reenter: true },
            { target: 'resting' },
          ],
        },
      },
      resting: { after: { retryMs: 'idle' }, on: { ask: 'writing', stop: 'stopped' } },
      stopped: { type: 'final' },
    },
  });
}

/** Bounds of writing a snapshot. */
export const snapshotBounds = {
  /**
   * A snapshot packs records for this long per turn, then requests run. With 2, throughput falls to
   * 0.85 meanwhile, and a snapshot takes 0.85 of the time. @bound
   */
  snapshotSliceMs: 1,
};
