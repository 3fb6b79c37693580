// Shows the progress of a long command on a terminal, in one line that is overwritten.

import type { World } from '../world.ts';

/** The line of progress, and the output that must not be mixed with it. */
export class Progress {
  readonly #world: Pick<World, 'out' | 'err' | 'terminal' | 'clock'>;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(world: Pick<World, 'out' | 'err' | 'terminal' | 'clock'>) {
    this.#world = world;
  }

  /** Shows `text` in place of the former text, if the output is a terminal; not too often. */
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

  /** Removes the line. */
  clear(): void {
    if (this.#isShown) this.#world.err(`\r${clearRest}`);
    this.#isShown = false;
  }
}

const everyMs = 100;
/** ECMA-48: erase to the end of the line. */
const clearRest = '\x1b[K';
