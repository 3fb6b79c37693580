// The one filter for text that a terminal shows: much of it was written by others, into names, into
// a directory, a backup or a file.

/**
 * Text on one line, in which nothing steers a terminal or deceives a reader: control characters
 * (C0, DEL, C1), separators of lines, and marks, embeddings, overrides and isolates of a direction
 * of writing (UAX #9 §2) are shown as `\uXXXX`. In JSON that is the same text.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text.replace(unprintable, (found) => (found === '\n' ? found : escaped(found)));
}

/** Whether `printableLines` leaves a text as it is. */
export function isPrintable(text: string): boolean {
  return printableLines(text) === text;
}

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
