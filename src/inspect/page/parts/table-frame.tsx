// A table that scrolls within itself where the page is narrower than it.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { tableRoles } from './table-roles.ts';

/** A table's name, heads and rows. */
export interface TableFrameProps {
  readonly caption: string;
  /** Columns; those of `numbers` are set to the right. */
  readonly heads: readonly string[];
  readonly numbers?: readonly string[];
  /** Whether the caption is only for those who cannot see the heading above. */
  readonly isCaptionHidden?: boolean;
  /** Its rows are `TableRow`s, which are drawn as cards on narrow pages. */
  readonly isStacked?: boolean;
  readonly children: ComponentChildren;
}

/** The keyboard reaches the frame, so that it can be scrolled without a mouse. */
export function TableFrame({ caption, heads, numbers = [], ...rest }: TableFrameProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls.
    <section class="table-frame" aria-labelledby={id} tabIndex={0}>
      <table {...tableRoles.table} class={rest.isStacked === true ? 'is-stacked' : undefined}>
        <caption id={id} class={rest.isCaptionHidden === true ? 'is-hidden' : undefined}>
          {caption}
        </caption>
        <thead {...tableRoles.group}>
          <tr {...tableRoles.row}>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                {...tableRoles.head}
                class={numbers.includes(head) ? 'is-number' : undefined}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...tableRoles.group}>{rest.children}</tbody>
      </table>
    </section>
  );
}
