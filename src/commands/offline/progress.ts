// Shows the progress of a long command on a terminal, in one line that is overwritten.

import type { ProcessContext } from '../../assembly/process-context.ts';
import { printable } from '../../platform/printable.ts';

type ProgressContext = Pick<ProcessContext, 'out' | 'err' | 'overwrite' | 'terminal' | 'clock'>;

/** The line of progress, and the output that must not be mixed with it. */
export class Progress {
  readonly #context: ProgressContext;
  #nextAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(context: ProgressContext) {
    this.#context = context;
  }

  /** Shows `text` in place of the former text, if the output is a terminal; not too often. */
  say(text: () => string): void {
    if (!this.#context.terminal || this.#context.clock.monotonic() < this.#nextAt) return;
    this.#nextAt = this.#context.clock.monotonic() + everyMs;
    this.#isShown = true;
    this.#context.overwrite(text());
  }

  /** A line on standard output, without what could steer a terminal. */
  out(line: string): void {
    this.clear();
    this.#context.out(`${printable(line)}\n`);
  }

  /** A line on standard error, as `out`. */
  err(line: string): void {
    this.clear();
    this.#context.err(`${printable(line)}\n`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#isShown) this.#context.overwrite('');
    this.#isShown = false;
  }
}

const everyMs = 100;
