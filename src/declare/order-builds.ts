// Waits for the order that a list needs, where to make it at once would hold up everybody.

import { Pace } from '../actors/pace.ts';
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Table } from '../store/table.ts';

/** Orders that are being made: one at a time, each once however many wait for it. */
export class OrderBuilds {
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
    return table.size <= this.#limits.orderRowsAtOnceMax || table.isOrderKept(by);
  }

  /** Resolves when a table may be read in the order of this key; undefined where it may now. */
  whenOrdered(table: Table, by: string): Promise<void> | undefined {
    if (this.isReady(table, by)) return undefined;
    const key = `${table.kind} ${by}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const building = this.#last
      .then(() => this.#build(table, by))
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, building);
    this.#last = building.catch(() => undefined);
    return building;
  }

  async #build(table: Table, by: string): Promise<void> {
    if (table.isOrderKept(by)) return;
    const pace = new Pace(this.#clock, this.#limits.orderSliceMs);
    for (const _ of table.buildOrder(by)) if (pace.isDue) await pace.rest();
  }
}
