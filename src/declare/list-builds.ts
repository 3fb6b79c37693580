// Waits for what a list needs and takes long to make: at once, it would hold up everybody.

import { Pace } from '../actors/pace.ts';
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Table } from '../store/table.ts';

/** What is being made for lists: one at a time, each once however many wait for it. */
export class ListBuilds {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #asked = new Map<string, Promise<void>>();
  /** Settles behind the last one that was asked for. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Whether a table may be read in the order of this key: it is in it, or so small that whoever
   * reads it may put it in order.
   */
  isReady(table: Pick<Table, 'size' | 'isOrderKept'>, by: string): boolean {
    return this.isSmall(table) || table.isOrderKept(by);
  }

  /** Whether all rows of a table may be looked at or sorted in one go. */
  isSmall({ size }: Pick<Table, 'size'>): boolean {
    return size <= this.#limits.orderRowsAtOnceMax;
  }

  /** Resolves when a table may be read in the order of this key; undefined where it may now. */
  whenOrdered(table: Table, by: string): Promise<void> | undefined {
    if (this.isReady(table, by)) return undefined;
    return this.whenDone(`order\n${table.kind}\n${by}`, () =>
      table.isOrderKept(by) ? [] : table.buildOrder(by),
    );
  }

  /**
   * Resolves when the steps were made, rejects where one throws. Who asks under the same key while
   * they are awaited or under way waits for the same.
   */
  whenDone(key: string, steps: () => Iterable<undefined>): Promise<void> {
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const building = this.#last
      .then(() => this.#make(steps))
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, building);
    this.#last = building.catch(() => undefined);
    return building;
  }

  async #make(steps: () => Iterable<undefined>): Promise<void> {
    const pace = new Pace(this.#clock, this.#limits.orderSliceMs);
    for (const _ of steps()) if (pace.isDue) await pace.rest();
  }
}
