// Tells when frames are durable, in the order of the log.

import type { Journal, Lsn } from '../../snapshots/journal.ts';
import type { AnswerGate } from '../cluster/log/answer-gate.ts';
import type { Clock } from '../platform/ports.ts';

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
  /** Those that wait for the log to confirm what they have read, in their order. */
  readonly #unconfirmed = new Set<DurableWait>();
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

  /** Whether an answer may leave at once that depends on nothing that is not durable. */
  get mayLeave(): boolean {
    return this.#gate === undefined || (this.#gate.isOpen && !this.#gate.confirmsReads);
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.length + this.#unconfirmed.size;
  }

  /**
   * Calls `durable` at once when frame `lsn` is durable, else when it becomes so; on a node of a
   * cluster once it may answer, too.
   * @returns the waiter for `cancel`; undefined when nothing is left to wait for
   */
  when(lsn: Lsn, durable: () => void, late?: () => void): DurableWait | undefined {
    const isConfirmed = this.#gate?.confirmsReads !== true;
    if (isConfirmed && lsn <= this.lsn && !this.#isTelling && this.#isFree) {
      durable();
      return undefined;
    }
    const wait = { lsn, durable, late, sinceMs: this.#clock.monotonic() };
    if (isConfirmed) {
      this.#enter(wait);
      if (lsn <= this.lsn && !this.#isTelling) this.#waitAtGate();
    } else this.#awaitConfirmation(wait);
    if (late !== undefined) this.#watch();
    return wait;
  }

  /** Calls neither function of a waiter. */
  cancel(wait: DurableWait): void {
    this.#unconfirmed.delete(wait);
    this.#waiting = this.#waiting.filter((other) => other !== wait);
  }

  /**
   * The log confirms first, and waiters in the order in which they came; only then it counts on
   * which frame one depends. So readers that come one after the other hold up no writer.
   */
  #awaitConfirmation(wait: DurableWait): void {
    const gate = this.#gate;
    if (gate === undefined) return;
    this.#unconfirmed.add(wait);
    gate.onceConfirmed(gate.stamp(), () => {
      if (!this.#unconfirmed.delete(wait)) return;
      this.#enter(wait);
      this.#tell();
    });
  }

  #enter(wait: DurableWait): void {
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1]?.lsn ?? 0) > wait.lsn) at -= 1;
    this.#waiting.splice(at, 0, wait);
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
    if (this.#isTelling) return;
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
      const late = [...this.#unconfirmed, ...this.#waiting].filter(isLate);
      for (const wait of late) this.#unconfirmed.delete(wait);
      if (late.length > 0) this.#waiting = this.#waiting.filter((wait) => !isLate(wait));
      for (const wait of late) wait.late?.();
      const left = [...this.#unconfirmed, ...this.#waiting];
      if (left.some((wait) => wait.late !== undefined)) this.#watch();
    });
  }
}
