// Rows of tables that are drawn as cards on narrow pages, where each cell has its head before it.

import type { ComponentChildren } from 'preact';
import { tableRoles } from './table-roles.ts';

/** A row of cells. */
export function TableRow({ children }: { readonly children: ComponentChildren }) {
  return <tr {...tableRoles.row}>{children}</tr>;
}

/** The content of a cell. */
export interface CellProps {
  /** Of its column. */
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
      <th scope="row" {...tableRoles.rowHead} data-head={head} {...rest}>
        {children}
      </th>
    );
  }
  return (
    <td {...tableRoles.cell} data-head={head} {...rest}>
      {children}
    </td>
  );
}
