// Builds orders and matches for lists step by step, because building them at once would block all
// other requests.

import { Pace } from '../actors/pace.ts';
import { boundsOf } from '../bounds.ts';
import { ApiError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Table } from '../store/table.ts';

/**
 * The builds for lists: one runs at a time, and each runs once for all requests that wait for it.
 */
export class ListBuilds {
  readonly #clock: Clock;
  readonly #handlerTimeoutMs: number;
  readonly #bounds: typeof buildBounds;
  readonly #asked = new Map<string, Build>();
  /** The builds that search for matches, by the identity that asked first. */
  readonly #finds = new Map<string, number>();
  /** Settles after the last requested build. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    clock: Clock,
    { handlerTimeoutMs }: Pick<Limits, 'handlerTimeoutMs'>,
    bounds?: Partial<typeof buildBounds>,
  ) {
    this.#clock = clock;
    this.#handlerTimeoutMs = handlerTimeoutMs;
    this.#bounds = boundsOf(buildBounds, bounds);
  }

  /**
   * Whether a table may be read in the order of this key: the order exists, or the table is so
   * small that the reader may sort it.
   */
  isReady(table: Pick<Table, 'size' | 'isOrderKept'>, by: string): boolean {
    return this.isSmall(table) || table.isOrderKept(by);
  }

  /** Whether all rows of a table may be examined or sorted in one step. */
  isSmall({ size }: Pick<Table, 'size'>): boolean {
    return size <= this.#bounds.orderRowsAtOnceMax;
  }

  /** Resolves when a table may be read in the order of this key; undefined if it may now. */
  whenOrdered(table: Table, by: string): Promise<void> | undefined {
    if (this.isReady(table, by)) return undefined;
    return this.#when(`order\n${table.kind}\n${by}`, () =>
      table.isOrderKept(by) ? [] : table.buildOrder(by),
    );
  }

  /**
   * Resolves when the matches of a list were searched, rejects if that throws. Its turn is skipped
   * when no request can be waiting any more.
   * @param by id of the identity that asks
   * @throws ApiError SERVER_TOO_MANY_REQUESTS when `listFindsWaitingMax` others wait already, or
   *   `listFindsPerCallerMax` of the same caller.
   */
  whenFound(by: string, list: string, steps: () => Iterable<undefined>): Promise<void> {
    const key = `matches\n${list}`;
    const own = this.#finds.get(by) ?? 0;
    if (!this.#asked.has(key) && (this.#isFull || own >= this.#bounds.listFindsPerCallerMax)) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    }
    const isAwaited = () => {
      const { lastAskedAt = 0 } = this.#asked.get(key) ?? {};
      return this.#clock.monotonic() - lastAskedAt < this.#handlerTimeoutMs;
    };
    if (!this.#asked.has(key)) this.#finds.set(by, own + 1);
    return this.#when(
      key,
      () => (isAwaited() ? steps() : []),
      () => this.#endFind(by),
    );
  }

  get #isFull(): boolean {
    let finds = 0;
    for (const count of this.#finds.values()) finds += count;
    return finds > this.#bounds.listFindsWaitingMax;
  }

  #endFind(by: string): void {
    const left = (this.#finds.get(by) ?? 1) - 1;
    if (left === 0) this.#finds.delete(by);
    else this.#finds.set(by, left);
  }

  /** Requests with the same key share a build that is waiting or running. */
  #when(key: string, steps: () => Iterable<undefined>, then = () => {}): Promise<void> {
    const lastAskedAt = this.#clock.monotonic();
    const known = this.#asked.get(key);
    if (known !== undefined) {
      known.lastAskedAt = lastAskedAt;
      return known.built;
    }
    const built = this.#last
      .then(() => this.#make(steps))
      .finally(() => {
        this.#asked.delete(key);
        then();
      });
    this.#asked.set(key, { built, lastAskedAt });
    this.#last = built.catch(() => undefined);
    return built;
  }

  async #make(steps: () => Iterable<undefined>): Promise<void> {
    const pace = new Pace(this.#clock, this.#bounds.orderSliceMs);
    for (const _ of steps()) if (pace.isDue) await pace.rest();
  }
}

interface Build {
  readonly built: Promise<void>;
  /** Monotonic ms. */
  lastAskedAt: number;
}

const buildBounds = {
  /**
   * Rows that one list may sort or filter at once, at 0.1 to 4 µs each. More rows are handled in
   * slices, and the list waits. @bound
   */
  orderRowsAtOnceMax: 5000,
  /** One slice of sorting or filtering rows: how long other requests wait for it. @bound */
  orderSliceMs: 2,
  /** Searches through large tables that wait while one runs. @bound per controller */
  listFindsWaitingMax: 32,
  /** Searches of one caller that run or wait, so that others find room. @bound per identity */
  listFindsPerCallerMax: 16,
};
