// Builds orders and matches for lists step by step, because building them at once would block all
// other requests.

import { ApiError } from '../../errors/errors.ts';
import type { Clock } from '../../platform/ports.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Limits } from '../../settings/limits.ts';
import type { Table } from '../../store/table.ts';
import { inSlices } from '../../turns/slices.ts';

/**
 * The builds for lists: one runs at a time, and each runs once for all requests that wait for it.
 */
export class ListBuilds {
  readonly #clock: Clock;
  readonly #handlerTimeoutMs: number;
  readonly #bounds: typeof buildBounds;
  readonly #asked = new Map<string, Build>();
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
    const finds = [...this.#asked.values()].filter((build) => build.by !== undefined);
    const own = finds.filter((build) => build.by === by);
    const { listFindsWaitingMax, listFindsPerCallerMax } = this.#bounds;
    const isFull = finds.length > listFindsWaitingMax || own.length >= listFindsPerCallerMax;
    if (isFull && !this.#asked.has(key)) throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    const isAwaited = () => {
      const { lastAskedAt = 0 } = this.#asked.get(key) ?? {};
      return this.#clock.monotonic() - lastAskedAt < this.#handlerTimeoutMs;
    };
    return this.#when(key, () => (isAwaited() ? steps() : []), by);
  }

  /** Requests with the same key share a build that is waiting or running. */
  #when(key: string, steps: () => Iterable<undefined>, by?: string): Promise<void> {
    const lastAskedAt = this.#clock.monotonic();
    const known = this.#asked.get(key);
    if (known !== undefined) {
      known.lastAskedAt = lastAskedAt;
      return known.built;
    }
    const built = this.#last
      .then(() => inSlices(steps()[Symbol.iterator](), this.#clock, this.#bounds.orderSliceMs))
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, { built, by, lastAskedAt });
    this.#last = built.catch(() => undefined);
    return built;
  }
}

interface Build {
  readonly built: Promise<void>;
  /** The identity that asked first, if matches are searched. */
  readonly by: string | undefined;
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
