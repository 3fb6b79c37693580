// Answers without a frame that wait for the log: each leaves once a message is in the stream that
// was published after it (behaviour/cluster#confirmed-reads). No clock takes part, so a pause that
// no clock sees does not matter.

import type { Clock } from '../../platform/ports.ts';
import { type NextRun, onceATurn } from '../../turns/once-a-turn.ts';
import type { ReadConfirmations } from '../cluster-node.ts';

/** Memory that both threads share. */
export function confirmationMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(16);
}

/** The side of the main thread: it asks for confirmations, and hears of them. */
export class RequestedReads implements ReadConfirmations {
  readonly #words: Int32Array;
  readonly #figures: Float64Array;
  /** Once per turn, because all that is asked in it is confirmed by one message. */
  readonly #wake: NextRun;
  readonly #waiting: Waiting[] = [];
  #asked = 0;
  #confirmed = 0;

  constructor(memory: SharedArrayBuffer, clock: Clock) {
    this.#words = new Int32Array(memory);
    this.#figures = new Float64Array(memory);
    this.#wake = onceATurn(clock, () => {
      Atomics.add(this.#words, word.wake, 1);
      Atomics.notify(this.#words, word.wake);
    });
  }

  ask(): number {
    this.#asked += 1;
    this.#figures[figure.asked] = this.#asked;
    this.#wake.request();
    return this.#asked;
  }

  isConfirmed(stamp: number): boolean {
    return stamp <= this.#confirmed;
  }

  onceConfirmed(stamp: number, then: () => void): void {
    this.#waiting.push({ stamp, then });
  }

  /** Everything up to this number is confirmed. */
  confirm(asked: number): void {
    this.#confirmed = Math.max(this.#confirmed, asked);
    const end = this.#waiting.findIndex(({ stamp }) => stamp > this.#confirmed);
    const confirmed = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    for (const { then } of confirmed) then();
  }
}

/** The side of the cluster thread. */
export class ReadsToConfirm {
  readonly #words: Int32Array;
  readonly #figures: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#figures = new Float64Array(memory);
  }

  /** The last number that was asked. A message that is sent from now on confirms it. */
  get asked(): number {
    return this.#figures[figure.asked] ?? 0;
  }

  /** A moment; `after` waits for what comes behind it. */
  get moment(): number {
    return Atomics.load(this.#words, word.wake);
  }

  /** Resolves when something was asked after `moment`, at once if it was already. */
  async after(moment: number): Promise<void> {
    await Atomics.waitAsync(this.#words, word.wake, moment).value;
  }
}

interface Waiting {
  readonly stamp: number;
  readonly then: () => void;
}

/** Places in the shared memory: a word of 32 bits, then a float of 64, written in one piece. */
const word = { wake: 0 } as const;
const figure = { asked: 1 } as const;
