// Checks the tokens before they are parsed: depth, number and white space.

import type { IToken, TokenType } from 'chevrotain';
import { type FilterBounds, FilterError } from './contract.ts';
import { gapBetween, name, signs, words } from './tokens.ts';

/**
 * Refuses input that is nested too deeply or too long, so that parser, checker and evaluation may
 * recurse safely. A `not`, and an `and` after an `or` or the other way round, nests everything that
 * follows (behaviour/filters#precedence); each dot of a name may lead through a link.
 * @throws FilterError
 */
export function checkBounds(tokens: readonly IToken[], bounds: FilterBounds): void {
  /** For each open bracket: the depth outside of it, and the last of `and` and `or`. */
  const open: { outside: number; chain: TokenType | undefined }[] = [];
  let level: { outside: number; chain: TokenType | undefined } = { outside: 0, chain: undefined };
  let depth = 0;
  let conditions = 1;
  let elements = 0;
  let isRange = false;
  for (const [at, token] of tokens.entries()) {
    const type = token.tokenType;
    if (type === signs.open) {
      open.push(level);
      level = { outside: depth, chain: undefined };
      depth++;
    } else if (type === signs.close) {
      depth = level.outside;
      level = open.pop() ?? { outside: 0, chain: undefined };
    } else if (type === words.not) {
      if (!isNegatedOperator(tokens[at + 1])) depth++;
    } else if (type === signs.openArray) {
      elements = 1;
    } else if (type === signs.comma && elements > 0) {
      elements++;
    } else if (type === signs.closeArray) {
      elements = 0;
    } else if (type === words.between) {
      isRange = true;
    } else if (type === words.and && isRange) {
      isRange = false;
    } else if (type === words.and || type === words.or) {
      if (level.chain !== type && level.chain !== undefined) depth++;
      level.chain = type;
      conditions++;
    }
    const dots = type === name ? token.image.split('.').length - 1 : 0;
    if (depth + dots > bounds.filterDepthMax) throw tooDeep(token, bounds);
    if (conditions > bounds.filterConditionsMax) throw tooMany(token, bounds);
    if (elements > bounds.filterArrayMax) throw tooLong(token, bounds);
  }
}

function tooDeep({ startOffset }: IToken, { filterDepthMax }: FilterBounds): FilterError {
  const text = `the filter is nested more than ${filterDepthMax} deep`;
  return new FilterError(text, startOffset);
}

function tooMany({ startOffset }: IToken, { filterConditionsMax }: FilterBounds): FilterError {
  const text = `the filter has more than ${filterConditionsMax} conditions`;
  return new FilterError(text, startOffset);
}

/** Operators that may have a `not` before them. */
const negatable: readonly TokenType[] = [words.in, words.between, words.contains, words.icontains];

function tooLong({ startOffset }: IToken, { filterArrayMax }: FilterBounds): FilterError {
  const text = `an array of the filter has more than ${filterArrayMax} values`;
  return new FilterError(text, startOffset);
}

function isNegatedOperator(after: IToken | undefined): boolean {
  return after !== undefined && negatable.includes(after.tokenType);
}

/** Words that must have white space or an opening bracket on the left. */
const spacedBefore: ReadonlySet<TokenType> = new Set(
  [
    words.and,
    words.or,
    words.not,
    ...negatable,
    words.from,
    words.where,
    words.sort,
    words.by,
  ].concat([words.asc, words.desc, words.skip, words.limit, words.none]),
);

/** Words that must have white space on the right. */
const spacedAfter: ReadonlySet<TokenType> = new Set(
  [...spacedBefore].filter(
    (type) => type !== words.asc && type !== words.desc && type !== words.none,
  ),
);

/**
 * Refuses words that touch their neighbours (behaviour/filters#words), and `not  in` with more than
 * one white space character (behaviour/filters#grammar).
 * @throws FilterError
 */
export function checkSpaces(tokens: readonly IToken[]): void {
  for (let at = 1; at < tokens.length; at++) {
    const before = tokens[at - 1] as IToken;
    const token = tokens[at] as IToken;
    const gap = gapBetween(before, token);
    if (gap === 0) {
      const touchesLeft = spacedBefore.has(token.tokenType) && before.tokenType !== signs.open;
      if (touchesLeft || spacedAfter.has(before.tokenType)) {
        const word = touchesLeft ? token : before;
        const side = touchesLeft ? 'before' : 'after';
        const text = `"${word.image}" needs white space ${side} it`;
        throw new FilterError(text, token.startOffset, ['white space']);
      }
    } else if (gap > 1 && before.tokenType === words.not && token.tokenType === words.in) {
      const text = 'exactly one white space character stands between "not" and "in"';
      throw new FilterError(text, before.startOffset + before.image.length + 1, ['in']);
    }
  }
}
