// A table of rows that the page has: sorted by any of its columns, page by page.

import { useMemo, useState } from 'preact/hooks';
import { Choice } from './form-controls.tsx';
import { PageTurner } from './page-turner.tsx';
import { type Column, Table } from './table.tsx';
import { useNarrow } from './use-narrow.ts';

/** A column by which rows can be sorted. */
export interface SortedColumn<Row> extends Column<Row> {
  /** As `Array.sort` wants it; rows that are equal stay in their order. */
  compare(a: Row, b: Row): number;
}

/** A table's name, columns and rows. */
export interface SortedTableProps<Row> {
  /** Also of its pages: `Routers`. */
  readonly caption: string;
  readonly columns: readonly SortedColumn<Row>[];
  /** In the order in which they are shown at first. */
  readonly rows: readonly Row[];
  /** That order, in words. */
  readonly orderName: string;
  keyOf(row: Row): string;
}

/** The order that somebody chose. */
interface ChosenOrder {
  /** Head of a column. */
  readonly head: string;
  readonly isDescending: boolean;
}

const pageRows = 50;

/** Heads sort where there is a head; a select does so everywhere else. */
export function SortedTable<Row>(props: SortedTableProps<Row>) {
  const { caption, columns, rows, orderName, keyOf } = props;
  const [order, setOrder] = useState<ChosenOrder>();
  const [wantedOffset, setOffset] = useState(0);
  const isNarrow = useNarrow();
  const sorted = useMemo(() => sortedRows(rows, columns, order), [rows, columns, order]);
  // Rows may have gone since.
  const offset = wantedOffset < sorted.length ? wantedOffset : 0;
  const shown = sorted.slice(offset, offset + pageRows);
  const choose = (chosen: ChosenOrder | undefined) => {
    setOrder(chosen);
    setOffset(0);
  };
  const sorting = { order, sort: (head: string) => choose(nextOrder(order, head)) };
  return (
    <>
      {isNarrow ? (
        <Choice
          label={`Order of ${caption.toLowerCase()}`}
          value={order === undefined ? '' : `${order.isDescending ? '-' : '+'}${order.head}`}
          options={[
            ['', orderName],
            ...columns.flatMap(({ head }) => [
              [`+${head}`, head] as const,
              [`-${head}`, `${head}, descending`] as const,
            ]),
          ]}
          onChoose={(text) =>
            choose(text === '' ? undefined : { head: text.slice(1), isDescending: text[0] === '-' })
          }
        />
      ) : null}
      <Table
        caption={caption}
        columns={columns}
        rows={shown}
        keyOf={keyOf}
        isStacked
        sorting={isNarrow ? undefined : sorting}
      />
      {sorted.length <= pageRows ? null : (
        <PageTurner
          name={`Pages of ${caption.toLowerCase()}`}
          offset={offset}
          rows={shown.length}
          pageRows={pageRows}
          total={sorted.length}
          onOffset={setOffset}
        />
      )}
    </>
  );
}

function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly SortedColumn<Row>[],
  order: ChosenOrder | undefined,
): readonly Row[] {
  const column = columns.find(({ head }) => head === order?.head);
  if (column === undefined || order === undefined) return rows;
  const sign = order.isDescending ? -1 : 1;
  return [...rows].sort((a, b) => sign * column.compare(a, b));
}

/** Up, then down, then as at first. */
function nextOrder(order: ChosenOrder | undefined, head: string): ChosenOrder | undefined {
  if (order?.head !== head) return { head, isDescending: false };
  return order.isDescending ? undefined : { head, isDescending: true };
}
