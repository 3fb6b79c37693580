// Tables of text: aligned columns that fit a terminal, and whole cells everywhere else.

import { printable } from '../../../platform/printable.ts';
import { fitted, padded, widthOf } from './cell-width.ts';

/** A column of rows `R`. */
export interface Column<R> {
  /** Its header, in capitals. */
  readonly title: string;
  /** Whether a table leaves it out where the terminal has no room for it. */
  readonly isOptional?: true;
  /** Whether only `-o wide` and `--columns` show it. */
  readonly isWide?: true;
  /** Whether its cells may be shortened. */
  readonly isFlexible?: true;
  text(row: R): string;
}

/** How a table is laid out. */
export interface TableLayout {
  /** Columns of the terminal; undefined where nothing is shortened or left out. */
  readonly columns?: number | undefined;
  readonly withHeader: boolean;
}

const gap = '  ';
/** A shortened cell shows at least this much. */
const leastWidth = 8;

/**
 * A table whose columns and widths follow from its first rows, so that it is printed page by page.
 * A longer cell of a later page is shortened at a terminal, and runs over elsewhere.
 */
export class Table<R> {
  readonly #shown: readonly Column<R>[];
  readonly #widths: readonly number[];
  readonly #isBounded: boolean;
  #header: string | undefined;

  constructor(columns: readonly Column<R>[], first: readonly R[], layout: TableLayout) {
    const widths = new Map(
      columns.map((column) => {
        const cells = first.map((row) => widthOf(cellOf(column, row)));
        return [column, Math.max(layout.withHeader ? widthOf(column.title) : 0, ...cells)] as const;
      }),
    );
    this.#isBounded = layout.columns !== undefined;
    const room = layout.columns ?? Number.POSITIVE_INFINITY;
    this.#shown = shownOf(columns, widths, room);
    const natural = this.#shown.map((column) => widths.get(column) ?? 0);
    this.#widths = narrowed(this.#shown, natural, room);
    this.#header = layout.withHeader
      ? this.#line(this.#shown.map(({ title }) => title))
      : undefined;
  }

  /** The lines of further rows, after the header where there is one. */
  *lines(rows: readonly R[]): Generator<string> {
    if (this.#header !== undefined) yield this.#header;
    this.#header = undefined;
    for (const row of rows) yield this.#line(this.#shown.map((column) => cellOf(column, row)));
  }

  #line(cells: readonly string[]): string {
    const texts = cells.map((cell, at) => {
      const width = this.#widths[at] ?? 0;
      return padded(this.#isBounded ? fitted(cell, width) : cell, width);
    });
    return texts.join(gap).trimEnd();
  }
}

function cellOf<R>(column: Column<R>, row: R): string {
  return printable(column.text(row));
}

/** All columns that are needed, and in their order those optional ones for which there is room. */
function shownOf<R>(
  columns: readonly Column<R>[],
  widths: ReadonlyMap<Column<R>, number>,
  room: number,
): Column<R>[] {
  const shown = new Set(columns.filter(({ isOptional }) => isOptional !== true));
  const taken = (all: ReadonlySet<Column<R>>) =>
    [...all].reduce((sum, column) => sum + (widths.get(column) ?? 0) + gap.length, -gap.length);
  for (const column of columns) {
    if (taken(new Set([...shown, column])) <= room) shown.add(column);
  }
  return columns.filter((column) => shown.has(column));
}

/**
 * The widths with which the table fits: the widest flexible column gives way, the first one last.
 */
function narrowed<R>(
  columns: readonly Column<R>[],
  natural: readonly number[],
  room: number,
): number[] {
  const widths = [...natural];
  const over = () => widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - room;
  const isFirst = (at: number) => at === 0;
  for (const mayTake of [(at: number) => !isFirst(at), isFirst]) {
    while (over() > 0) {
      let widest = -1;
      for (const [at, column] of columns.entries()) {
        const width = widths[at] ?? 0;
        if (!mayTake(at) || column.isFlexible !== true || width <= leastWidth) continue;
        if (widest < 0 || width > (widths[widest] ?? 0)) widest = at;
      }
      if (widest < 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}
