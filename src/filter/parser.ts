// The grammar of the filter language (behaviour/filters#grammar), by recursive descent. The tokens
// were checked before, so the depth of the recursion is bounded.

import { readMoment, readNumber, readString } from './literals.ts';
import { mistake } from './mistakes.ts';
import {
  type ArrayNode,
  type ComparisonNode,
  type ConditionNode,
  frozen,
  type LeftNode,
  type LiteralNode,
  type NameNode,
  type QueryNode,
  type SetNode,
  type SortKeyNode,
} from './nodes.ts';
import { FilterError } from './scope.ts';
import { labelOf, negatables, type Token, type TokenType } from './tokens.ts';

/** The first tokens of a condition. */
const conditionFirsts = [
  'name',
  '(',
  'not',
  'isEmpty',
  'count',
  'anyOf',
  'allOf',
  'true',
  'false',
] as const;

/** The first tokens of a comparison, after its left operand. */
const comparisonFirsts = ['=', '!=', '<', '<=', '>', '>=', 'not', ...negatables] as const;

/**
 * Reads the tokens of one text. Each method for a construct reads it from the next token on.
 * @throws FilterError for the first token that does not fit, naming what would
 */
export class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;
  /** The types of tokens that would have fitted instead of the next one. */
  readonly #expected: TokenType[] = [];

  /** @param length of the text */
  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens;
    this.#end = { type: 'end', image: '', position: length };
  }

  /** A complete query; at least one of its parts is present. */
  query(): QueryNode {
    const { position } = this.#next;
    const condition = this.#sees(conditionFirsts) ? this.#condition() : undefined;
    const sort = this.#take('sort') && this.#sortBy();
    const skip = this.#take('skip') && wholeNumber(this.#need('number'));
    const limit = this.#take('limit') && this.#limit();
    if ((condition ?? sort ?? skip ?? limit) === undefined) this.#fail();
    return frozen({ kind: 'query', position, condition, sort: sort ?? noKeys, skip, limit });
  }

  /** The keys of an order, as after `sort by`. */
  sortKeys(): readonly SortKeyNode[] {
    const keys: SortKeyNode[] = [];
    do {
      const { position, name } = this.#name();
      const isDescending = this.#take('asc', 'desc')?.type === 'desc';
      keys.push(frozen({ kind: 'sortKey', position, name, isDescending }));
    } while (this.#take(','));
    return Object.freeze(keys);
  }

  /** The end of the text. */
  end(): void {
    if (!this.#sees(['end'])) this.#fail();
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? this.#end;
  }

  /** Whether the next token has one of the types. */
  #sees(types: readonly TokenType[]): boolean {
    if (types.includes(this.#next.type)) return true;
    this.#expected.push(...types);
    return false;
  }

  /** Reads the next token if it has one of the types. */
  #take<T extends TokenType>(...types: readonly T[]): Token<T> | undefined {
    if (!this.#sees(types)) return undefined;
    this.#expected.length = 0;
    return this.#tokens[this.#at++] as Token<T>;
  }

  #need<T extends TokenType>(...types: readonly T[]): Token<T> {
    return this.#take(...types) ?? this.#fail();
  }

  #fail(): never {
    const expected = [...new Set(this.#expected)].map(labelOf);
    throw mistake(this.#next, this.#tokens[this.#at - 1], expected, this.#end.position);
  }

  #sortBy(): readonly SortKeyNode[] {
    this.#need('by');
    return this.sortKeys();
  }

  #limit(): number | 'none' {
    const token = this.#need('number', 'none');
    return token.type === 'none' ? 'none' : wholeNumber(token);
  }

  #condition(): ConditionNode {
    const terms = [this.#term()];
    const joints: ('and' | 'or')[] = [];
    for (;;) {
      const joint = this.#take('and', 'or');
      if (joint === undefined) return chained(terms, joints);
      joints.push(joint.type);
      terms.push(this.#term());
    }
  }

  #term(): ConditionNode {
    const token = this.#need(...conditionFirsts);
    const { type, position } = token;
    switch (type) {
      case 'name':
        return this.#flagOrComparison(nameNode(token));
      case '(': {
        const inner = this.#condition();
        this.#need(')');
        return inner;
      }
      case 'not':
        // Includes everything that follows (behaviour/filters#precedence).
        return frozen({ kind: 'not', position, operand: this.#condition() });
      case 'isEmpty':
        return frozen({ kind: 'isEmpty', position, set: this.#set() });
      case 'count':
        return this.#comparison(frozen({ kind: 'count', position, set: this.#set() }));
      case 'anyOf':
      case 'allOf': {
        this.#need('(');
        const set = this.#name();
        this.#need(')');
        return this.#comparison(frozen({ kind: type, position, set }));
      }
      case 'true':
      case 'false':
        return frozen({ kind: 'truth', position, value: type === 'true' });
    }
  }

  #flagOrComparison(left: NameNode): ConditionNode {
    if (this.#sees(comparisonFirsts)) return this.#comparison(left);
    return frozen({ kind: 'flag', position: left.position, name: left.name });
  }

  /** The operand of `count` and `isEmpty`. */
  #set(): SetNode {
    this.#need('(');
    const first = this.#need('name', 'from');
    const set = first.type === 'name' ? nameNode(first) : this.#from(first.position);
    this.#need(')');
    return set;
  }

  #from(position: number): SetNode {
    const set = this.#name();
    this.#need('where');
    return frozen({ kind: 'from', position, set, query: this.query() });
  }

  /** An operator and its right operand. */
  #comparison(left: LeftNode): ComparisonNode {
    const operator = this.#need(...comparisonFirsts);
    const { type, position } = operator;
    switch (type) {
      case '=':
      case '!=': {
        const right = this.#literal('string', 'number', 'datetime', 'true', 'false', 'null');
        return frozen({ kind: 'equal', position, left, isNegated: type === '!=', right });
      }
      case '<':
      case '<=':
      case '>':
      case '>=': {
        const right = this.#literal('string', 'number', 'datetime');
        return frozen({ kind: 'order', position, left, operator: type, right });
      }
      case 'not':
        return this.#negatable(left, this.#need(...negatables), true);
      default:
        return this.#negatable(left, { ...operator, type }, false);
    }
  }

  #negatable(
    left: LeftNode,
    { type, position }: Token<(typeof negatables)[number]>,
    isNegated: boolean,
  ): ComparisonNode {
    switch (type) {
      case 'in':
        return frozen({ kind: 'in', position, left, isNegated, right: this.#array() });
      case 'between': {
        const lower = this.#literal('number', 'datetime');
        this.#need('and');
        const upper = this.#literal(lower.kind);
        return frozen({ kind: 'between', position, left, isNegated, lower, upper });
      }
      case 'contains': {
        const right = this.#literal('string', 'number');
        return frozen({ kind: 'contains', position, left, isNegated, isFolded: false, right });
      }
      case 'icontains': {
        const right = this.#literal('string');
        return frozen({ kind: 'contains', position, left, isNegated, isFolded: true, right });
      }
    }
  }

  /** One or more values of one type. */
  #array(): ArrayNode {
    const { position } = this.#need('[');
    const first = this.#literal('string', 'number', 'datetime');
    const items = [first];
    while (this.#take(',')) items.push(this.#literal(first.kind));
    this.#need(']');
    const values = Object.freeze(items.map(({ value }) => value));
    const array = { kind: 'array', position, type: first.kind, values };
    if (first.kind !== 'number') return frozen(array as ArrayNode);
    const texts = Object.freeze(items.map((item) => (item.kind === 'number' ? item.text : '')));
    return frozen({ ...array, texts } as ArrayNode);
  }

  #name(): NameNode {
    return nameNode(this.#need('name'));
  }

  #literal<T extends LiteralType>(...types: readonly T[]): LiteralNode & { kind: KindOf<T> } {
    return literalNode(this.#need(...types)) as LiteralNode & { kind: KindOf<T> };
  }
}

const noKeys: readonly SortKeyNode[] = Object.freeze([]);

type LiteralType = 'string' | 'number' | 'datetime' | 'true' | 'false' | 'null';
type KindOf<T extends LiteralType> = T extends 'true' | 'false' ? 'boolean' : T;

/** @throws FilterError for a number that is too large, and for a moment that does not exist */
function literalNode({ type, image, position }: Token<LiteralType>): LiteralNode {
  switch (type) {
    case 'string':
      return frozen({ kind: type, position, value: readString(image) });
    case 'number': {
      const value = readNumber(image);
      if (value === undefined) throw new FilterError(`${image} is too large`, position);
      return frozen({ kind: type, position, value, text: image });
    }
    case 'datetime': {
      const value = readMoment(image.slice('datetime('.length, -1).trim());
      if (value === undefined) throw new FilterError(`there is no moment ${image}`, position);
      return frozen({ kind: type, position, value });
    }
    case 'null':
      return frozen({ kind: type, position, value: null });
    default:
      return frozen({ kind: 'boolean', position, value: type === 'true' });
  }
}

function nameNode({ image, position }: Token<TokenType>): NameNode {
  return frozen({ kind: 'name', position, name: image.replaceAll("'", '') });
}

/** The number after `skip` and `limit`. */
function wholeNumber({ image, position }: Token): number {
  const value = Number(image);
  if (Number.isSafeInteger(value) && /^-?\d+$/.test(image)) return value + 0;
  throw new FilterError(`${image} is not a whole number`, position, ['a whole number']);
}

/**
 * `t0 j0 t1 j1 t2`: the right operand of each joint is everything that follows
 * (behaviour/filters#precedence), so the nodes are built from the right; consecutive equal joints
 * form one node.
 */
function chained(
  terms: readonly ConditionNode[],
  joints: readonly ('and' | 'or')[],
): ConditionNode {
  let operands = terms.slice(-1);
  for (let at = joints.length - 1; at >= 0; at--) {
    const after = joints[at + 1];
    // In reverse order until they are one node, because one unshift per term would be quadratic.
    if (after !== undefined && joints[at] !== after) operands = [chain(after, operands)];
    operands.push(terms[at] as ConditionNode);
  }
  const [first] = joints;
  return first === undefined ? (operands[0] as ConditionNode) : chain(first, operands);
}

/** One node of operands given in reverse order. */
function chain(kind: 'and' | 'or', turned: ConditionNode[]): ConditionNode {
  const operands = Object.freeze(turned.reverse());
  return frozen({ kind, position: operands[0]?.position ?? 0, operands });
}
