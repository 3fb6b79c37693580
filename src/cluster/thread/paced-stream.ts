// A stream that is read no faster than somebody can take what was read.

import type { Clock } from '../../platform/ports.ts';
import type {
  FollowEvents,
  OutgoingMessage,
  PublishOutcome,
  Stream,
  StreamMessage,
  StreamSequence,
  StreamState,
} from '../stream.ts';

/** How often a reader that waits looks whether there is room, in ms. */
const lookMs = 10;

/**
 * Hands out messages only while there is room. A follower that waits stops reading, so that nothing
 * gathers in this process, and goes on with the next message later.
 */
export class PacedStream implements Stream {
  readonly #stream: Stream;
  readonly #clock: Clock;
  readonly #hasCapacity: () => boolean;

  constructor(stream: Stream, clock: Clock, hasCapacity: () => boolean) {
    this.#stream = stream;
    this.#clock = clock;
    this.#hasCapacity = hasCapacity;
  }

  get generation(): number {
    return this.#stream.generation;
  }

  publish(message: OutgoingMessage, expectedLast: StreamSequence): Promise<PublishOutcome> {
    return this.#stream.publish(message, expectedLast);
  }

  async read(sequence: StreamSequence): Promise<StreamMessage | undefined> {
    while (!this.#hasCapacity()) {
      await new Promise<void>((resolve) => void this.#clock.after(lookMs, resolve));
    }
    return this.#stream.read(sequence);
  }

  state(): Promise<StreamState> {
    return this.#stream.state();
  }

  purge(sequence: StreamSequence): Promise<void> {
    return this.#stream.purge(sequence);
  }

  follow(from: StreamSequence, events: FollowEvents): { stop(): void } {
    let next = from;
    let isStopped = false;
    let current: { stop(): void } | undefined;
    const begin = (): void => {
      let isOver = false;
      const unlessOver = (tell: () => void): void => {
        if (!isOver && !isStopped) tell();
      };
      const pauseIfFull = (): void => {
        if (isOver || this.#hasCapacity()) return;
        isOver = true;
        current?.stop();
        this.#clock.after(lookMs, look);
      };
      current = this.#stream.follow(next, {
        message: (message) =>
          unlessOver(() => {
            next = message.sequence + 1;
            events.message(message);
            pauseIfFull();
          }),
        idle: () => unlessOver(() => events.idle()),
        interrupted: (reason) => unlessOver(() => events.interrupted(reason)),
        missed: (first) => unlessOver(() => events.missed(first)),
      });
      // A message may have been handed out before the call returned.
      if (isOver) current.stop();
    };
    const look = (): void => {
      if (isStopped) return;
      if (this.#hasCapacity()) begin();
      else this.#clock.after(lookMs, look);
    };
    begin();
    return {
      stop: () => {
        isStopped = true;
        current?.stop();
      },
    };
  }
}
