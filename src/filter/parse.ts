// Reads filters and sort parameters.

import { checkBounds } from './bounds.ts';
import type { QueryNode, SortKeyNode } from './nodes.ts';
import { Parser } from './parser.ts';
import { type FilterBounds, FilterError, filterBounds } from './scope.ts';
import { checkSpaces, tokensOf } from './tokens.ts';

/**
 * Parses a filter to a query (behaviour/filters#grammar).
 * @throws FilterError for a text that is none, blank ones included, and beyond the bounds
 */
export function parseQuery(text: string, bounds = filterBounds): QueryNode {
  return parse(text, bounds, (parser) => parser.query());
}

/**
 * Parses the keys of a `sort` parameter, which has the form of the text after `sort by`
 * (behaviour/lists#sort).
 * @throws FilterError for a text that is none, blank ones included, and beyond the bounds
 */
export function parseSort(text: string, bounds = filterBounds): readonly SortKeyNode[] {
  return parse(text, bounds, (parser) => parser.sortKeys());
}

function parse<N>(text: string, bounds: FilterBounds, read: (parser: Parser) => N): N {
  if (text.length > bounds.filterCharsMax) {
    const problem = `the filter is longer than ${bounds.filterCharsMax} characters`;
    throw new FilterError(problem, bounds.filterCharsMax);
  }
  const tokens = tokensOf(text);
  checkBounds(tokens, bounds);
  const parser = new Parser(tokens, text.length);
  const node = read(parser);
  parser.end();
  checkSpaces(tokens);
  return node;
}
