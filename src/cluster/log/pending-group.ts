// A group that was published and is not yet confirmed: its message, and what is known of it.

import { timingSafeEqual } from 'node:crypto';
import type {
  Group,
  OutgoingMessage,
  PublishOutcome,
  StreamMessage,
  StreamSequence,
} from '../stream.ts';
import { groupMessage, macBytesOf } from './group-message.ts';

/** When something was sent, on both clocks of the machine, in ms. */
export interface SendTime {
  readonly monotonicMs: number;
  readonly wallMs: number;
  /** The last read that was asked for by then; the message confirms it. */
  readonly readsRequested: number;
}

/** One group on its way. All its copies have the same bytes. */
export class PendingGroup {
  readonly group: Group;
  readonly sequence: StreamSequence;
  readonly firstSent: SendTime;
  readonly message: OutgoingMessage;
  #state: 'sent' | 'open' | 'taken' = 'sent';
  #attempts = 0;
  #reason = '';

  constructor(group: Group, sequence: StreamSequence, key: Uint8Array, firstSent: SendTime) {
    this.group = group;
    this.sequence = sequence;
    this.firstSent = firstSent;
    this.message = groupMessage(group, sequence, key);
  }

  /**
   * - `sent`: no answer has come yet.
   * - `open`: the answer to the last copy says nothing; the stream has to be read.
   * - `taken`: it is in the stream.
   */
  get state(): 'sent' | 'open' | 'taken' {
    return this.#state;
  }

  /** Copies that were sent. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Why it is open. */
  get reason(): string {
    return this.#reason;
  }

  /** One more copy leaves; its number. */
  begin(): number {
    if (this.#state === 'open') this.#state = 'sent';
    this.#attempts += 1;
    return this.#attempts;
  }

  /** The answer to a copy. Only that to the last one can leave it open. */
  hear(attempt: number, outcome: PublishOutcome): void {
    if (outcome.outcome === 'acknowledged') this.take();
    else if (attempt === this.#attempts && this.#state === 'sent') {
      this.#state = 'open';
      const { sequence } = this;
      this.#reason =
        outcome.outcome === 'unknown' ? outcome.reason : `message ${sequence} is refused`;
    }
  }

  /** It was found in the stream. */
  take(): void {
    this.#state = 'taken';
  }

  /** Whether a message whose MAC is right is this one. */
  is(message: StreamMessage): boolean {
    const [own, other] = [macBytesOf(this.message.headers), macBytesOf(message.headers)];
    return own.length === other.length && timingSafeEqual(own, other);
  }
}
