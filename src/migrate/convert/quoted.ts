// Texts of the peer within sentences of the report.

import { printable } from '../../platform/printable.ts';

/** Characters of a text that a sentence quotes; the rest is left to the source. */
const quotedCharacters = 100;

/** A text in quotation marks on one line, cut where it is long. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.slice(0, quotedCharacters)));
}

/** Several texts, the first ten of them. */
export function quotedList(texts: readonly string[]): string {
  const shown = texts.slice(0, 10).map(quoted).join(', ');
  return texts.length > 10 ? `${shown} and ${texts.length - 10} more` : shown;
}
