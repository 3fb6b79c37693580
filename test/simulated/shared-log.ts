// A log that several nodes of one world share, in memory: what a leader appends is confirmed in a
// later turn, and followers read it.

import type { Lsn } from '../../snapshots/journal.ts';
import {
  frameBytes,
  frameKinds,
  frameSeed,
  putFrame,
  stampFrame,
} from '../../snapshots/log/frame.ts';
import type { WriterEvents } from '../../snapshots/log/log-writer.ts';
import type { WriterHost } from '../../snapshots/log/writer-host.ts';
import type { Clock } from '../../src/platform/ports.ts';

/** One confirmed frame. */
export interface SharedFrame {
  readonly lsn: Lsn;
  readonly kind: number;
  readonly payload: Buffer;
  /** Stamped, as followers get it. */
  readonly bytes: Buffer;
}

/** The confirmed frames from one LSN on. */
export class SharedLog {
  readonly frames: SharedFrame[] = [];
  /** While it is set, nothing is confirmed. */
  isSilent = false;
  readonly #seed: number;
  readonly #afterLsn: Lsn;
  #crc = 0;

  /** @param afterLsn the last frame of the home from which all nodes began */
  constructor(dataSetId: string, afterLsn: Lsn) {
    this.#seed = frameSeed(dataSetId);
    this.#afterLsn = afterLsn;
  }

  get lastLsn(): Lsn {
    return this.#afterLsn + this.frames.length;
  }

  /** All frames after `lsn`, as one group. */
  after(lsn: Lsn): { readonly frames: Buffer; readonly lastLsn: Lsn } {
    const frames = this.frames.slice(lsn - this.#afterLsn).map(({ bytes }) => bytes);
    return { frames: Buffer.concat(frames), lastLsn: this.lastLsn };
  }

  /** Confirms a frame. */
  append(kind: number, payload: Buffer): void {
    const lsn = this.lastLsn + 1;
    const bytes = Buffer.alloc(frameBytes(payload.length));
    putFrame(bytes, 0, kind, payload);
    this.#crc = stampFrame(bytes, 0, { lsn, batch: 0, previousCrc: this.#crc }, this.#seed);
    this.frames.push({ lsn, kind, payload, bytes });
  }

  /** The frame with which a leadership begins; it changes no record. */
  appendTerm(payload: Buffer): void {
    this.append(frameKinds.term, payload);
  }
}

/** The leader's side: everything appended is confirmed in the turn after `wake`. */
export class SharedLogWriter implements WriterHost {
  readonly #log: SharedLog;
  readonly #clock: Clock;
  readonly #events: WriterEvents;
  #pending: { readonly kind: number; readonly payload: Buffer }[] = [];
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #bytes = 0;
  #groups = 0;
  #isEnded = false;

  constructor(log: SharedLog, clock: Clock, events: WriterEvents) {
    this.#log = log;
    this.#clock = clock;
    this.#events = events;
  }

  append(kind: number, payload: Uint8Array): boolean {
    this.#pending.push({ kind, payload: Buffer.from(payload) });
    return true;
  }

  wake(): void {
    this.#clock.soon(() => this.#confirm());
  }

  sync(): Promise<void> {
    if (this.#isEnded) return Promise.reject(new Error('the node was stopped'));
    this.wake();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Whether something that was appended is not confirmed. */
  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** The node was stopped: nothing more is confirmed. */
  end(): void {
    this.#isEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the node was stopped'));
  }

  async stop(): Promise<void> {}

  #confirm(): void {
    if (this.#log.isSilent) {
      this.#clock.after(10, () => this.#confirm());
      return;
    }
    if (this.#pending.length > 0) this.#groups++;
    for (const { kind, payload } of this.#pending.splice(0)) {
      this.#log.append(kind, payload);
      this.#bytes += frameBytes(payload.length);
    }
    const waiting = this.#waiting.splice(0);
    if (this.#groups > 0) {
      const { lastLsn: lsn } = this.#log;
      this.#events.progress({ lsn, bytes: this.#bytes, groups: this.#groups });
    }
    for (const { resolve } of waiting) resolve();
  }
}
