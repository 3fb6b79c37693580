// Shares the main thread between the frames of many routers, and between these and other work.

import type { Clock } from '../platform/ports.ts';
import { type NextRun, onceATurn } from '../turns/once-a-turn.ts';

/** Something that frames can be read from. */
export interface TurnReader {
  /** Whether it waits for a later turn; belongs to the turns. */
  isQueued: boolean;
  /** How much longer its frames took than its goes were; belongs to the turns. */
  debtMs: number;
  /**
   * Reads and handles one frame, or a part of one that takes long; false when there is none to be
   * read now. Throws nothing.
   */
  readNext(): boolean;
}

/**
 * Frames are handled as they arrive, for `turnMs` per turn of the event loop on average. The frames
 * beyond that wait for the next turns, in which each reader has a short go before any has another.
 * A reader whose frame took longer than its go lets the others have as many goes before its next.
 * So a router that floods its channel, or sends what takes long, delays mostly its own frames.
 */
export class ReadingTurns {
  readonly #clock: Clock;
  readonly #queue: TurnReader[] = [];
  /** Runs after the sockets of a turn, so the time that they used counts. */
  readonly #nextTurn: NextRun;
  /** Time that was used and is not made up for by a turn yet. */
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#nextTurn = onceATurn(clock, () => this.#turn());
  }

  /** Reads what has arrived for a reader, now or in a later turn. */
  arrived(reader: TurnReader): void {
    if (reader.isQueued) return;
    if (this.#queue.length > 0 || this.#spentMs >= turnMs) this.#later(reader);
    else this.#read(reader);
    // Not at once, so that a turn with little work, as most are, costs no callback.
    if (this.#spentMs >= turnMs / 2) this.#nextTurn.request();
  }

  #read(reader: TurnReader): void {
    const startedMs = this.#clock.monotonic();
    let usedMs = 0;
    let hasMore = true;
    for (let frames = 0; hasMore && frames < framesPerGoMax && usedMs < goMs; frames++) {
      hasMore = reader.readNext();
      usedMs = this.#clock.monotonic() - startedMs;
    }
    this.#spentMs += usedMs;
    reader.debtMs = Math.max(0, reader.debtMs + usedMs - goMs);
    if (hasMore) this.#later(reader);
  }

  #later(reader: TurnReader): void {
    reader.isQueued = true;
    this.#queue.push(reader);
    this.#nextTurn.request();
  }

  #turn(): void {
    while (this.#spentMs < turnMs) {
      const reader = this.#queue.shift();
      if (reader === undefined) break;
      if (reader.debtMs > 0 && this.#queue.length > 0) {
        reader.debtMs -= goMs;
        this.#queue.push(reader);
      } else {
        reader.isQueued = false;
        this.#read(reader);
      }
    }
    this.#spentMs = Math.max(0, this.#spentMs - turnMs);
    if (this.#queue.length > 0 || this.#spentMs > 0) this.#nextTurn.request();
  }
}

/** Frames are handled this long per turn, then requests and timers run. @bound per controller */
const turnMs = 2;

/** Frames of one router are handled this long before those of another. @bound per entity */
const goMs = 0.5;

/** Frames of one router that are handled before those of another. @bound per entity */
const framesPerGoMax = 32;
