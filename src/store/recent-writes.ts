// Remembers which rows of a table the newest frames wrote, for readers that keep derived data.

import type { Lsn } from '../../snapshots/journal.ts';

/** Writes that are remembered. A reader that has missed more reads the table again. */
const writesKept = 4096;

/** A ring of the newest writes to a table. */
export class RecentWrites {
  readonly #lsns = new Float64Array(writesKept);
  readonly #slots = new Uint32Array(writesKept);
  #written = 0;
  /** Writes up to this frame are no longer in the ring, or never were. */
  #forgotten: Lsn;

  /** Remembers the writes after `lsn`. */
  constructor(lsn: Lsn) {
    this.#forgotten = lsn;
  }

  /** Notes a committed write; LSNs never go down. */
  note(lsn: Lsn, slot: number): void {
    const at = this.#written % writesKept;
    if (this.#written >= writesKept) this.#forgotten = this.#lsns[at] ?? lsn;
    this.#lsns[at] = lsn;
    this.#slots[at] = slot;
    this.#written++;
  }

  /**
   * Slots that were written after `lsn`, whatever they hold now; undefined when that is too long
   * ago.
   */
  after(lsn: Lsn): ReadonlySet<number> | undefined {
    if (lsn < this.#forgotten) return undefined;
    const slots = new Set<number>();
    const oldest = Math.max(0, this.#written - writesKept);
    for (let write = this.#written - 1; write >= oldest; write--) {
      const at = write % writesKept;
      if ((this.#lsns[at] ?? 0) <= lsn) break;
      slots.add(this.#slots[at] ?? 0);
    }
    return slots;
  }
}
