// Tables, which scroll within themselves where the page is narrower than they are.

// biome-ignore-all lint/a11y/noRedundantRoles: rows drawn as cards lose the roles they imply.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A column: its head, and what it shows of each row. */
export interface Column<Row> {
  readonly head: string;
  /** Its cells name their rows. */
  readonly isHead?: boolean;
  /** It is set to the right. */
  readonly isNumber?: boolean;
  /** Class of its cells. */
  readonly class?: string;
  title?(row: Row): string | undefined;
  cell(row: Row): ComponentChildren;
}

/** A table's name, columns and rows. */
export interface TableProps<Row> {
  /** Only for those who cannot see the heading above. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** Rows are drawn as cards on narrow pages, where each cell has its head before it. */
  readonly isStacked?: boolean;
  /** Heads are buttons that sort. */
  readonly sorting?: Sorting | undefined;
}

/** By which column rows are sorted; undefined for the order in which they come. */
interface Sorting {
  readonly order: { readonly head: string; readonly isDescending: boolean } | undefined;
  sort(head: string): void;
}

/** The keyboard reaches the frame, so that it can be scrolled without a mouse. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, isStacked = false, sorting } = props;
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls.
    <section class="table-frame" aria-labelledby={id} tabIndex={0}>
      <table role="table" class={isStacked ? 'is-stacked' : undefined}>
        <caption id={id} class="is-hidden">
          {caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, isNumber }) => (
              <th
                key={head}
                scope="col"
                role="columnheader"
                class={isNumber ? 'is-number' : undefined}
                aria-sort={sortOf(sorting, head)}
              >
                {sorting === undefined ? head : <SortButton head={head} sorting={sorting} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => cellOf(column, row))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function sortOf(sorting: Sorting | undefined, head: string) {
  if (sorting?.order?.head !== head) return undefined;
  return sorting.order.isDescending ? 'descending' : 'ascending';
}

function SortButton({ head, sorting }: { readonly head: string; readonly sorting: Sorting }) {
  const arrow = { ascending: '▲', descending: '▼', none: '' }[sortOf(sorting, head) ?? 'none'];
  return (
    <button type="button" class="sort" onClick={() => sorting.sort(head)}>
      {head} <span aria-hidden="true">{arrow}</span>
    </button>
  );
}

function cellOf<Row>({ head, isHead, isNumber, title, cell, ...column }: Column<Row>, row: Row) {
  const attributes = {
    'data-head': head,
    class: isNumber ? 'is-number figure' : column.class,
    title: title?.(row),
  };
  return isHead ? (
    <th key={head} scope="row" role="rowheader" {...attributes}>
      {cell(row)}
    </th>
  ) : (
    <td key={head} role="cell" {...attributes}>
      {cell(row)}
    </td>
  );
}
