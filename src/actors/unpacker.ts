// Makes the records that a start left packed, a little at a time while the controller serves: from
// then on memory holds what it held before the restart, and no look at many of them takes longer
// than the next.

import type { Log } from '../observe/logs.ts';
import type { Clock, Timer } from '../ports.ts';
import type { Store } from '../store/store.ts';

/** What an unpacker works with. */
export interface UnpackerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a slice takes. */
  readonly sliceMs: number;
  /** How long others have their turn in between. */
  readonly restMs: number;
}

/** Goes through all tables once. */
export class Unpacker {
  readonly #options: UnpackerOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: UnpackerOptions) {
    this.#options = options;
  }

  /** Begins, where a start left anything packed. */
  start(): void {
    const tables = [...this.#options.store.tables()].filter((table) => table.mayHoldPacked);
    if (tables.length > 0) this.#rest(stepsOf(tables));
  }

  /** Leaves the rest packed. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #rest(steps: Iterator<undefined>): void {
    const { clock, restMs } = this.#options;
    this.#timer = clock.after(restMs, () => this.#slice(steps));
  }

  #slice(steps: Iterator<undefined>): void {
    if (this.#isStopped) return;
    const { clock, sliceMs, log } = this.#options;
    const end = clock.monotonic() + sliceMs;
    try {
      do {
        if (steps.next().done) return;
      } while (clock.monotonic() < end);
    } catch (err) {
      // Whoever asks for that record meets it again.
      log.error({ err }, 'a record of the snapshot cannot be unpacked; run `edge-control check`');
      return;
    }
    this.#rest(steps);
  }
}

function* stepsOf(
  tables: readonly { makeAll(): Iterable<undefined> }[],
): Generator<undefined, undefined> {
  for (const table of tables) yield* table.makeAll();
  return undefined;
}
