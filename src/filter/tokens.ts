// The words and signs of the filter language (behaviour/filters#words), as tokens for chevrotain.

import type { IToken, TokenType } from 'chevrotain';
import { type Keyword, keywords } from './keywords.ts';

const namePattern = /[A-Za-z][A-Za-z_]*(?:\.[A-Za-z_-]+)*/;
const momentPattern = /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)/;
const textPattern = /(?:[ !#-[\]-\uffff]|\\["\\nrtf])*/;

/** White space, which is allowed between all tokens and required around some words. */
export const space: TokenType = { name: 'Space', PATTERN: /[ \t\r\n]+/ };

/** A symbol's or linked set's name, in single quotes or without. */
export const name: TokenType = {
  name: 'Name',
  LABEL: 'a name',
  PATTERN: new RegExp(`${namePattern.source}|'${namePattern.source}'`),
};

/** `datetime(…)` around a moment, whose day may still not exist. */
export const datetime: TokenType = {
  name: 'Datetime',
  LABEL: 'datetime(…)',
  PATTERN: new RegExp(`datetime\\([ \\t\\r\\n]*${momentPattern.source}[ \\t\\r\\n]*\\)`),
};

/** A number with fraction and exponent, both optional. */
export const number: TokenType = {
  name: 'Number',
  LABEL: 'a number',
  PATTERN: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/,
};

/** A string with its quotes. */
export const string: TokenType = {
  name: 'String',
  LABEL: 'a string',
  PATTERN: new RegExp(`"${textPattern.source}"`),
};

// Any invalid text becomes one of these tokens, which no rule accepts. So the lexer takes linear
// time for any text, and the first mistake is reported, whether of spelling or of grammar.

/** `datetime(` around any other text. */
export const brokenDatetime: TokenType = {
  name: 'BrokenDatetime',
  PATTERN: /datetime\([^)]*\)?/,
};

/** A string that does not end, or contains invalid characters. */
export const brokenString: TokenType = {
  name: 'BrokenString',
  PATTERN: new RegExp(`"${textPattern.source}`),
};

const unknown: TokenType = {
  name: 'Unknown',
  PATTERN: new RegExp(`[\\ud800-\\udbff][\\udc00-\\udfff]|[${String.fromCharCode(0)}-\\uffff]`),
};

/** Words with a meaning of their own. */
export const words: Readonly<Record<Keyword, TokenType>> = Object.fromEntries(
  keywords.map((text) => [text, word(text)]),
) as Record<Keyword, TokenType>;

/** Operators, brackets and the comma. */
export const signs = {
  notEqual: sign('notEqual', '!='),
  lessOrEqual: sign('lessOrEqual', '<='),
  greaterOrEqual: sign('greaterOrEqual', '>='),
  equal: sign('equal', '='),
  less: sign('less', '<'),
  greater: sign('greater', '>'),
  open: sign('open', '('),
  close: sign('close', ')'),
  openArray: sign('openArray', '['),
  closeArray: sign('closeArray', ']'),
  comma: sign('comma', ',', 'a comma'),
} as const;

/** Every token type except white space; if several match, the first one wins. */
export const tokenTypes: readonly TokenType[] = [
  datetime,
  brokenDatetime,
  ...Object.values(words),
  name,
  number,
  string,
  brokenString,
  ...Object.values(signs),
  unknown,
];

/** Characters between the end of one token and the start of the next. */
export function gapBetween(before: IToken, after: IToken): number {
  return after.startOffset - before.startOffset - before.image.length;
}

function word(text: Keyword): TokenType {
  // `anyOf` and similar words differ from the other words by their capital; `sort` belongs to `by`.
  const call = /[A-Z]/.test(text) || text === 'count' ? `${text}(…)` : text;
  const label = text === 'sort' ? 'sort by' : call;
  return {
    name: capitalised(text),
    LABEL: label,
    PATTERN: new RegExp(text, 'i'),
    LONGER_ALT: name,
  };
}

function sign(signName: string, text: string, label = text): TokenType {
  return { name: capitalised(signName), LABEL: label, PATTERN: text };
}

/** Tokens and rules share one set of names in chevrotain; those of rules are in lower case. */
function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
