// Tells a node that follows when it may answer a read from its own memory: once it has applied
// everything that was confirmed when the read arrived (behaviour/cluster#reads).

import type { Lsn } from '../../../snapshots/journal.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import { type NextRun, onceATurn } from '../../turns/once-a-turn.ts';

/** The answer of a leader that is asked how far a read has to wait. */
export interface ReadPosition {
  /** All that anybody can have seen when the leader heard the question has at most this LSN. */
  readonly lsn: Lsn;
  /** The last frame that the leader knew to be confirmed. A node that lacks it is behind. */
  readonly confirmedLsn: Lsn;
}

/** The options of a read index. */
export interface ReadIndexOptions {
  readonly clock: Clock;
  /** The last frame that this node has applied. */
  readonly appliedLsn: () => Lsn;
  /**
   * Sends one question to the leader. `answered` is called in a later turn, once: with undefined if
   * the node that was asked does not lead, or the question was lost. False if nobody can be asked.
   */
  readonly ask: (answered: (position: ReadPosition | undefined) => void) => boolean;
  /** The most reads that wait. */
  readonly waitingMax: number;
}

/** How long a position may stay ahead of what is applied, in ms. @bound per request */
export const behindMsMax = 100;

/**
 * Who answers a read.
 * - `current`: this node.
 * - `behind`: the leader, because this node lacks confirmed frames, or too many reads wait here.
 * - `unheard`: the leader, because it gave no answer, or its writes were not confirmed in time.
 */
export type ReadStanding = 'current' | 'behind' | 'unheard';

type Settled = (standing: ReadStanding) => void;

/**
 * At most one question is under way. It serves the reads that arrived before it was sent, never a
 * later one, because a position that is older than a read may miss what the read has to see.
 */
export class ReadIndex {
  readonly #options: ReadIndexOptions;
  /** Reads that no question was sent for. */
  #arrived: Settled[] = [];
  #isAsked = false;
  /** A later turn, so that a question serves all that arrive in this one. */
  readonly #nextQuestion: NextRun;
  /** Reads with a position that is not applied yet, by ascending LSN. */
  readonly #behind: { readonly lsn: Lsn; readonly reads: Settled[]; readonly late: Timer }[] = [];
  #waiting = 0;

  constructor(options: ReadIndexOptions) {
    this.#options = options;
    this.#nextQuestion = onceATurn(options.clock, () => this.#ask());
  }

  /** How many reads wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Calls `then` once, in a later turn unless the leader has to answer. */
  onceSettled(then: Settled): void {
    if (this.#waiting >= this.#options.waitingMax) {
      then('behind');
      return;
    }
    this.#waiting += 1;
    this.#arrived.push(then);
    if (!this.#isAsked) this.#nextQuestion.request();
  }

  /** Must be called after frames were applied. */
  applied(): void {
    const appliedLsn = this.#options.appliedLsn();
    for (let [first] = this.#behind; first !== undefined; [first] = this.#behind) {
      if (first.lsn > appliedLsn) return;
      this.#behind.shift();
      first.late.cancel();
      this.#settle(first.reads, 'current');
    }
  }

  #ask(): void {
    const reads = this.#arrived;
    this.#arrived = [];
    this.#isAsked = this.#options.ask((position) => {
      this.#isAsked = false;
      this.#answered(reads, position);
      if (this.#arrived.length > 0) this.#nextQuestion.request();
    });
    if (!this.#isAsked) this.#settle(reads, 'unheard');
  }

  #answered(reads: Settled[], position: ReadPosition | undefined): void {
    if (position === undefined) {
      this.#settle(reads, 'unheard');
      return;
    }
    const { lsn, confirmedLsn } = position;
    if (lsn <= this.#options.appliedLsn()) {
      this.#settle(reads, 'current');
      return;
    }
    const behind = { lsn, reads, late: this.#options.clock.after(behindMsMax, () => giveUp()) };
    const giveUp = () => {
      this.#behind.splice(this.#behind.indexOf(behind), 1);
      // The log may be what is late: then the leader waits for it, too.
      const isBehind = this.#options.appliedLsn() < confirmedLsn;
      this.#settle(reads, isBehind ? 'behind' : 'unheard');
    };
    const next = this.#behind.findIndex((other) => other.lsn > lsn);
    this.#behind.splice(next === -1 ? this.#behind.length : next, 0, behind);
  }

  #settle(reads: readonly Settled[], standing: ReadStanding): void {
    this.#waiting -= reads.length;
    for (const then of reads) then(standing);
  }
}
