// A table of lines that come one after the other, also long after the first ones.

import { type Column, Table, type TableLayout } from '../output/table.ts';

/** How its lines are shown. */
export interface LiveTableOptions<R> {
  readonly columns: readonly Column<R>[];
  /** A row as wide as most, for a table that begins before its rows are known. */
  readonly usualRow: R;
  readonly layout: TableLayout;
  /** Prints a line. */
  readonly out: (line: string) => void;
}

/** Rows that decide the widths of a table, as in lists. */
const firstRows = 500;

/** Prints lines as a table whose widths follow from the first ones. */
export class LiveTable<R> {
  readonly #options: LiveTableOptions<R>;
  #table: Table<R> | undefined;
  #held: R[] = [];

  constructor(options: LiveTableOptions<R>) {
    this.#options = options;
  }

  /** Prints rows, or holds them until there are enough to know the widths. */
  add(rows: readonly R[]): void {
    if (this.#table === undefined) {
      this.#held.push(...rows);
      if (this.#held.length >= firstRows) this.flush();
    } else this.#print(rows, this.#table);
  }

  /** Prints what is held. @param isLive whether later rows are to be expected */
  flush(isLive = false): void {
    if (this.#table !== undefined || (this.#held.length === 0 && !isLive)) return;
    const { columns, usualRow, layout } = this.#options;
    const first = isLive ? [...this.#held, usualRow] : this.#held;
    this.#table = new Table(columns, first, layout);
    this.#print(this.#held, this.#table);
    this.#held = [];
  }

  #print(rows: readonly R[], table: Table<R>): void {
    for (const line of table.lines(rows)) this.#options.out(line);
  }
}
