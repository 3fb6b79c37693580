// Things that leave a node in their order, each once the gate lets it (behaviour/cluster#answers).

import type { AnswerGate } from './answer-gate.ts';

/** The queue of one connection. */
export class GatedQueue<T> {
  readonly #gate: AnswerGate;
  readonly #leave: (items: readonly T[]) => void;
  #held: { readonly item: T; readonly stamp: number }[] = [];
  #isAtGate = false;

  /** @param leave sends items; it may be called within `add` */
  constructor(gate: AnswerGate, leave: (items: readonly T[]) => void) {
    this.#gate = gate;
    this.#leave = leave;
  }

  /** Whether nothing is held. */
  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Lets an item leave, at once or when it may. */
  add(item: T): void {
    const gate = this.#gate;
    const stamp = gate.stamp();
    const isConfirmed = gate.isConfirmed(stamp);
    if (this.isEmpty && isConfirmed && gate.isOpen) {
      this.#leave([item]);
      return;
    }
    this.#held.push({ item, stamp });
    if (isConfirmed) this.#waitAtGate();
    else gate.onceConfirmed(stamp, () => this.#release());
  }

  /** Drops what is held. */
  clear(): void {
    this.#held = [];
  }

  #waitAtGate(): void {
    if (this.#isAtGate) return;
    this.#isAtGate = true;
    this.#gate.onceOpen(() => {
      this.#isAtGate = false;
      this.#release();
    });
  }

  /** Lets go what is confirmed, of which there may be nothing any more. */
  #release(): void {
    const end = this.#held.findIndex(({ stamp }) => !this.#gate.isConfirmed(stamp));
    const count = end === -1 ? this.#held.length : end;
    if (count === 0) return;
    if (!this.#gate.isOpen) {
      this.#waitAtGate();
      return;
    }
    this.#leave(this.#held.splice(0, count).map(({ item }) => item));
  }
}
