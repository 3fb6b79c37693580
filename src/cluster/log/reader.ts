// Reads the stream in order and hands the frames of the other nodes to the main thread.

import type { Clock } from '../../platform/ports.ts';
import type { Place } from '../node/resume-point.ts';
import { ServerTime } from '../node/server-time.ts';
import { Silence } from '../node/silence.ts';
import type { Group, LogPoint, Stream, StreamMessage, StreamSequence, Term } from '../stream.ts';
import { GroupChain } from './group-chain.ts';
import type { GroupTrust } from './group-message.ts';

/** Checksums of the ends of recent groups that are kept, to compare other nodes with. @bound */
const pointsMax = 1024;

/** What a reader is made of. */
export interface ReaderOptions {
  readonly stream: Stream;
  readonly trust: GroupTrust;
  readonly clock: Clock;
  readonly events: ReaderEvents;
}

/** What a reader tells. */
export interface ReaderEvents {
  /** Frames that the main thread does not have yet. */
  apply(frames: Buffer, last: LogPoint): void;
  /** A message came; its frames were handed on. Undefined for one that is passed over. */
  message(group: Group | undefined): void;
  /** A message is wrong; nothing more is read. */
  wrong(error: unknown): void;
  /** The next message was purged. */
  missed(): void;
}

/** How far a node has come in the stream (behaviour/cluster#following). */
export class Reader {
  readonly silence: Silence;
  readonly serverTime: ServerTime;
  readonly #options: ReaderOptions;
  readonly #points = new Map<number, number>();
  #chain: GroupChain;
  #sequence: StreamSequence = 0;
  #last: LogPoint = { lsn: 0, crc: 0 };
  #term: Term = 0;
  #follow: { stop(): void } | undefined;
  /** Whether the end was reached, so that messages come when they are written. */
  #isLive = false;
  #lagMs = 0;
  #takeovers = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#chain = new GroupChain(options.trust, this.#last);
    this.silence = new Silence(options.clock);
    this.serverTime = new ServerTime(options.clock);
  }

  /** The last message that was read, or that is confirmed. */
  get sequence(): StreamSequence {
    return this.#sequence;
  }

  /** The last frame up to there. */
  get last(): LogPoint {
    return this.#last;
  }

  /** The term of the last message that was not passed over; 0 before the first. */
  get term(): Term {
    return this.#term;
  }

  /** How long the last message had been in the stream when its frames were handed on, in ms. */
  get lagMs(): number {
    return this.#lagMs;
  }

  /** Terms that have begun since the start. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** The checksum of a frame at the end of a recent group. */
  crcAt(lsn: number): number | undefined {
    return this.#points.get(lsn);
  }

  /** Begins at a place in the stream; the home ends with `home`. */
  begin({ sequence, message }: Place, home: LogPoint): void {
    this.#chain = new GroupChain(this.#options.trust, home);
    this.#last = home;
    this.#sequence = message === undefined ? sequence : sequence - 1;
    this.#note(home);
    this.follow();
    if (message === undefined) this.silence.message(false);
    else this.#take(message);
    this.#takeovers = 0;
  }

  /** Reads on behind the last message, also after `stop`. */
  follow(): void {
    this.#follow?.stop();
    this.#isLive = false;
    this.#follow = this.#options.stream.follow(this.#sequence + 1, {
      message: (message) => this.#take(message),
      idle: () => {
        this.#isLive = true;
        this.silence.answered();
      },
      // Only this reader has lost contact; whether the stream answers, the node asks by itself.
      interrupted: () => {
        this.#isLive = false;
      },
      missed: () => this.#options.events.missed(),
    });
  }

  /** Reads no more. */
  stop(): void {
    this.#follow?.stop();
    this.#follow = undefined;
  }

  /**
   * Reads up to a message from the stream's leader, in case that the consumer is late.
   * @throws StreamUnreachable
   */
  async catchUp(last: StreamSequence): Promise<void> {
    while (this.#follow !== undefined && this.#sequence < last) {
      const message = await this.#options.stream.read(this.#sequence + 1);
      // It is not there any more: the consumer will tell what to do.
      if (message === undefined) return;
      if (this.#follow !== undefined) this.#take(message);
    }
  }

  /** A group of this process is confirmed. */
  advance(group: Group, sequence: StreamSequence): void {
    this.#lagMs = 0;
    this.#moveTo(group, sequence);
  }

  #take(message: StreamMessage): void {
    const { clock, events } = this.#options;
    const { sequence, serverTimeMs } = message;
    if (sequence <= this.#sequence) return;
    let chained: ReturnType<GroupChain['next']>;
    try {
      chained = this.#chain.next(message);
    } catch (error) {
      this.stop();
      events.wrong(error);
      return;
    }
    if (this.#isLive) this.serverTime.sample(serverTimeMs, clock.monotonic());
    this.#lagMs = this.serverTime.ageMs(serverTimeMs);
    this.#sequence = sequence;
    this.silence.message(chained?.group.kind === 'resign');
    if (chained !== undefined) {
      this.#moveTo(chained.group, sequence);
      if (chained.frames.length > 0) events.apply(chained.frames, chained.group.last);
    }
    events.message(chained?.group);
  }

  #moveTo(group: Group, sequence: StreamSequence): void {
    if (group.term !== this.#term) this.#takeovers += 1;
    this.#term = group.term;
    this.#sequence = sequence;
    // A home may end in the middle of the group that is read first.
    if (group.last.lsn > this.#last.lsn) this.#last = group.last;
    this.#note(this.#last);
  }

  #note({ lsn, crc }: LogPoint): void {
    this.#points.set(lsn, crc);
    if (this.#points.size <= pointsMax) return;
    const [oldest] = this.#points.keys();
    if (oldest !== undefined) this.#points.delete(oldest);
  }
}
