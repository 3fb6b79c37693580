// Shows the progress of a long command on a terminal, in one line that is overwritten.

import type { World } from '../../assembly/process-context.ts';
import { printable } from '../../platform/printable.ts';

type ProgressWorld = Pick<World, 'out' | 'err' | 'overwrite' | 'terminal' | 'clock'>;

/** The line of progress, and the output that must not be mixed with it. */
export class Progress {
  readonly #world: ProgressWorld;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(world: ProgressWorld) {
    this.#world = world;
  }

  /** Shows `text` in place of the former text, if the output is a terminal; not too often. */
  say(text: () => string): void {
    if (!this.#world.terminal || this.#world.clock.monotonic() < this.#nextAt) return;
    this.#nextAt = this.#world.clock.monotonic() + everyMs;
    this.#isShown = true;
    this.#world.overwrite(text());
  }

  /** A line on standard output, without what could steer a terminal. */
  out(line: string): void {
    this.clear();
    this.#world.out(`${printable(line)}\n`);
  }

  /** A line on standard error, as `out`. */
  err(line: string): void {
    this.clear();
    this.#world.err(`${printable(line)}\n`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#isShown) this.#world.overwrite('');
    this.#isShown = false;
  }
}

const everyMs = 100;
