// Makes the records that a start left packed, a little at a time while the controller serves: from
// then on memory holds what it held before the restart, and no look at many of them takes longer
// than the next.

import type { Log } from '../observe/logs.ts';
import type { Clock, Timer } from '../ports.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';

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
    if (tables.length > 0) this.#rest(this.#steps(tables));
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
    const { clock, sliceMs } = this.#options;
    const end = clock.monotonic() + sliceMs;
    do {
      if (steps.next().done) {
        this.#options.log.info('every record of the snapshot is unpacked');
        return;
      }
    } while (clock.monotonic() < end);
    this.#rest(steps);
  }

  *#steps(tables: readonly PackedTable[]): Generator<undefined> {
    for (const table of tables) {
      try {
        yield* table.makeAll();
      } catch (err) {
        // The rest of its kind stays packed; whoever asks for that record meets the error again.
        const { kind } = table;
        this.#options.log.error(
          { err, kind },
          'a record of the snapshot cannot be unpacked; run `edge-control check`',
        );
      }
    }
  }
}

type PackedTable = Pick<Table, 'kind' | 'makeAll'>;
