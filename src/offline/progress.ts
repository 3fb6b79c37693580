// Says on a terminal how far a long command is, in one line that is written over.

import type { World } from '../world.ts';

/** The line of progress, and what must not be mixed up with it. */
export class Progress {
  readonly #world: Pick<World, 'out' | 'err' | 'terminal' | 'clock'>;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(world: Pick<World, 'out' | 'err' | 'terminal' | 'clock'>) {
    this.#world = world;
  }

  /** Shows `text` in place of what was shown, where somebody is reading; not too often. */
  say(text: () => string): void {
    if (!this.#world.terminal || this.#world.clock.monotonic() < this.#nextAt) return;
    this.#nextAt = this.#world.clock.monotonic() + everyMs;
    this.#isShown = true;
    this.#world.err(`\r${text()}${clearRest}`);
  }

  /** A line on standard output. */
  out(line: string): void {
    this.clear();
    this.#world.out(`${line}\n`);
  }

  /** A line on standard error. */
  err(line: string): void {
    this.clear();
    this.#world.err(`${line}\n`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) this.#world.err(`\r${clearRest}`);
    this.#isShown = false;
  }
}

const everyMs = 100;
/** ECMA-48: erase to the end of the line. */
const clearRest = '\x1b[K';
