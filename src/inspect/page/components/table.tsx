// Tables, which scroll within themselves where the page is narrower than they are.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** Said aloud: to browsers, what the style sheet draws as cards is no table. */
const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  rowHead: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

/** A table's name, heads and rows. */
export interface TableProps {
  /** Only for those who cannot see the heading above. */
  readonly caption: string;
  /** Columns; LSNs are set to the right. */
  readonly heads: readonly string[];
  /** Its rows are `TableRow`s, which are drawn as cards on narrow pages. */
  readonly isStacked?: boolean;
  readonly children: ComponentChildren;
}

/** The keyboard reaches the frame, so that it can be scrolled without a mouse. */
export function Table({ caption, heads, isStacked = false, children }: TableProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls.
    <section class="table-frame" aria-labelledby={id} tabIndex={0}>
      <table {...roles.table} class={isStacked ? 'is-stacked' : undefined}>
        <caption id={id} class="is-hidden">
          {caption}
        </caption>
        <thead {...roles.group}>
          <tr {...roles.row}>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                {...roles.head}
                class={head === 'LSN' ? 'is-number' : undefined}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...roles.group}>{children}</tbody>
      </table>
    </section>
  );
}

/** A row of cells. */
export function TableRow({ children }: { readonly children: ComponentChildren }) {
  return <tr {...roles.row}>{children}</tr>;
}

/** The content of a cell. */
export interface CellProps {
  /** Of its column; stands before the cell where rows are drawn as cards. */
  readonly head: string;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  /** It names the row. */
  readonly isHead?: boolean;
  readonly children?: ComponentChildren;
}

/** A cell, or the head of its row. */
export function Cell({ head, isHead = false, children, ...rest }: CellProps) {
  if (isHead) {
    return (
      <th scope="row" {...roles.rowHead} data-head={head} {...rest}>
        {children}
      </th>
    );
  }
  return (
    <td {...roles.cell} data-head={head} {...rest}>
      {children}
    </td>
  );
}
