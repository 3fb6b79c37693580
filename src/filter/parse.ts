// Reads filters and sort parameters.

import type { ILexingResult } from 'chevrotain';
import { checkBounds, checkSpaces } from './bounds.ts';
import { loadChevrotain } from './chevrotain.ts';
import { type FilterBounds, FilterError, filterBounds } from './contract.ts';
import type { QueryNode, SortKeyNode } from './nodes.ts';
import { type QueryRules, queryRules } from './query-rules.ts';
import { Reading, type Rule } from './rules.ts';
import { space, tokenTypes } from './tokens.ts';

/**
 * Parses a filter to a query (behaviour/filters#grammar).
 * @throws FilterError for a text that is none, blank ones included, and beyond the bounds
 */
export function parseQuery(text: string, bounds = filterBounds): QueryNode {
  return parse(text, bounds, ({ query }) => query);
}

/**
 * Parses the keys of a `sort` parameter, which has the form of the text after `sort by`
 * (behaviour/lists#sort).
 * @throws FilterError for a text that is none, blank ones included, and beyond the bounds
 */
export function parseSort(text: string, bounds = filterBounds): readonly SortKeyNode[] {
  return parse(text, bounds, ({ sortKeys }) => sortKeys);
}

function parse<N>(text: string, bounds: FilterBounds, ruleOf: (rules: QueryRules) => Rule<N>): N {
  if (text.length > bounds.filterCharsMax) {
    const problem = `the filter is longer than ${bounds.filterCharsMax} characters`;
    throw new FilterError(problem, bounds.filterCharsMax);
  }
  const { reading, rules, lexer } = (built ??= build());
  const { tokens } = lexer.tokenize(text);
  checkBounds(tokens, bounds);
  try {
    reading.begin(tokens, text.length);
    const node = ruleOf(rules).call(reading.parser);
    const [error] = reading.parser.errors;
    if (error !== undefined) throw reading.mistakeAt(error.token, error.message.split('\n'));
    checkSpaces(tokens);
    return node;
  } finally {
    // Releases the text of the request.
    reading.begin([], 0);
  }
}

/**
 * Lexer and parser. One of each is sufficient, because parsing is never interrupted by another
 * text.
 */
interface Built {
  readonly lexer: { tokenize(text: string): ILexingResult };
  readonly reading: Reading;
  readonly rules: QueryRules;
}

let built: Built | undefined;

function build(): Built {
  const chevrotain = loadChevrotain();
  const { Lexer } = chevrotain;
  const lexer = new Lexer([{ ...space, GROUP: Lexer.SKIPPED }, ...tokenTypes], {
    positionTracking: 'onlyOffset',
    ensureOptimizations: true,
    // The tokens are fixed; a test checks them.
    skipValidations: true,
  });
  const reading = new Reading(chevrotain);
  return { lexer, reading, rules: queryRules(reading) };
}
