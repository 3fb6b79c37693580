// What lists remember of earlier requests: filters that are compiled, and the rows that matched.

import type { Lsn } from '../../snapshots/journal.ts';
import { boundsOf } from '../bounds.ts';
import type { Query } from '../filter/contract.ts';
import type { Row } from '../store/record.ts';
import type { Environment } from './environment.ts';
import { RecentCache } from './recent-cache.ts';

/** A filter, and an order beside it, ready to run. */
export interface CompiledFilter {
  readonly query: Query<Row, Environment>;
  /** It looks at nothing but the record of each row. */
  readonly isOwn: boolean;
}

/** All rows of a table that matched a filter, in the order it asked for. */
export interface RememberedRows {
  /** The table's last change when they did. */
  lsn: Lsn;
  /** Theirs: in a slot stands another row only after a write, which `Table.writtenAfter` tells. */
  slots: Uint32Array;
  /** How many there were when they were first remembered: what they weigh. */
  readonly weight: number;
  /** Rows that were looked at to find them. */
  readonly looked: number;
}

/** One for the whole controller: keys name the resource as well. */
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
