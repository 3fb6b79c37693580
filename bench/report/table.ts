// Tables of text: aligned for a terminal, or as Markdown.

/** A column: its heading, and whether its cells are numbers. */
export interface Column {
  readonly heading: string;
  readonly numeric: boolean;
}

/** Rows of cells, one per column. */
export interface TextTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** Makes a column of text, or with `#` in front of the heading one of numbers. */
export function columns(...headings: string[]): Column[] {
  return headings.map((heading) =>
    heading.startsWith('#')
      ? { heading: heading.slice(1), numeric: true }
      : { heading, numeric: false },
  );
}

/** The table for a terminal: columns as wide as necessary, numbers aligned to the right. */
export function plainTable({ columns, rows }: TextTable): string {
  const headings = columns.map(({ heading }) => heading);
  const widths = columns.map((_, index) =>
    Math.max(...[headings, ...rows].map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ numeric }, index) => {
        const cell = cells[index] ?? '';
        const width = widths[index] ?? 0;
        return numeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return `${[line(headings), ...rows.map(line)].join('\n')}\n`;
}

/** The table as Markdown. */
export function markdownTable({ columns, rows }: TextTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = columns.map(({ numeric }) => (numeric ? '---:' : '---'));
  return `${[line(columns.map(({ heading }) => heading)), line(rule), ...rows.map(line)].join('\n')}\n`;
}
