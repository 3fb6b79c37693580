// Turns the pages of a list.

import { formatCount } from '../format.ts';

/** Which part of a list is shown. */
export interface PageTurnerProps {
  /** Of the buttons, for screen readers, where a view has several lists. */
  readonly name?: string;
  readonly offset: number;
  /** How many rows are shown. */
  readonly rows: number;
  /** How many rows a whole page has. */
  readonly pageRows: number;
  readonly total: number;
  onOffset(offset: number): void;
}

/** Two buttons, and which rows are shown out of how many. */
export function PageTurner(props: PageTurnerProps) {
  const { name = 'Pages', offset, rows, pageRows, total, onOffset } = props;
  const range = `${formatCount(rows === 0 ? 0 : offset + 1)} to ${formatCount(offset + rows)}`;
  return (
    <nav aria-label={name} class="pages">
      <button
        type="button"
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - pageRows))}
      >
        Previous page
      </button>
      <button
        type="button"
        disabled={offset + rows >= total}
        onClick={() => onOffset(offset + pageRows)}
      >
        Next page
      </button>
      <span class="figure">
        {range} of {formatCount(total)}
      </span>
    </nav>
  );
}
