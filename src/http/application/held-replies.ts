// Holds answers until the log is durable: each is sent once everything it depends on is durable.

import type { Journal, Lsn } from '../../../snapshots/journal.ts';
import type { Clock } from '../../ports.ts';

interface Held {
  readonly lsn: Lsn;
  readonly since: number;
  readonly send: () => void;
  readonly giveUp: () => void;
}

/** Bounds of waiting answers. */
export interface HeldRepliesOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  /** How long an answer waits for a stalled log. */
  readonly waitMs: number;
}

/** The waiting answers of one controller. */
export class HeldReplies {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #waitMs: number;
  #held: Held[] = [];
  #watching = false;

  constructor(options: HeldRepliesOptions) {
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#waitMs = options.waitMs;
    options.journal.onDurable((lsn) => this.#release(lsn));
  }

  /** How many answers wait. */
  get size(): number {
    return this.#held.length;
  }

  /**
   * Sends at once when `lsn` is durable, else when it becomes so; `giveUp` answers after `waitMs`
   * instead.
   */
  hold(lsn: Lsn, send: () => void, giveUp: () => void): void {
    if (lsn <= this.#journal.durableLsn) {
      send();
      return;
    }
    this.#held.push({ lsn, since: this.#clock.monotonic(), send, giveUp });
    this.#watch();
  }

  #release(durable: Lsn): void {
    const waiting: Held[] = [];
    const ready: Held[] = [];
    for (const held of this.#held) (held.lsn <= durable ? ready : waiting).push(held);
    this.#held = waiting;
    for (const held of ready) held.send();
  }

  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.#clock.after(this.#waitMs / 10, () => {
      this.#watching = false;
      const oldest = this.#clock.monotonic() - this.#waitMs;
      const late = this.#held.filter((held) => held.since <= oldest);
      if (late.length > 0) this.#held = this.#held.filter((held) => held.since > oldest);
      for (const held of late) held.giveUp();
      if (this.#held.length > 0) this.#watch();
    });
  }
}
