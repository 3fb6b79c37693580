// What a generated page is, and the Markdown that pages share.

/** One file made from the code. */
export interface GeneratedPage {
  /** The path below the root of the checkout. */
  readonly file: string;
  /** @param present the text of the file, empty without one */
  make(present: string): string | Promise<string>;
}

/** Says on the page itself where it comes from. */
export function generatedFrom(source: string): string {
  return `<!-- Made from ${source} by npm run generate. Do not edit. -->`;
}

/** A Markdown table; cells are free of line feeds. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  return lines.join('\n');
}

/** Text as code, or nothing. */
export function code(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `\`${text}\``;
}
