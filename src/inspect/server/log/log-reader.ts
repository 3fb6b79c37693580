// Reads the kept log for inspectors and audit feeds: one request at a time, with a bounded queue.
// It shows nothing that a crash could undo.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { Clock, Disk } from '../../../platform/ports.ts';
import { identityKind } from '../../../records/identity.ts';
import { type BoundValues, boundsOf } from '../../../settings/bounds.ts';
import type { DurableFrames } from '../../../store/durable-frames.ts';
import type { Store } from '../../../store/store.ts';
import type { FrameOrder, FramePage, Transition, TransitionPage } from '../../messages.ts';
import type { KeptFrame, KeptLine, RecentPage } from './kept-log.ts';
import { namedLine } from './log-lines.ts';
import { InlineReader, type ReaderHost, ReaderThread } from './log-reader-thread.ts';
import { VolatileHistory } from './volatile-history.ts';

/** What a reader needs. */
export interface LogReaderOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly bounds?: BoundValues | undefined;
  readonly durable: DurableFrames;
  /** Provides the names of actors, and the frame in which the chain of an instance begins. */
  readonly store: Store;
  /** Where it runs; `inline` for simulated disks. */
  readonly writer: 'worker' | 'inline';
  /** URL of a module that exports `nodeDisk`; the real disk unless a test says otherwise. */
  readonly diskModule?: string;
}

/** The reader of one controller. Its thread starts with the first request. */
export class LogReader {
  readonly #options: LogReaderOptions;
  readonly #bounds: typeof readerBounds;
  readonly #host: ReaderHost;
  readonly #volatile: VolatileHistory;
  #waiting: Turn[] = [];
  #isBusy = false;
  #isStopped = false;
  /** Requests that wait until a frame is durable. */
  readonly #untilDurable = new Set<Turn>();

  constructor(options: LogReaderOptions) {
    this.#options = options;
    const { writer, disk, home, clock, diskModule } = options;
    const bounds = boundsOf(readerBounds, options.bounds);
    this.#bounds = bounds;
    this.#volatile = new VolatileHistory(options.store);
    const hostOptions = {
      home,
      clock,
      bounds,
      ...(diskModule === undefined ? {} : { diskModule }),
    };
    this.#host =
      writer === 'inline' ? new InlineReader(hostOptions, disk) : new ReaderThread(hostOptions);
  }

  /** Whether its thread is running at present. */
  get isRunning(): boolean {
    return this.#host.isRunning;
  }

  /** The number of requests that wait for their turn, or until their frames are durable. */
  get waiting(): number {
    return this.#waiting.length + this.#untilDurable.size;
  }

  /** @throws ApiError RATE_LIMITED when too many wait; the reason of `signal`, if it ends a wait */
  async frames(order: FrameOrder, signal?: AbortSignal): Promise<FramePage> {
    const toLsn = Math.min(order.toLsn, this.#options.durable.lsn);
    const page = await this.#inTurn(signal, () => this.#host.frames({ ...order, toLsn }));
    return { ...page, lines: page.lines.map((line) => namedLine(line, this.#nameFor(line))) };
  }

  /**
   * If a record is gone, a bounded part of the log is searched for its last change, so a page
   * without transitions may be followed by more.
   * @throws ApiError as `frames`
   */
  async transitionsOf(
    kind: string,
    id: string,
    order: { readonly beforeLsn: Lsn; readonly limit: number },
    signal?: AbortSignal,
  ): Promise<TransitionPage> {
    const { store, durable } = this.#options;
    const table = store.tableNamed(kind);
    if (table.isVolatile) return this.#volatilePage(kind, id, order.beforeLsn, signal);
    const headLsn = table.find(id)?.lsn ?? 0;
    // The chain begins with a frame that must be durable before it is read.
    await this.#durable(headLsn, signal);
    const durableLsn = durable.lsn;
    const page = await this.#inTurn(signal, () =>
      this.#host.transitionsOf({ ...order, kind, id, headLsn, durableLsn }),
    );
    const { transitions, changes } = page;
    return { ...page, transitions: this.#named(transitions), changes: this.#named(changes) };
  }

  /**
   * A durable frame, with the frames after `afterLsn` that followed from it; undefined if the kept
   * log does not hold it.
   * @throws ApiError as `frames`
   */
  async frameAt(lsn: Lsn, afterLsn: Lsn, signal?: AbortSignal): Promise<KeptFrame | undefined> {
    const durableLsn = this.#options.durable.lsn;
    const wanted = { lsn, afterLsn: Math.max(lsn, afterLsn), durableLsn };
    const frame = await this.#inTurn(signal, () => this.#host.frameAt(wanted));
    if (frame === undefined) return undefined;
    const actorName = this.#nameOf(frame.actor) ?? '';
    return { ...frame, actorName, transitions: this.#named(frame.transitions) };
  }

  /** The last durable frame. */
  get durableLsn(): Lsn {
    return this.#options.durable.lsn;
  }

  /** Transitions of durable frames before `beforeLsn`. @throws ApiError as `frames` */
  async recentTransitions(beforeLsn: Lsn, signal?: AbortSignal): Promise<RecentPage> {
    const before = Math.min(beforeLsn, this.durableLsn + 1);
    const page = await this.#inTurn(signal, () => this.#host.recentTransitions(before));
    return { ...page, transitions: this.#named(page.transitions) };
  }

  /** The last durable transitions of records that live in memory only, newest first. */
  recentVolatile(): readonly Transition[] {
    const { lsn } = this.#options.durable;
    return this.#named(this.#volatile.recent()).filter((transition) => transition.lsn <= lsn);
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const left = [...this.#waiting.splice(0), ...this.#untilDurable];
    this.#untilDurable.clear();
    for (const { giveUp } of left) giveUp(new Error('the log reader stopped'));
    await this.#host.stop();
  }

  /** All that is kept, in one page. */
  async #volatilePage(
    kind: string,
    id: string,
    beforeLsn: Lsn,
    signal: AbortSignal | undefined,
  ): Promise<TransitionPage> {
    const transitions = this.#named(this.#volatile.of(kind, id, beforeLsn));
    // What they rest on must be durable before it is shown.
    await this.#durable(transitions[0]?.lsn ?? 0, signal);
    return { transitions, changes: [], oldestLsn: 0, hasMore: false, nextBeforeLsn: 0 };
  }

  #named<Caused extends Pick<Transition, 'actor' | 'actorName'>>(
    caused: readonly Caused[],
  ): Caused[] {
    return caused.map((one) => ({ ...one, actorName: this.#nameOf(one.actor) ?? '' }));
  }

  #nameFor({ actor, previousName }: KeptLine): string | undefined {
    return this.#nameOf(actor) ?? previousName;
  }

  #nameOf(actor: string): string | undefined {
    return this.#options.store.table(identityKind).peek(actor)?.record.name;
  }

  /** @throws the reason of `signal`; Error when the reader stops. */
  async #durable(lsn: Lsn, signal: AbortSignal | undefined): Promise<void> {
    const { durable } = this.#options;
    if (lsn <= durable.lsn) return;
    signal?.throwIfAborted();
    if (this.#isStopped) throw new Error('the log reader stopped');
    const leave = () => {
      this.#untilDurable.delete(turn);
      if (wait !== undefined) durable.cancel(wait);
    };
    const { promise, turn } = turnOf(signal, leave);
    this.#untilDurable.add(turn);
    const wait = durable.when(lsn, () => {
      // The reader may have been stopped in the meantime.
      if (this.#untilDurable.delete(turn)) turn.begin();
    });
    await promise;
  }

  /** @throws ApiError RATE_LIMITED; the reason of `signal`; the errors of the read. */
  async #inTurn<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isStopped) throw new Error('the log reader stopped');
    if (this.#isBusy) await this.#turn(signal);
    this.#isBusy = true;
    try {
      return await read();
    } finally {
      this.#isBusy = false;
      this.#waiting.shift()?.begin();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    const { logReadsWaitingMax } = this.#bounds;
    if (this.#waiting.length >= logReadsWaitingMax) {
      throw new ApiError('RATE_LIMITED', { message: 'Too many wait to read the log.' });
    }
    const { promise, turn } = turnOf(signal, () => {
      this.#waiting = this.#waiting.filter((waiting) => waiting !== entry);
    });
    const entry: Turn = {
      ...turn,
      // A new request must not start before those that wait.
      begin: () => {
        this.#isBusy = true;
        turn.begin();
      },
    };
    this.#waiting.push(entry);
    return promise;
  }
}

/** One waiting request. */
interface Turn {
  readonly begin: () => void;
  readonly giveUp: (error: Error) => void;
}

/** A place in the queue; `left` is called when `signal` ends the wait. */
function turnOf(
  signal: AbortSignal | undefined,
  left: () => void,
): { readonly promise: Promise<void>; readonly turn: Turn } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    left();
    reject(signal?.reason);
  };
  const settle = (then: () => void) => {
    signal?.removeEventListener('abort', leave);
    then();
  };
  signal?.addEventListener('abort', leave, { once: true });
  const turn = {
    begin: () => settle(resolve),
    giveUp: (error: Error) => settle(() => reject(error)),
  };
  return { promise, turn };
}

/** Bounds of reading the kept log. */
export const readerBounds = {
  /** Reads of the kept log that wait while one runs. @bound per controller */
  logReadsWaitingMax: 64,
  /** Frames that one page of the log reads, in 50 ms; others read in between. @bound */
  logReadFramesMax: 10_000,
  /** Frames that one page of the history of a record, or of what followed, reads. @bound */
  logReadHistoryFramesMax: 5000,
  /** Frames that are read at a time for the last transitions, in 5 ms. @bound */
  logReadRecentFramesMax: 500,
  /** Changes, transitions and followers that are told of one frame. @bound */
  logReadChangesMax: 200,
  /** Log searched for the last change of a deleted instance per page, 100 ms. @bound */
  logReadSearchBytesMax: 256 * 1024 * 1024,
  /** The thread that reads the log ends after this; it takes some 40 MB. @bound */
  logReaderIdleMs: 30_000,
};
