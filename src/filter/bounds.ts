// Bounds the depth and the number of tokens before they are parsed.

import { type FilterBounds, FilterError } from './scope.ts';
import { negatables, type Token, type TokenType } from './tokens.ts';

/**
 * Refuses input that is nested too deeply or too long, so that parser, checker and evaluation may
 * recurse safely. A `not`, and an `and` after an `or` or the other way round, nests everything that
 * follows (behaviour/filters#precedence); each dot of a name may lead through a link.
 * @throws FilterError
 */
export function checkBounds(tokens: readonly Token[], bounds: FilterBounds): void {
  const { filterDepthMax, filterConditionsMax, filterArrayMax } = bounds;
  /** For each open bracket: the depth outside of it, and the last of `and` and `or`. */
  const open: { outside: number; chain: TokenType | undefined }[] = [];
  let level: { outside: number; chain: TokenType | undefined } = { outside: 0, chain: undefined };
  let depth = 0;
  let conditions = 1;
  let elements = 0;
  let isRange = false;
  for (const [at, { type, image, position }] of tokens.entries()) {
    if (type === '(') {
      open.push(level);
      level = { outside: depth, chain: undefined };
      depth++;
    } else if (type === ')') {
      depth = level.outside;
      level = open.pop() ?? { outside: 0, chain: undefined };
    } else if (type === 'not') {
      if (!isNegatedOperator(tokens[at + 1])) depth++;
    } else if (type === '[') {
      elements = 1;
    } else if (type === ',' && elements > 0) {
      elements++;
    } else if (type === ']') {
      elements = 0;
    } else if (type === 'between') {
      isRange = true;
    } else if (type === 'and' && isRange) {
      isRange = false;
    } else if (type === 'and' || type === 'or') {
      if (level.chain !== type && level.chain !== undefined) depth++;
      level.chain = type;
      conditions++;
    }
    const dots = type === 'name' ? image.split('.').length - 1 : 0;
    if (depth + dots > filterDepthMax) {
      throw new FilterError(`the filter is nested more than ${filterDepthMax} deep`, position);
    }
    if (conditions > filterConditionsMax) {
      throw new FilterError(`the filter has more than ${filterConditionsMax} conditions`, position);
    }
    if (elements > filterArrayMax) {
      const text = `an array of the filter has more than ${filterArrayMax} values`;
      throw new FilterError(text, position);
    }
  }
}

function isNegatedOperator(after: Token | undefined): boolean {
  return negatables.some((type) => type === after?.type);
}
