// Turns the pages of a list.

import { formatCount } from '../format.ts';

/** Which rows are shown, out of how many. */
export interface PageTurnerProps {
  readonly offset: number;
  readonly rows: number;
  readonly pageRows: number;
  readonly total: number;
  onOffset(offset: number): void;
}

/** Two buttons and a word of where one is. */
export function PageTurner({ offset, rows, pageRows, total, onOffset }: PageTurnerProps) {
  const range = `${formatCount(rows === 0 ? 0 : offset + 1)} to ${formatCount(offset + rows)}`;
  return (
    <nav aria-label="Pages" class="pages">
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
