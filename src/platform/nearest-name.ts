// The known name that a misspelt one was probably meant to be.

/** More edits than this make another name of it. */
const misspellings = 2;

/**
 * The name among `known` that `word` differs least from, if at most two edits of single characters
 * make one of the other, and at most one per three characters: of a short word, two edits would
 * leave nothing. Capitals do not count. Undefined if there is none.
 */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.min(misspellings, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - word.length) >= least) continue;
    const edits = editsBetween(word.toLowerCase(), name.toLowerCase());
    if (edits >= least) continue;
    nearest = name;
    least = edits;
  }
  return nearest;
}

/**
 * Up to `most` names that at most two edits of single characters make of `word`, the nearest first.
 * Capitals do not count.
 */
export function nearestNames(word: string, known: readonly string[], most: number): string[] {
  return known
    .filter((name) => Math.abs(name.length - word.length) <= misspellings)
    .map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= misspellings)
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * The Damerau-Levenshtein distance: how often a character is inserted, left out, replaced, or
 * swapped with its neighbour.
 */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const edits = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      current.push(edits);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

/** Outside of the table nothing can be reached. */
function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
