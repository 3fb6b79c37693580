// The log in a node's own home: it takes what the cluster has confirmed, and nothing waits for it.

import { JournalFailed, JournalStalled } from '../../../snapshots/errors.ts';
import type { WriterEvents } from '../../../snapshots/log/log-writer.ts';
import type { StampedHost } from '../../../snapshots/log/writer-host.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import type { LogPoint } from '../stream.ts';

/** Confirmed frames, whole and stamped. */
export interface ConfirmedFrames {
  readonly frames: Buffer;
  readonly last: LogPoint;
}

/** Reads confirmed frames once more. */
export interface FrameSource {
  /**
   * The frames that follow this point; undefined if there are none yet, and `purged` if they are
   * gone. May reject, and is then asked again.
   */
  next(after: LogPoint): Promise<ConfirmedFrames | 'purged' | undefined>;
}

/** What a local log is made of. */
export interface LocalLogOptions {
  /** Where the log of the home ends. */
  readonly after: LogPoint;
  readonly open: (events: WriterEvents) => StampedHost;
  /** Bytes that may wait for the disk in memory. */
  readonly bytesMax: number;
  /** Begins to read again from the present place in the stream, or a little before it. */
  readonly source: () => FrameSource;
  readonly clock: Clock;
  /** Called when `trouble` has changed. */
  readonly changed: () => void;
}

/** Pause before the log is refilled, and between two tries, in ms. */
const refillMs = 250;

/** A disk that has taken nothing for so long while something waits for it stalls. */
const silentDiskMs = 5000;

/**
 * The log of the home behind the cluster (behaviour/cluster#local-log). If its disk takes no more,
 * it falls behind, and reads what it missed from the stream later.
 */
export class LocalLog {
  readonly #options: LocalLogOptions;
  readonly #host: StampedHost;
  /** The last frame that was handed to the writer. */
  #appended: LogPoint;
  /** The last frame that is confirmed. */
  #confirmed: LogPoint;
  #appendedBytes = 0;
  #writtenBytes = 0;
  /** Monotonic ms at which the disk took something, or began to be waited for. */
  #waitingSinceMs = 0;
  #stalled: string | undefined;
  #lost: string | undefined;
  /** Reads what was missed; undefined while nothing was. */
  #source: FrameSource | undefined;
  #timer: Timer | undefined;
  #waiting: ((error: JournalStalled | JournalFailed) => void)[] = [];

  constructor(options: LocalLogOptions) {
    this.#options = options;
    this.#appended = this.#confirmed = options.after;
    this.#host = options.open({
      progress: ({ bytes }) => {
        this.#writtenBytes = bytes;
        this.#waitingSinceMs = options.clock.monotonic();
      },
      stalled: (reason) => this.#stall(reason),
      resumed: () => this.#resume(),
      failed: (reason) => this.#lose(reason),
      // A leader writes to the stream, so its own disk refuses nothing.
      space: () => undefined,
    });
  }

  /** Why it does not hold what is confirmed; undefined if all is well. */
  get trouble(): string | undefined {
    if (this.#lost !== undefined) return `the local log is given up: ${this.#lost}`;
    if (this.#stalled !== undefined) return `the local log is stalled: ${this.#stalled}`;
    // A disk that hangs reports nothing.
    if (this.#isSilent()) return 'the local log is stalled: its disk does not answer';
    if (this.#source === undefined) return undefined;
    return `the local log is behind: it ends at LSN ${this.#appended.lsn}`;
  }

  /** Takes the next confirmed frames. Never waits and never throws. */
  take({ frames, last }: ConfirmedFrames): void {
    this.#confirmed = last;
    if (this.#lost !== undefined || this.#source !== undefined) return;
    if (!this.#append(frames, last)) this.#fallBehind();
  }

  /**
   * Resolves when all that was taken so far is durable in the home.
   * @throws JournalStalled while that cannot be had; JournalFailed
   */
  sync(): Promise<void> {
    const { trouble } = this;
    if (trouble !== undefined) return Promise.reject(new JournalStalled(trouble));
    return new Promise((resolve, reject) => {
      this.#waiting.push(reject);
      this.#host
        .sync()
        .then(resolve, reject)
        .finally(() => {
          this.#waiting = this.#waiting.filter((waiting) => waiting !== reject);
        });
    });
  }

  /** Writes what was taken, unless it is stalled, and ends. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#lost ??= 'it was closed';
    await this.#host.stop();
  }

  #append(frames: Buffer, last: LogPoint): boolean {
    const pendingBytes = this.#appendedBytes - this.#writtenBytes;
    // A group that is larger than the bound alone has to be taken when nothing else waits.
    if (pendingBytes > 0 && pendingBytes + frames.length > this.#options.bytesMax) return false;
    if (!this.#host.appendStamped(frames)) return false;
    if (pendingBytes === 0) this.#waitingSinceMs = this.#options.clock.monotonic();
    this.#appendedBytes += frames.length;
    this.#appended = last;
    this.#host.wake();
    return true;
  }

  #fallBehind(): void {
    this.#source = this.#options.source();
    this.#options.changed();
    this.#refillLater();
  }

  #refillLater(): void {
    this.#timer = this.#options.clock.after(refillMs, () => void this.#refill());
  }

  async #refill(): Promise<void> {
    try {
      while (this.#isBehind()) {
        const found = await this.#source?.next(this.#appended);
        if (this.#lost !== undefined) return;
        if (found === 'purged') {
          this.#lose(`what follows LSN ${this.#appended.lsn} is no longer in the stream`);
          return;
        }
        // What is in the stream may not be confirmed to this node yet.
        if (found === undefined || found.last.lsn > this.#confirmed.lsn) break;
        if (!this.#append(found.frames, found.last)) break;
      }
    } catch {
      // The stream tells its own trouble; it is asked again.
    }
    if (this.#lost !== undefined) return;
    if (this.#isBehind()) return this.#refillLater();
    this.#source = undefined;
    this.#options.changed();
  }

  #isSilent(): boolean {
    if (this.#appendedBytes === this.#writtenBytes) return false;
    return this.#options.clock.monotonic() - this.#waitingSinceMs >= silentDiskMs;
  }

  // A method, because it changes while something is awaited.
  #isBehind(): boolean {
    return this.#appended.lsn < this.#confirmed.lsn;
  }

  #stall(reason: string): void {
    if (this.#stalled === reason) return;
    this.#stalled = reason;
    this.#rejectWaiting(new JournalStalled(this.trouble ?? reason));
    this.#options.changed();
  }

  #resume(): void {
    this.#stalled = undefined;
    this.#options.changed();
  }

  #lose(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    this.#timer?.cancel();
    this.#rejectWaiting(new JournalFailed(reason));
    this.#options.changed();
  }

  #rejectWaiting(error: JournalStalled | JournalFailed): void {
    for (const reject of this.#waiting.splice(0)) reject(error);
  }
}
