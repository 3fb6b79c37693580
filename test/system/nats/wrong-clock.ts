// Controllers whose clock is wrong.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controller, type Program } from '../process.ts';

/**
 * A clock of one process that goes wrong by what a file says: its `Date.now`, in all its threads.
 * Nobody can set the clock of the machine for one process, and its other users need it.
 */
export class WrongClock {
  /** A controller that has this clock. */
  readonly program: Program;
  readonly #offset: string;

  constructor(directory: string) {
    this.#offset = join(directory, 'offset');
    const module = join(directory, 'clock.mjs');
    this.set(0);
    writeFileSync(module, clockModule(this.#offset));
    const [node, ...words] = controller;
    this.program = [node, '--import', module, ...words];
  }

  /** From now on, it is ahead by so many ms. */
  set(aheadMs: number): void {
    writeFileSync(this.#offset, `${aheadMs}`);
  }
}

/** The cluster thread passes over what its process preloads, so each thread is told. */
function clockModule(offset: string): string {
  return `
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
const { now } = Date;
let aheadMs = 0;
const read = () => {
  aheadMs = Number(readFileSync(${JSON.stringify(offset)}, 'utf8'));
};
read();
setInterval(read, 100).unref();
Date.now = () => now() + aheadMs;
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(url, options) {
    const words = options?.execArgv;
    const execArgv = words && [...words, '--import', import.meta.url];
    super(url, words ? { ...options, execArgv } : options);
  }
};
syncBuiltinESMExports();
`;
}
