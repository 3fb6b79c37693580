// Caches of lists: compiled filters, and the rows that matched them.

import { RecentCache } from '../../containers/recent-cache.ts';
import type { Query } from '../../filter/scope.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Row } from '../../store/record.ts';
import type { Lookups } from '../symbols/symbol-sources.ts';

/** A compiled filter with its order. */
export interface CompiledFilter {
  readonly query: Query<Row, Lookups>;
  /** It depends only on the record of each row. */
  readonly isOwn: boolean;
}

/** All rows of a table that matched a filter, in the requested order. */
export interface RememberedRows {
  /** The table's revision at that time. */
  revision: number;
  /**
   * The slots of the rows: a slot gets another row only by a write, which `Table.writtenAfter`
   * reports.
   */
  slots: Uint32Array;
  /** Their number when they were first cached, which is their weight. */
  readonly weight: number;
  /** Rows that were examined to find them. */
  readonly looked: number;
}

/** One per controller: keys include the resource. */
export class ListMemory {
  readonly filters: RecentCache<string, CompiledFilter & { readonly characters: number }>;
  readonly matches: RecentCache<string, RememberedRows>;

  constructor(values?: Partial<typeof memoryBounds>) {
    const bounds = boundsOf(memoryBounds, values);
    this.filters = new RecentCache(bounds.filterCacheCharactersMax, (kept) => kept.characters);
    this.matches = new RecentCache(bounds.matchedRowsKeptMax, ({ weight }) => weight + 8);
  }
}

const memoryBounds = {
  /** Text of the filters whose compiled form is kept. @bound per controller */
  filterCacheCharactersMax: 256 * 1024,
  /** Rows kept as matches of recent filters, for paging; 8 bytes each. @bound per controller */
  matchedRowsKeptMax: 400_000,
};
