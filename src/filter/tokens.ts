// The words and signs of the filter language (behaviour/filters#words), and how a text is split
// into them.

import { FilterError } from './scope.ts';

/** Words that cannot be names unless they are quoted or part of a longer name. */
const keywords = [
  ...(['and', 'or', 'not', 'in', 'between', 'contains', 'icontains', 'true', 'false'] as const),
  ...(['null', 'anyOf', 'allOf', 'count', 'isEmpty', 'from', 'where', 'sort', 'by'] as const),
  ...(['asc', 'desc', 'skip', 'limit', 'none'] as const),
] as const;

type Keyword = (typeof keywords)[number];

type Sign = '!=' | '<=' | '>=' | '=' | '<' | '>' | '(' | ')' | '[' | ']' | ',';

/** Tokens that no rule of the grammar accepts; `end` follows the last token of a text. */
type NoToken = 'brokenDatetime' | 'brokenString' | 'unknown' | 'end';

/** The type of a token: a word and a sign are types of their own. */
export type TokenType = Keyword | Sign | 'name' | 'number' | 'string' | 'datetime' | NoToken;

/** A token of a text. */
export interface Token<T extends TokenType = TokenType> {
  readonly type: T;
  /** The text of the token; a name may be in single quotes, and a string is in double quotes. */
  readonly image: string;
  /** Characters before it. */
  readonly position: number;
}

const namePattern = /[A-Za-z][A-Za-z_]*(?:\.[A-Za-z_-]+)*/;
const momentPattern = /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)/;
const textPattern = /[ !#-[\]-\uffff]*(?:\\["\\nrtf][ !#-[\]-\uffff]*)*/;

/** White space, which is allowed between all tokens and required around some words. */
const space = ' \t\r\n';

/**
 * The patterns of tokens; the first one that matches counts. Any invalid text becomes one of the
 * tokens that no rule accepts. So splitting takes linear time for any text, and the first mistake
 * is reported, whether of spelling or of grammar.
 */
const patterns: readonly (readonly ['sign' | TokenType, RegExp])[] = [
  ['sign', /[!<>]=|[=<>()[\],]/y],
  ['string', sticky(`"${textPattern.source}"`)],
  // A string that does not end, or contains invalid characters.
  ['brokenString', sticky(`"${textPattern.source}`)],
  ['number', /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y],
  // The day of the moment may still not exist.
  ['datetime', sticky(`datetime\\([ \\t\\r\\n]*${momentPattern.source}[ \\t\\r\\n]*\\)`)],
  ['brokenDatetime', /datetime\([^)]*\)?/y],
  ['name', sticky(`${namePattern.source}|'${namePattern.source}'`)],
  ['unknown', /[\ud800-\udbff][\udc00-\udfff]|[\s\S]/y],
];

/** Words by their text in lower case: they are read in any case. */
const words: ReadonlyMap<string, Keyword> = new Map(
  keywords.map((word) => [word.toLowerCase(), word]),
);

/** The tokens of a text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (space.includes(text.charAt(at))) at += 1;
    else {
      const token = tokenAt(text, at);
      tokens.push(token);
      at += token.image.length;
    }
  }
  return tokens;
}

function tokenAt(text: string, position: number): Token {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = position;
    if (!pattern.test(text)) continue;
    const image = text.slice(position, pattern.lastIndex);
    if (type === 'sign') return { type: image as Sign, image, position };
    const word = type === 'name' ? words.get(image.toLowerCase()) : undefined;
    return { type: word ?? type, image, position };
  }
  throw new RangeError(`no token at ${position}`);
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'y');
}

const labels: Partial<Readonly<Record<TokenType, string>>> = {
  name: 'a name',
  number: 'a number',
  string: 'a string',
  datetime: 'datetime(…)',
  ',': 'a comma',
  anyOf: 'anyOf(…)',
  allOf: 'allOf(…)',
  count: 'count(…)',
  isEmpty: 'isEmpty(…)',
  sort: 'sort by',
  end: 'the end of the filter',
};

/** A type of tokens in the words of an error. */
export function labelOf(type: TokenType): string {
  return labels[type] ?? type;
}

/** Characters between the end of one token and the start of the next. */
export function gapBetween(before: Token, after: Token): number {
  return after.position - before.position - before.image.length;
}

/** Operators that may have a `not` before them. */
export const negatables = ['in', 'between', 'contains', 'icontains'] as const;

/** Words that must have white space on the right, and white space or a bracket on the left. */
const spaced: readonly TokenType[] = [
  'and',
  'or',
  'not',
  ...negatables,
  'from',
  'where',
  'sort',
  'by',
  'skip',
  'limit',
];

const spacedAfter: ReadonlySet<TokenType> = new Set(spaced);
const spacedBefore: ReadonlySet<TokenType> = new Set([...spaced, 'asc', 'desc', 'none']);

/**
 * Refuses words that touch their neighbours (behaviour/filters#words), and `not  in` with more than
 * one white space character (behaviour/filters#grammar).
 * @throws FilterError
 */
export function checkSpaces(tokens: readonly Token[]): void {
  for (let at = 1; at < tokens.length; at++) {
    const before = tokens[at - 1] as Token;
    const token = tokens[at] as Token;
    const gap = gapBetween(before, token);
    if (gap === 0) {
      const touchesLeft = spacedBefore.has(token.type) && before.type !== '(';
      if (touchesLeft || spacedAfter.has(before.type)) {
        const word = touchesLeft ? token : before;
        const side = touchesLeft ? 'before' : 'after';
        const text = `"${word.image}" needs white space ${side} it`;
        throw new FilterError(text, token.position, ['white space']);
      }
    } else if (gap > 1 && before.type === 'not' && token.type === 'in') {
      const text = 'exactly one white space character stands between "not" and "in"';
      throw new FilterError(text, before.position + before.image.length + 1, ['in']);
    }
  }
}
