// Text within HTML, and where one page of the site lies as seen from another.

import { posix } from 'node:path';

/** `text` as it stands in HTML, within attributes too. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The address of the file `to`, which may end in `#…`, in a page that is the file `from`. */
export function addressOf(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/**
 * A table that scrolls by itself where the page is narrower. Its cells are HTML; a column without
 * any is left out.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isUsed = (_: string, column: number) => rows.some((row) => row[column] !== '');
  const cells = (row: readonly string[], tag: 'td' | 'th') =>
    `<tr>${row
      .filter(isUsed)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`;
  const body = rows.map((row) => cells(row, 'td')).join('\n');
  return scrolling(
    `<table>\n<thead>${cells(head, 'th')}</thead>\n<tbody>\n${body}\n</tbody>\n</table>`,
  );
}

/** Wide content that scrolls within the page, with the keyboard as well. */
export function scrolling(html: string): string {
  return `<div class="scrolling" tabindex="0">${html}</div>\n`;
}
