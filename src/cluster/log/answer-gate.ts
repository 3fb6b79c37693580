// Holds what leaves a node while it may not tell what it knows (behaviour/cluster#answers).

import type { Clock } from '../../platform/ports.ts';
import type { ClusterNode } from '../cluster-node.ts';

/** How often a closed gate is looked at while something waits, in ms. @bound */
const lookEveryMs = 20;

/**
 * The gate of a process: open while the node leads and its lease has not run out. If reads are
 * confirmed, each thing that leaves also waits for the log, under a stamp of its own.
 */
export class AnswerGate {
  readonly #node: Pick<ClusterNode, 'mayAnswer' | 'reads'>;
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];

  constructor(node: Pick<ClusterNode, 'mayAnswer' | 'reads'>, clock: Clock) {
    this.#node = node;
    this.#clock = clock;
  }

  /** Whether the lease lasts. It is asked right before something leaves, each time. */
  get isOpen(): boolean {
    return this.#node.mayAnswer();
  }

  /** Whether the lease alone does not suffice. */
  get confirmsReads(): boolean {
    return this.#node.reads !== undefined;
  }

  /** The stamp of what was made in this turn: 0 if the lease suffices. */
  stamp(): number {
    return this.#node.reads?.ask() ?? 0;
  }

  /** Whether the log has confirmed what has this stamp. */
  isConfirmed(stamp: number): boolean {
    return this.#node.reads?.isConfirmed(stamp) ?? true;
  }

  /**
   * Calls `then` when what has this stamp is confirmed, which it is not yet. Calls come in the
   * order of the stamps if they were asked for in that order.
   */
  onceConfirmed(stamp: number, then: () => void): void {
    this.#node.reads?.onceConfirmed(stamp, then);
  }

  /** Calls `then` in a later turn in which the gate was seen open; it may be closed again. */
  onceOpen(then: () => void): void {
    this.#waiting.push(then);
    if (this.#waiting.length === 1) this.#look();
  }

  #look(): void {
    this.#clock.after(lookEveryMs, () => {
      if (!this.isOpen) {
        this.#look();
        return;
      }
      for (const then of this.#waiting.splice(0)) then();
    });
  }
}
