// Explains the first invalid token, in the words of the language.

import { FilterError } from './scope.ts';
import { gapBetween, type Token } from './tokens.ts';

/**
 * The error for a token that no rule accepts. `before` is the previous token, if there is one, and
 * `end` the length of the text.
 */
export function mistake(
  token: Token,
  before: Token | undefined,
  expected: readonly string[],
  end: number,
): FilterError {
  if (token.type === 'end') return new FilterError('the filter ends too early', end, expected);
  if (token.type === 'brokenString') return stringMistake(token, end);
  return new FilterError(problemOf(token, before), token.position, expected);
}

function stringMistake({ image, position: start }: Token, end: number): FilterError {
  const position = start + image.length;
  if (position === end) return new FilterError('the string does not end', end, ['"']);
  const text = 'strings hold no raw control characters, and behind a backslash only " \\ n r t f';
  return new FilterError(text, position);
}

function problemOf(token: Token, before: Token | undefined): string {
  const { image, type } = token;
  if (type === 'brokenDatetime') {
    return 'datetime(…) takes a moment such as datetime(2026-08-22T09:03:03Z)';
  }
  if (image === "'") return 'single quotes stand around names, double quotes around strings';
  if (type === 'number' && before !== undefined && gapBetween(before, token) === 0) {
    if (before.type === 'name') return 'names have no digits';
    if (before.type === 'number') return 'numbers have no leading zeros';
  }
  const shown = shortened(image);
  return `${type === 'string' ? shown : JSON.stringify(shown)} does not fit here`;
}

/** Characters of a token that an error about a filter shows. @bound per request */
const shownTokenCharactersMax = 40;

function shortened(image: string): string {
  return image.length > shownTokenCharactersMax
    ? `${image.slice(0, shownTokenCharactersMax)}…`
    : image;
}
