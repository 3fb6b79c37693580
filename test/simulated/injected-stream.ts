// The far end of an answer that goes on: a peer that reads, or lets it pile up.

import type { ReplyStream } from '../../src/platform/http-exchange.ts';
import type { InjectedAnswer } from './inject.ts';

/** Both ends of such an answer. */
export class InjectedStream implements ReplyStream {
  /** Status and headers. */
  readonly head: InjectedAnswer;
  /** All that was sent. */
  text = '';
  isOver: boolean;
  /** How much more the peer takes, in characters; it takes all unless a test says so. */
  #room = Number.POSITIVE_INFINITY;
  #isBlocked = false;
  #drain: () => void = () => {};
  #gone: () => void = () => {};

  constructor(head: InjectedAnswer, isOver: boolean) {
    this.head = head;
    this.isOver = isOver;
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.isOver) return false;
    if (this.#isBlocked) throw new Error('written to before the peer kept up');
    const text = Buffer.from(chunk as Uint8Array).toString();
    this.text += text;
    this.#room -= text.length;
    this.#isBlocked = this.#room <= 0;
    return !this.#isBlocked;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
  }

  end(): void {
    this.isOver = true;
  }

  /** From now on the peer takes `room` characters; the chunk that goes beyond them is the last. */
  takes(room: number): void {
    this.#room = room;
    if (!this.#isBlocked || room <= 0 || this.isOver) return;
    this.#isBlocked = false;
    this.#drain();
  }

  /** The peer leaves. */
  leave(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#gone();
  }
}
