// Audit feeds: pages of the kept log, then each frame as it becomes durable, as server-sent events
// (WHATWG HTML, "Server-sent events").

import type { Journal, Lsn } from '../../../../snapshots/journal.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { Log } from '../../../observe/logs.ts';
import type { ReplyStream } from '../../../platform/http-exchange.ts';
import type { Clock, Timer } from '../../../platform/ports.ts';
import { type BoundValues, boundsOf } from '../../../settings/bounds.ts';
import type { Limits } from '../../../settings/limits.ts';
import type { FramePage } from '../../messages.ts';
import type { LogReader } from './log-reader.ts';

/** The sources of feeds. */
export interface AuditFeedOptions {
  readonly reader: Pick<LogReader, 'frames'>;
  readonly journal: Pick<Journal, 'durableLsn' | 'onDurable'>;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'auditStreamsMax' | 'idleTimeoutMs'>;
  readonly bounds?: BoundValues | undefined;
  readonly log: Log;
}

/** One requested feed. */
export interface AuditOrder {
  readonly fromLsn: Lsn;
  readonly kind: string | undefined;
  readonly id: string | undefined;
  /** Whether the caller may still read it. It is called before anything is sent. */
  isEntitled(): boolean;
}

/** The audit feeds of one controller. */
export class AuditFeed {
  readonly #options: AuditFeedOptions;
  readonly #readers = new Set<AuditReader>();
  #isStopped = false;

  constructor(options: AuditFeedOptions) {
    this.#options = options;
    options.journal.onDurable(() => {
      for (const reader of this.#readers) reader.wake();
    });
  }

  /** The number of open feeds. */
  get size(): number {
    return this.#readers.size;
  }

  /** LSN of the frame that is written next. */
  get nextLsn(): Lsn {
    return this.#options.journal.durableLsn + 1;
  }

  /** @throws ApiError RATE_LIMITED when the bound on open feeds is reached. */
  refuseTooMany(): void {
    if (this.size < this.#options.limits.auditStreamsMax) return;
    throw new ApiError('RATE_LIMITED', { message: 'Too many audit feeds are open.' });
  }

  /** Sends `order` to `stream`, which ends with the peer, the right to read, or the controller. */
  open(order: AuditOrder, stream: ReplyStream): void {
    if (this.#isStopped) {
      stream.end();
      return;
    }
    const reader = new AuditReader(this.#options, order, stream, () => {
      this.#readers.delete(reader);
    });
    this.#readers.add(reader);
    reader.start();
  }

  /** Ends them all. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const reader of [...this.#readers]) reader.end();
  }
}

/** One open feed. */
class AuditReader {
  readonly #options: AuditFeedOptions;
  readonly #order: AuditOrder;
  readonly #stream: ReplyStream;
  readonly #left: () => void;
  readonly #gone = new AbortController();
  #nextLsn: Lsn;
  #isReading = false;
  #isBlocked = false;
  /** A page that arrived when the peer had just stopped reading. */
  #held = '';
  #isOver = false;
  #reading: Timer | undefined;
  #comment: Timer | undefined;

  constructor(options: AuditFeedOptions, order: AuditOrder, stream: ReplyStream, left: () => void) {
    this.#options = options;
    this.#order = order;
    this.#stream = stream;
    this.#left = left;
    this.#nextLsn = order.fromLsn;
    stream.onDrain(() => this.#guarded(() => this.#goOn()));
    stream.onGone(() => this.#leave());
  }

  start(): void {
    this.#guarded(() => {
      this.#write(`retry: ${retryMs}\n\n`);
      if (this.#isOver) return;
      this.#commentLater();
      this.#readSoon(0);
    });
  }

  /** More frames are durable. */
  wake(): void {
    this.#guarded(() => this.#readSoon(auditGatherMs));
  }

  end(): void {
    this.#stream.end();
    this.#leave();
  }

  /** Called by timers and the server, where a thrown error would end the process. */
  #guarded(task: () => void): void {
    try {
      task();
    } catch (err) {
      this.#fail(err);
    }
  }

  #fail(err: unknown): void {
    if (this.#isOver) return;
    this.#options.log.error({ err }, 'an audit feed failed and was ended');
    this.#leave();
    try {
      this.#stream.end();
    } catch {
      // Only the first failure is reported, because the feed has ended then.
    }
  }

  #goOn(): void {
    this.#isBlocked = false;
    const held = this.#held;
    this.#held = '';
    this.#write(held);
    this.#readSoon(0);
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reading?.cancel();
    this.#comment?.cancel();
    this.#gone.abort();
    this.#left();
  }

  get #hasMore(): boolean {
    return this.#nextLsn <= this.#options.journal.durableLsn;
  }

  /** Nothing is read from the log while the peer does not read. */
  #readSoon(delayMs: number): void {
    if (this.#isOver || this.#isReading || this.#isBlocked || !this.#hasMore) return;
    const { clock } = this.#options;
    if (delayMs === 0) clock.soon(() => void this.#read());
    else {
      this.#reading ??= clock.after(delayMs, () => {
        this.#reading = undefined;
        void this.#read();
      });
    }
  }

  async #read(): Promise<void> {
    if (this.#isOver || this.#isReading || this.#isBlocked || !this.#hasMore) return;
    this.#isReading = true;
    const from = this.#nextLsn;
    let restMs = 0;
    try {
      const page = await this.#page(from);
      if (this.#isOver) return;
      this.#nextLsn = page.nextLsn;
      this.#write(textOf(page, from));
      // At the level `memory` a frame counts as durable before it is in the file.
      if (page.nextLsn === from) restMs = retryMs;
    } catch (err) {
      if (this.#isOver) return;
      const isBusy = err instanceof ApiError && err.code === 'RATE_LIMITED';
      if (!isBusy) this.#fail(err);
      restMs = retryMs;
    } finally {
      this.#isReading = false;
    }
    this.#guarded(() => this.#readSoon(restMs));
  }

  #page(fromLsn: Lsn): Promise<FramePage> {
    const { reader, journal, bounds } = this.#options;
    const { kind, id } = this.#order;
    const { auditPageBytes: bytesMax } = boundsOf(pageBounds, bounds);
    const order = { fromLsn, toLsn: journal.durableLsn, kind, id, bytesMax };
    return reader.frames(order, this.#gone.signal);
  }

  #write(text: string): void {
    if (!this.#order.isEntitled()) {
      this.end();
      return;
    }
    if (this.#isBlocked) this.#held += text;
    else if (text !== '') this.#isBlocked = !this.#stream.write(text);
  }

  /** Sends a sign of life and the position, because a filter may match nothing for a long time. */
  #commentLater(): void {
    const { clock, limits } = this.#options;
    const everyMs = Math.min(auditCommentMs, limits.idleTimeoutMs / 3);
    this.#comment = clock.after(everyMs, () => {
      this.#guarded(() => {
        this.#write(this.#isBlocked ? '' : `:\nid: ${this.#nextLsn - 1}\n\n`);
        if (!this.#isOver) this.#commentLater();
      });
    });
  }
}

/** The delay until a disconnected reader reconnects, and until a failed read is tried again. */
const retryMs = 1000;

function textOf(page: FramePage, fromLsn: Lsn): string {
  let text = '';
  if (page.oldestLsn > fromLsn) {
    const gone = { fromLsn, toLsn: page.oldestLsn - 1 };
    text += `event: gone\nid: ${gone.toLsn}\ndata: ${JSON.stringify(gone)}\n\n`;
  }
  for (const line of page.lines) text += `id: ${lsnOf(line)}\ndata: ${line}\n\n`;
  return text;
}

/** Every line begins with this: `{"lsn":12,`. */
function lsnOf(line: string): Lsn {
  return Number.parseInt(line.slice('{"lsn":'.length), 10);
}

const pageBounds = {
  /** Text that an audit feed reads and sends at a time. @bound per connection */
  auditPageBytes: 64 * 1024,
};

/** An audit feed gathers frames this long: at 10,000 per second it reads 500. @bound */
const auditGatherMs = 50;

/** Between signs of life on an audit feed; sooner if `idleTimeoutMs` asks for it. @bound */
export const auditCommentMs = 15_000;
