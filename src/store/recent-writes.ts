// Remembers which rows of a table were written last, for readers that keep derived data.

/** Writes that are remembered. A reader that has missed more reads the table again. */
const writesKept = 4096;

/** A ring of the newest writes to a table. */
export class RecentWrites {
  readonly #slots = new Uint32Array(writesKept);
  /** The writes up to this revision of the table were not noted. */
  readonly #first: number;
  #newest: number;

  /** Remembers the writes after `revision`. */
  constructor(revision: number) {
    this.#first = revision;
    this.#newest = revision;
  }

  /** Notes the committed write that led to `revision`, which is one more than the last. */
  note(revision: number, slot: number): void {
    this.#slots[revision % writesKept] = slot;
    this.#newest = revision;
  }

  /**
   * Slots that were written after `revision`, whatever they hold now; undefined when that is too
   * long ago.
   */
  after(revision: number): ReadonlySet<number> | undefined {
    if (revision < Math.max(this.#first, this.#newest - writesKept)) return undefined;
    const slots = new Set<number>();
    for (let write = revision + 1; write <= this.#newest; write++) {
      slots.add(this.#slots[write % writesKept] ?? 0);
    }
    return slots;
  }
}
