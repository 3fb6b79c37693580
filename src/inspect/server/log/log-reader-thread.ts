// Runs the reader of the log in a separate thread that exists while it is used, or on the caller's
// thread for simulated disks.

import { Worker } from 'node:worker_threads';
import type { Lsn } from '../../../../snapshots/journal.ts';
import type { Clock, Disk, Timer } from '../../../platform/ports.ts';
import type { FrameOrder, TransitionPage } from '../../messages.ts';
import { shownKinds } from '../instances/shown-kinds.ts';
import {
  type FrameRequest,
  type HistoryOrder,
  type KeptFrame,
  KeptLog,
  type KeptPage,
  type RecentPage,
} from './kept-log.ts';
import type { readerBounds } from './log-reader.ts';
import type { ReaderAnswer, ReaderRequest, ReaderWorkerData } from './log-reader-worker.ts';

/** Where the reader of a log runs. One request at a time. */
export interface ReaderHost {
  frames(order: FrameOrder): Promise<KeptPage>;
  transitionsOf(order: HistoryOrder): Promise<TransitionPage>;
  frameAt(wanted: FrameRequest): Promise<KeptFrame | undefined>;
  recentTransitions(beforeLsn: Lsn): Promise<RecentPage>;
  /** Whether its thread is running at present. */
  readonly isRunning: boolean;
  /** A read that takes too long is stopped, and its request fails. */
  stop(): Promise<void>;
}

/** Options of a host. */
export interface ReaderHostOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly bounds: typeof readerBounds;
  /** URL of a module that exports `nodeDisk`; the real disk unless a test says otherwise. */
  readonly diskModule?: string;
}

/** A host that reads at once, in the caller's thread. */
export class InlineReader implements ReaderHost {
  readonly isRunning = false;
  readonly #log: KeptLog;

  constructor({ home, clock, bounds }: ReaderHostOptions, disk: Disk) {
    this.#log = new KeptLog({ disk, home, bounds, kinds: shownKinds(clock) });
  }

  async frames(order: FrameOrder): Promise<KeptPage> {
    return this.#log.frames(order);
  }

  async transitionsOf(order: HistoryOrder): Promise<TransitionPage> {
    return this.#log.transitionsOf(order);
  }

  async frameAt(wanted: FrameRequest): Promise<KeptFrame | undefined> {
    return this.#log.frameAt(wanted);
  }

  async recentTransitions(beforeLsn: Lsn): Promise<RecentPage> {
    return this.#log.recentTransitions(beforeLsn);
  }

  async stop(): Promise<void> {
    this.#log.close();
  }
}

/** A host with a thread that starts with the first request and ends when it is no longer used. */
export class ReaderThread implements ReaderHost {
  readonly #options: ReaderHostOptions;
  #running: RunningThread | undefined;
  #idle: Timer | undefined;

  constructor(options: ReaderHostOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  async frames(order: FrameOrder): Promise<KeptPage> {
    const answer = await this.#ask({ asks: 'frames', order });
    if (answer.tells !== 'frames') throw unexpected(answer);
    return answer.page;
  }

  async transitionsOf(order: HistoryOrder): Promise<TransitionPage> {
    const answer = await this.#ask({ asks: 'transitions', order });
    if (answer.tells !== 'transitions') throw unexpected(answer);
    return answer.page;
  }

  async frameAt(wanted: FrameRequest): Promise<KeptFrame | undefined> {
    const answer = await this.#ask({ asks: 'frame', wanted });
    if (answer.tells !== 'frame') throw unexpected(answer);
    return answer.frame;
  }

  async recentTransitions(beforeLsn: Lsn): Promise<RecentPage> {
    const answer = await this.#ask({ asks: 'recent', beforeLsn });
    if (answer.tells !== 'recent') throw unexpected(answer);
    return answer.page;
  }

  async stop(): Promise<void> {
    this.#idle?.cancel();
    const running = this.#running;
    this.#running = undefined;
    await running?.end();
  }

  async #ask(request: ReaderRequest): Promise<ReaderAnswer> {
    this.#idle?.cancel();
    if (this.#running?.isOver === true) this.#running = undefined;
    this.#running ??= new RunningThread(this.#options);
    const running = this.#running;
    try {
      const answer = await running.ask(request);
      if (answer.tells === 'failed') throw answer.error;
      return answer;
    } finally {
      if (this.#running === running) {
        const { clock, bounds } = this.#options;
        this.#idle = clock.after(bounds.logReaderIdleMs, () => void this.stop());
      }
    }
  }
}

/** One run of the thread. */
class RunningThread {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #ended: Promise<void>;
  #failure: Error | undefined;
  #pending: PromiseWithResolvers<ReaderAnswer> | undefined;

  constructor(options: ReaderHostOptions) {
    const { home, clock, bounds, diskModule } = options;
    this.#clock = clock;
    const workerData: ReaderWorkerData = {
      home,
      bounds,
      diskModule: diskModule ?? new URL('../../../../snapshots/home/disk.ts', import.meta.url).href,
    };
    this.#worker = new Worker(new URL('./log-reader-worker.ts', import.meta.url), {
      workerData,
      name: 'log-reader',
      // Modules that the main thread preloads (as test tools do) are not loaded here.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    });
    this.#worker.on('message', (answer: ReaderAnswer) => this.#takePending()?.resolve(answer));
    this.#worker.on('error', (error) => this.#fail(asError(error)));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#fail(new Error('the log reader ended'));
        resolve();
      });
    });
  }

  /** Whether it has ended. */
  get isOver(): boolean {
    return this.#failure !== undefined;
  }

  ask(request: ReaderRequest): Promise<ReaderAnswer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#pending = Promise.withResolvers();
    this.#worker.postMessage(request);
    return this.#pending.promise;
  }

  async end(): Promise<void> {
    const request: ReaderRequest = { asks: 'end' };
    this.#worker.postMessage(request);
    const isReading = this.#pending !== undefined;
    // It only reads, so it can be stopped at any point.
    const breakOff = () => void this.#worker.terminate();
    const grace = isReading ? this.#clock.after(graceMs, breakOff) : undefined;
    await this.#ended;
    grace?.cancel();
  }

  #takePending(): PromiseWithResolvers<ReaderAnswer> | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#takePending()?.reject(error);
  }
}

/**
 * Heap of the thread that reads the log: its code takes some 40 MB, a page of the largest frames
 * and their records before 60. @bound per controller
 */
const heapMegabytesMax = 256;
/** An ordinary page is read within this time. */
const graceMs = 100;

function unexpected({ tells }: ReaderAnswer): Error {
  return new Error(`the log reader told ${tells}`);
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
