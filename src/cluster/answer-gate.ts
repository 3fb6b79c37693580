// Holds what leaves a node while its lease does not cover it (behaviour/cluster#answers).

import type { Clock } from '../ports.ts';
import type { ClusterNode } from './contract.ts';

/** How often a closed gate is looked at while something waits, in ms. @bound */
const lookEveryMs = 20;

/** The gate of a process: open while the node leads and its lease has not run out. */
export class AnswerGate {
  readonly #node: Pick<ClusterNode, 'mayAnswer'>;
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];

  constructor(node: Pick<ClusterNode, 'mayAnswer'>, clock: Clock) {
    this.#node = node;
    this.#clock = clock;
  }

  /** Whether something may leave now. It is asked right before, each time. */
  get isOpen(): boolean {
    return this.#node.mayAnswer();
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
