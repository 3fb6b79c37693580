// What one consumer has delivered so far.

import type { Msg } from '@nats-io/transport-node';
import type { Clock } from '../../platform/ports.ts';
import type { StreamSequence } from '../stream.ts';
import { placeOf } from './delivered-place.ts';

/** What came in. */
export type Seen =
  | { readonly kind: 'message'; readonly sequence: StreamSequence; readonly timeMs: number }
  /** The server has nothing to deliver, and everything that it delivered has come in. */
  | { readonly kind: 'heartbeat' }
  /** Something that was delivered has not come in. */
  | { readonly kind: 'gap' }
  /** The server has ended the consumer. */
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'nothing' };

/** Counts what a consumer delivers, and answers its flow control. */
export class Delivery {
  readonly #clock: Clock;
  readonly #answer: (subject: string) => void;
  #delivered = 0;
  #heardAtMs: number;
  #isAsking = false;
  #heartbeats = 0;

  /** @param answer sends an empty message: the answer to a request of flow control */
  constructor(clock: Clock, answer: (subject: string) => void) {
    this.#clock = clock;
    this.#answer = answer;
    this.#heardAtMs = clock.monotonic();
  }

  /** How long nothing has come in, in ms. */
  silentMs(): number {
    return this.#clock.monotonic() - this.#heardAtMs;
  }

  /** Heartbeats since the last message. */
  staleHeartbeats(): number {
    return this.#heartbeats;
  }

  /** Whether the stream's leader may be asked now: it is asked one question at a time. */
  beginsAsking(): boolean {
    if (this.#isAsking) return false;
    this.#isAsking = true;
    return true;
  }

  endsAsking(): void {
    this.#isAsking = false;
  }

  take(message: Msg): Seen {
    this.#heardAtMs = this.#clock.monotonic();
    const place = placeOf(message.reply);
    if (place === undefined) return this.#takeStatus(message);
    this.#heartbeats = 0;
    if (place.delivery !== this.#delivered + 1) return { kind: 'gap' };
    this.#delivered = place.delivery;
    return { kind: 'message', sequence: place.sequence, timeMs: place.timeMs };
  }

  #takeStatus(message: Msg): Seen {
    const { headers } = message;
    const status = headers?.code ?? 0;
    if (status !== 100) {
      const reason = headers?.description ?? '';
      return { kind: 'ended', reason: `the consumer has ended: ${reason}`.slice(0, 100) };
    }
    // A request of flow control, or a heartbeat that repeats one that is not answered yet.
    const asked = message.reply || headers?.get('Nats-Consumer-Stalled');
    if (asked) this.#answer(asked);
    const delivered = headers?.get('Nats-Last-Consumer') ?? '';
    if (delivered === '') return { kind: 'nothing' };
    if (Number(delivered) !== this.#delivered) return { kind: 'gap' };
    this.#heartbeats += 1;
    return { kind: 'heartbeat' };
  }
}
