// Quotes words of the commands that messages tell people to type.

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
