// Reports the expected input at the first invalid token, in the words of the language.

import type { IParserErrorMessageProvider, IToken, TokenType } from 'chevrotain';
import { FilterError } from './contract.ts';
import { brokenDatetime, brokenString, gapBetween, name, number, string } from './tokens.ts';

/** Collects the tokens that optional parts of the grammar would have accepted at one token. */
export class MissedTokens {
  #at: IToken | undefined;
  #labels = new Set<string>();

  /**
   * Notes that each of `types` would have been valid instead of `token`, the furthest one reached.
   */
  note(token: IToken, types: readonly TokenType[]): void {
    if (token !== this.#at) {
      this.#at = token;
      this.#labels.clear();
    }
    for (const type of types) this.#labels.add(labelOf(type));
  }

  /** The types noted for `token`. */
  labels(token: IToken): string[] {
    return token === this.#at ? [...this.#labels] : [];
  }

  /** Forgets everything, for the next text. */
  clear(): void {
    this.#at = undefined;
    this.#labels.clear();
  }
}

/** Reduces chevrotain's errors to the labels that the failed rule expected, one per line. */
export const firstLabels: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => labelOf(expected),
  buildNotAllInputParsedMessage: () => endLabel,
  buildNoViableAltMessage: ({ expectedPathsPerAlt }) => labelsOf(expectedPathsPerAlt.flat()),
  buildEarlyExitMessage: ({ expectedIterationPaths }) => labelsOf(expectedIterationPaths),
};

const endLabel = 'the end of the filter';

function labelsOf(paths: readonly (readonly TokenType[])[]): string {
  return paths.flatMap(([first]) => (first === undefined ? [] : labelOf(first))).join('\n');
}

function labelOf(type: TokenType): string {
  return type.LABEL ?? type.name;
}

/**
 * The error for a token that no rule accepts. `end` is the length of the text, `before` the
 * previous token, if there is one.
 */
export function mistake(
  token: IToken,
  before: IToken | undefined,
  expected: readonly string[],
  end: number,
): FilterError {
  const labels = [...new Set(expected)].filter((label) => label !== '');
  if (Number.isNaN(token.startOffset)) {
    return new FilterError('the filter ends too early', end, labels);
  }
  if (token.tokenType === brokenString) return stringMistake(token, end);
  return new FilterError(problemOf(token, before), token.startOffset, labels);
}

function stringMistake({ image, startOffset }: IToken, end: number): FilterError {
  const position = startOffset + image.length;
  if (position === end) return new FilterError('the string does not end', end, ['"']);
  const text = 'strings hold no raw control characters, and behind a backslash only " \\ n r t f';
  return new FilterError(text, position);
}

function problemOf(token: IToken, before: IToken | undefined): string {
  const { image, tokenType } = token;
  if (tokenType === brokenDatetime) {
    return 'datetime(…) takes a moment such as datetime(2026-08-22T09:03:03Z)';
  }
  if (image === "'") return 'single quotes stand around names, double quotes around strings';
  if (tokenType === number && before !== undefined && gapBetween(before, token) === 0) {
    if (before.tokenType === name) return 'names have no digits';
    if (before.tokenType === number) return 'numbers have no leading zeros';
  }
  const shown = shortened(image);
  return `${tokenType === string ? shown : JSON.stringify(shown)} does not fit here`;
}

/** Characters of a token that an error about a filter shows. @bound per request */
const shownTokenCharactersMax = 40;

function shortened(image: string): string {
  return image.length > shownTokenCharactersMax
    ? `${image.slice(0, shownTokenCharactersMax)}…`
    : image;
}
