// Runs the log writer in a thread of its own, with synchronous calls: neither the event loop nor
// the libuv pool.

import { Worker } from 'node:worker_threads';

import { JournalFailed } from '../errors.ts';
import { FrameRing, ringMemory } from './frame-ring.ts';
import type { LogWriterOptions, WriterEvents } from './log-writer.ts';
import type { StampedHost } from './writer-host.ts';
import type { WriterMessage, WriterWorkerData } from './writer-worker.ts';

/** Bounds of the memory shared with the thread, and the disk it writes to. */
export interface WriterThreadOptions {
  readonly pendingBytesMax: number;
  readonly frameBytesMax: number;
  /** URL of a module that exports `nodeDisk`; the real disk unless a test says otherwise. */
  readonly diskModule?: string;
}

/**
 * A writer in a worker thread. It writes frames in the order in which they were appended, and keeps
 * the process alive until it is stopped. `InlineWriter` does the same on the caller's thread.
 */
export class WriterThread implements StampedHost {
  readonly #ring: FrameRing;
  readonly #worker: Worker;
  readonly #events: WriterEvents;
  readonly #ended: Promise<void>;
  #waiting: PendingFlush[] = [];
  #failure: string | undefined;
  #stopping = false;

  constructor(bounds: WriterThreadOptions, options: LogWriterOptions, events: WriterEvents) {
    const memory = ringMemory(bounds.pendingBytesMax, bounds.frameBytesMax);
    const diskModule = bounds.diskModule ?? new URL('../home/disk.ts', import.meta.url).href;
    const workerData: WriterWorkerData = { options, memory, diskModule };
    this.#ring = new FrameRing(memory);
    this.#events = events;
    this.#worker = new Worker(new URL('./writer-worker.ts', import.meta.url), {
      workerData,
      name: 'log-writer',
      // Modules that the main thread preloads (as test tools do) must not run in this thread.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker.on('message', (message: WriterMessage) => this.#hear(message));
    this.#worker.on('error', (error) => this.#fail(`the log writer died: ${error.message}`));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        if (!this.#stopping) this.#fail('the log writer ended');
        resolve();
      });
    });
  }

  /** Copies a payload in; false when there is no room. Writes nothing yet. */
  append(kind: number, payload: Uint8Array): boolean {
    return this.#ring.append(kind, payload);
  }

  /** Copies stamped frames in; false when there is no room. Writes nothing yet. */
  appendStamped(frames: Uint8Array): boolean {
    return this.#ring.appendStamped(frames);
  }

  /** Starts the writing of everything appended so far. */
  wake(): void {
    this.#ring.wake();
  }

  /**
   * Resolves when everything appended so far is synced, at any level. Rejects with JournalFailed.
   */
  sync(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(new JournalFailed(this.#failure));
    const ticket = this.#ring.requestSync();
    return new Promise((resolve, reject) => this.#waiting.push({ ticket, resolve, reject }));
  }

  /** Writes what was appended, unless it is stalled, and ends the writer. */
  stop(): Promise<void> {
    this.#stopping = true;
    this.#ring.requestStop();
    return this.#ended;
  }

  #hear(message: WriterMessage): void {
    switch (message.tells) {
      case 'progress':
        this.#events.progress(this.#ring.progress());
        if (this.#waiting.length > 0) this.#serve();
        return;
      case 'stalled':
        this.#events.stalled(message.reason);
        return;
      case 'resumed':
        this.#events.resumed();
        return;
      case 'failed':
        this.#fail(message.reason);
        return;
      case 'space':
        this.#events.space(message.isShort);
        return;
    }
  }

  #serve(): void {
    const served = this.#ring.syncServed;
    const due = this.#waiting.filter(({ ticket }) => ticket <= served);
    this.#waiting = this.#waiting.filter(({ ticket }) => ticket > served);
    for (const { resolve } of due) resolve();
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#events.failed(reason);
    for (const { reject } of this.#waiting.splice(0)) reject(new JournalFailed(reason));
  }
}

interface PendingFlush {
  readonly ticket: number;
  readonly resolve: () => void;
  readonly reject: (error: JournalFailed) => void;
}
