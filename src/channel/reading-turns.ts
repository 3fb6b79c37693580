// Shares the main thread between the frames of many routers, and between these and other work.

import type { Clock } from '../ports.ts';

/** Something that frames can be read from. */
export interface TurnReader {
  /** Whether it waits for a later turn; belongs to the turns. */
  isQueued: boolean;
  /** Reads and handles one frame; false when there is none to be read now. Throws nothing. */
  readNext(): boolean;
}

/**
 * Frames are handled as they arrive, for `turnMs` per turn of the event loop. The frames beyond
 * that wait for the next turns, in which each reader has a go of a few frames before any has
 * another: a router that floods its channel delays its own frames, and the others' by one go.
 */
export class ReadingTurns {
  readonly #clock: Clock;
  readonly #queue: TurnReader[] = [];
  /** Since the last time `#next` ran, in this turn or in quiet ones before it. */
  #spentMs = 0;
  #isNextDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads what has arrived for a reader, now or in a later turn. */
  arrived(reader: TurnReader): void {
    if (reader.isQueued) return;
    if (this.#queue.length > 0 || this.#spentMs >= turnMs) this.#later(reader);
    else this.#read(reader);
    // Not at once, so that a turn with little work, as most are, costs no callback.
    if (this.#spentMs >= turnMs / 2) this.#comeBack();
  }

  #read(reader: TurnReader): void {
    const startedMs = this.#clock.monotonic();
    const spentMs = this.#spentMs;
    for (let frames = 0; frames < framesPerGoMax; frames++) {
      if (!reader.readNext()) {
        this.#spentMs = spentMs + this.#clock.monotonic() - startedMs;
        return;
      }
      this.#spentMs = spentMs + this.#clock.monotonic() - startedMs;
      if (this.#spentMs >= turnMs) break;
    }
    this.#later(reader);
  }

  #later(reader: TurnReader): void {
    reader.isQueued = true;
    this.#queue.push(reader);
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#isNextDue) return;
    this.#isNextDue = true;
    this.#clock.soon(() => this.#next());
  }

  /** Runs after the sockets of a turn, so the time that they used counts. */
  #next(): void {
    this.#isNextDue = false;
    while (this.#queue.length > 0 && this.#spentMs < turnMs) {
      const reader = this.#queue.shift();
      if (reader === undefined) break;
      reader.isQueued = false;
      this.#read(reader);
    }
    this.#spentMs = 0;
    if (this.#queue.length > 0) this.#comeBack();
  }
}

/** Frames are handled this long per turn, then requests and timers run. @bound per controller */
const turnMs = 2;

/** Frames of one router that are handled before those of another that wait. @bound per entity */
const framesPerGoMax = 32;
