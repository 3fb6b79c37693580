// Runs the log writer on the caller's thread: for simulated disks and clocks.

import type { Clock, Disk } from '../../src/platform/ports.ts';
import { JournalFailed, reasonOf, SyncFailed } from '../errors.ts';
import { frameBytes, putFrame } from './frame.ts';
import {
  LogWriter,
  type LogWriterOptions,
  retryMs,
  syncEveryMs,
  type WriterEvents,
} from './log-writer.ts';
import type { StampedHost } from './writer-host.ts';

/** A writer without a thread. Retries and the sync of level `second` are the clock's tasks. */
export class InlineWriter implements StampedHost {
  readonly #writer: LogWriter;
  readonly #clock: Clock;
  readonly #events: WriterEvents;
  readonly #level: LogWriterOptions['level'];
  #pending: Buffer[] = [];
  #waiting: PendingFlush[] = [];
  #state: 'writable' | 'stalled' | 'failed' | 'stopped' = 'writable';
  #syncArmed = false;
  #isShort = false;
  /** Whether another attempt to prepare the next segment is due. */
  #isRetrying = false;

  constructor(disk: Disk, clock: Clock, options: LogWriterOptions, events: WriterEvents) {
    this.#writer = new LogWriter(disk, options);
    this.#clock = clock;
    this.#events = events;
    this.#level = options.level;
  }

  append(kind: number, payload: Uint8Array): boolean {
    const frame = Buffer.allocUnsafe(frameBytes(payload.length));
    putFrame(frame, 0, kind, payload);
    this.#pending.push(frame);
    return true;
  }

  appendStamped(frames: Uint8Array): boolean {
    this.#pending.push(Buffer.from(frames));
    return true;
  }

  wake(): void {
    if (this.#state !== 'writable') return;
    this.#run();
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#state === 'failed') this.#fail('the log failed before');
      this.wake();
    });
  }

  async stop(): Promise<void> {
    this.wake();
    this.#state = 'stopped';
    this.#writer.close();
  }

  #run(): void {
    const writer = this.#writer;
    writer.stage(this.#pending);
    this.#pending = [];
    try {
      writer.flush();
      if (this.#waiting.length > 0) writer.sync();
    } catch (error) {
      this.#catch(error);
      return;
    }
    if (this.#state === 'stalled') {
      this.#state = 'writable';
      this.#events.resumed();
    }
    this.#armSync();
    this.#events.progress(writer.progress);
    this.#compareSpace();
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  #catch(error: unknown): void {
    if (error instanceof SyncFailed) {
      this.#fail(error.message);
      return;
    }
    this.#state = 'stalled';
    this.#events.stalled(reasonOf(error));
    this.#clock.after(retryMs, () => {
      if (this.#state === 'stalled') this.#run();
    });
  }

  #compareSpace(): void {
    const writer = this.#writer;
    if (writer.isShort !== this.#isShort) {
      this.#isShort = writer.isShort;
      this.#events.space(this.#isShort);
    }
    if (!this.#isShort || this.#isRetrying) return;
    this.#isRetrying = true;
    this.#clock.after(retryMs, () => {
      this.#isRetrying = false;
      if (this.#state !== 'writable') return;
      try {
        writer.prepareAll();
      } catch (error) {
        this.#catch(error);
        return;
      }
      this.#compareSpace();
    });
  }

  #fail(reason: string): void {
    this.#state = 'failed';
    this.#events.failed(reason);
    for (const { reject } of this.#waiting.splice(0)) reject(new JournalFailed(reason));
  }

  #armSync(): void {
    if (this.#level !== 'second' || this.#syncArmed || this.#writer.isSynced) return;
    this.#syncArmed = true;
    this.#clock.after(syncEveryMs, () => {
      this.#syncArmed = false;
      if (this.#state !== 'writable') return;
      try {
        this.#writer.sync();
      } catch (error) {
        this.#catch(error);
      }
    });
  }
}

interface PendingFlush {
  readonly resolve: () => void;
  readonly reject: (error: JournalFailed) => void;
}
