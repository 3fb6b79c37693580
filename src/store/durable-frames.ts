// Tells when frames are durable, in the order of the log.

import type { Journal, Lsn } from '../../snapshots/journal.ts';
import type { AnswerGate } from '../cluster/answer-gate.ts';
import type { Clock } from '../ports.ts';

/** The sources of a port. */
export interface DurableFramesOptions {
  readonly journal: Pick<Journal, 'durableLsn' | 'onDurable'>;
  readonly clock: Clock;
  /** How long a waiter that gives up waits for a stalled log, in ms. */
  readonly lateMs: number;
  /** On a node of a cluster, waiters wait for this, too. */
  readonly gate?: AnswerGate | undefined;
}

/** One waiter. Its functions are called at most once, and only one of them. */
export interface DurableWait {
  readonly lsn: Lsn;
  readonly durable: () => void;
  /**
   * Called instead of `durable` after `lateMs`; without it, the waiter waits as long as it takes.
   */
  readonly late: (() => void) | undefined;
  /** Monotonic ms. */
  readonly sinceMs: number;
}

/**
 * The port by which everything learns that a frame is durable: answers, readers of the log. There
 * is one per controller. Waiters are called by ascending LSN, those of one LSN in the order in
 * which they came.
 */
export class DurableFrames {
  readonly #journal: DurableFramesOptions['journal'];
  readonly #clock: Clock;
  readonly #lateMs: number;
  readonly #gate: AnswerGate | undefined;
  #waiting: DurableWait[] = [];
  #isTelling = false;
  #isWatching = false;
  /** Whether the gate will tell when it is open. */
  #isAtGate = false;

  constructor({ journal, clock, lateMs, gate }: DurableFramesOptions) {
    this.#journal = journal;
    this.#clock = clock;
    this.#lateMs = lateMs;
    this.#gate = gate;
    journal.onDurable(() => this.#tell());
  }

  /** The newest frame that is durable. */
  get lsn(): Lsn {
    return this.#journal.durableLsn;
  }

  /** Whether an answer may leave that depends on nothing that is not durable. */
  get mayLeave(): boolean {
    return this.#gate === undefined || this.#gate.isOpen;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Calls `durable` at once when frame `lsn` is durable, else when it becomes so; on a node of a
   * cluster once it may answer, too.
   * @returns the waiter for `cancel`; undefined when nothing is left to wait for
   */
  when(lsn: Lsn, durable: () => void, late?: () => void): DurableWait | undefined {
    if (lsn <= this.lsn && !this.#isTelling && this.#isFree) {
      durable();
      return undefined;
    }
    const wait = { lsn, durable, late, sinceMs: this.#clock.monotonic() };
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1]?.lsn ?? 0) > lsn) at -= 1;
    this.#waiting.splice(at, 0, wait);
    if (late !== undefined) this.#watch();
    if (lsn <= this.lsn && !this.#isTelling) this.#waitAtGate();
    return wait;
  }

  /** Calls neither function of a waiter. */
  cancel(wait: DurableWait): void {
    this.#waiting = this.#waiting.filter((other) => other !== wait);
  }

  /** Whether the gate is open, and nobody who came before is held by it. */
  get #isFree(): boolean {
    return this.#gate === undefined || (!this.#isAtGate && this.#gate.isOpen);
  }

  #waitAtGate(): void {
    if (this.#isAtGate || this.#gate === undefined) return;
    this.#isAtGate = true;
    this.#gate.onceOpen(() => {
      this.#isAtGate = false;
      this.#tell();
    });
  }

  #tell(): void {
    this.#isTelling = true;
    try {
      for (;;) {
        const [next] = this.#waiting;
        if (next === undefined || next.lsn > this.lsn) return;
        if (!this.#isFree) {
          this.#waitAtGate();
          return;
        }
        this.#waiting.shift();
        next.durable();
      }
    } finally {
      this.#isTelling = false;
    }
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#clock.after(this.#lateMs / 10, () => {
      this.#isWatching = false;
      const oldestMs = this.#clock.monotonic() - this.#lateMs;
      const isLate = ({ late, sinceMs }: DurableWait) => late !== undefined && sinceMs <= oldestMs;
      const late = this.#waiting.filter(isLate);
      if (late.length > 0) this.#waiting = this.#waiting.filter((wait) => !isLate(wait));
      for (const wait of late) wait.late?.();
      if (this.#waiting.some((wait) => wait.late !== undefined)) this.#watch();
    });
  }
}
