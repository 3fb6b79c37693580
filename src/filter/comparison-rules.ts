// The part of the grammar that reads operators and their right operands.

import {
  type ComparisonNode,
  frozen,
  type LeftNode,
  type LiteralNode,
  type OrderOperator,
} from './nodes.ts';
import type { Reading, Rule } from './rules.ts';
import { signs, words } from './tokens.ts';
import type { ValueRules } from './value-rules.ts';

/** A rule that receives the left operand of its operator. */
export type ComparisonRule = Rule<ComparisonNode, [left: LeftNode]>;

/** Defines the rule for every comparison. */
export function comparisonRule(reading: Reading, values: ValueRules): ComparisonRule {
  const p = reading.parser;
  const equal = equalRule(reading, values);
  const order = orderRule(reading, values);
  const negatable = negatableRule(reading, values);
  return p.RULE('comparison', (left: LeftNode) =>
    p.OR<ComparisonNode>([
      { ALT: () => p.SUBRULE(equal, { ARGS: [left] }) },
      { ALT: () => p.SUBRULE(order, { ARGS: [left] }) },
      { ALT: () => p.SUBRULE(negatable, { ARGS: [left] }) },
    ]),
  );
}

function equalRule({ parser: p }: Reading, { scalar }: ValueRules): ComparisonRule {
  return p.RULE('equal', (left: LeftNode) => {
    const { startOffset: position, tokenType } = p.OR([
      { ALT: () => p.CONSUME(signs.equal) },
      { ALT: () => p.CONSUME(signs.notEqual) },
    ]);
    const right = p.SUBRULE(scalar);
    const isNegated = tokenType === signs.notEqual;
    return frozen({ kind: 'equal', position, left, isNegated, right });
  });
}

function orderRule(
  { parser: p }: Reading,
  { aString, aNumber, aMoment }: ValueRules,
): ComparisonRule {
  return p.RULE('order', (left: LeftNode) => {
    const { startOffset: position, image } = p.OR([
      { ALT: () => p.CONSUME(signs.less) },
      { ALT: () => p.CONSUME(signs.lessOrEqual) },
      { ALT: () => p.CONSUME(signs.greater) },
      { ALT: () => p.CONSUME(signs.greaterOrEqual) },
    ]);
    const right = p.OR2<LiteralNode>([
      { ALT: () => p.SUBRULE(aString) },
      { ALT: () => p.SUBRULE(aNumber) },
      { ALT: () => p.SUBRULE(aMoment) },
    ]);
    return frozen({ kind: 'order', position, left, operator: image as OrderOperator, right });
  });
}

/** Operators that may have a `not` before them. */
function negatableRule(reading: Reading, values: ValueRules): ComparisonRule {
  const p = reading.parser;
  const rules = [
    inRule(reading, values),
    betweenRule(reading, values),
    containsRule(reading, values),
    icontainsRule(reading, values),
  ];
  return p.RULE('negatable', (left: LeftNode) => {
    const not = p.OPTION(() => p.CONSUME(words.not));
    reading.miss([words.not], not);
    return p.OR(
      rules.map((rule) => ({ ALT: () => p.SUBRULE(rule, { ARGS: [left, not !== undefined] }) })),
    );
  });
}

type NegatableRule = Rule<ComparisonNode, [left: LeftNode, isNegated: boolean]>;

function inRule({ parser: p }: Reading, { array }: ValueRules): NegatableRule {
  return p.RULE('in', (left: LeftNode, isNegated: boolean) => {
    const { startOffset: position } = p.CONSUME(words.in);
    return frozen({ kind: 'in', position, left, isNegated, right: p.SUBRULE(array) });
  });
}

/** Two numbers or two moments. */
function betweenRule({ parser: p }: Reading, { aNumber, aMoment }: ValueRules): NegatableRule {
  return p.RULE('between', (left: LeftNode, isNegated: boolean) => {
    const { startOffset: position } = p.CONSUME(words.between);
    const numbers = () => {
      const lower = p.SUBRULE(aNumber);
      p.CONSUME(words.and);
      return { lower, upper: p.SUBRULE2(aNumber) };
    };
    const moments = () => {
      const lower = p.SUBRULE(aMoment);
      p.CONSUME2(words.and);
      return { lower, upper: p.SUBRULE2(aMoment) };
    };
    const { lower, upper } = p.OR([{ ALT: numbers }, { ALT: moments }]);
    return frozen({ kind: 'between', position, left, isNegated, lower, upper });
  });
}

function containsRule({ parser: p }: Reading, { aString, aNumber }: ValueRules): NegatableRule {
  return p.RULE('contains', (left: LeftNode, isNegated: boolean) => {
    const { startOffset: position } = p.CONSUME(words.contains);
    const right = p.OR<LiteralNode>([
      { ALT: () => p.SUBRULE(aString) },
      { ALT: () => p.SUBRULE(aNumber) },
    ]);
    return frozen({ kind: 'contains', position, left, isNegated, isFolded: false, right });
  });
}

function icontainsRule({ parser: p }: Reading, { aString }: ValueRules): NegatableRule {
  return p.RULE('icontains', (left: LeftNode, isNegated: boolean) => {
    const { startOffset: position } = p.CONSUME(words.icontains);
    const right = p.SUBRULE(aString);
    return frozen({ kind: 'contains', position, left, isNegated, isFolded: true, right });
  });
}
