// The part of the grammar that reads conditions (behaviour/filters).

import type { TokenType } from 'chevrotain';
import type { ComparisonRule } from './comparison-rules.ts';
import {
  type ConditionNode,
  frozen,
  type LeftNode,
  type QueryNode,
  type SetNode,
} from './nodes.ts';
import type { Reading, Rule } from './rules.ts';
import { name, signs, words } from './tokens.ts';
import type { ValueRules } from './value-rules.ts';

/** The first tokens of a condition. */
export const firstsOfCondition: readonly TokenType[] = [
  name,
  signs.open,
  words.not,
  words.isEmpty,
  words.count,
  words.anyOf,
  words.allOf,
  words.true,
  words.false,
];

/** The rules that conditions consist of; rules that contain conditions come later. */
export interface ConditionParts {
  readonly values: ValueRules;
  readonly comparison: ComparisonRule;
  readonly query: () => Rule<QueryNode>;
}

/** Defines the rule for conditions. */
export function conditionRule(reading: Reading, parts: ConditionParts): Rule<ConditionNode> {
  const p = reading.parser;
  const condition: Rule<ConditionNode> = p.RULE('condition', () => {
    const terms = [p.SUBRULE(term)];
    const joints: ('and' | 'or')[] = [];
    p.MANY(() => {
      const joint = p.OR([{ ALT: () => p.CONSUME(words.and) }, { ALT: () => p.CONSUME(words.or) }]);
      joints.push(joint.tokenType === words.and ? 'and' : 'or');
      terms.push(p.SUBRULE2(term));
    });
    reading.miss([words.and, words.or]);
    return p.ACTION(() => chained(terms, joints));
  });
  const group = p.RULE('group', () => {
    p.CONSUME(signs.open);
    const inner = p.SUBRULE(condition);
    p.CONSUME(signs.close);
    return inner;
  });
  // Includes everything that follows (behaviour/filters#precedence).
  const not: Rule<ConditionNode> = p.RULE('not', () => {
    const { startOffset: position } = p.CONSUME(words.not);
    return frozen({ kind: 'not', position, operand: p.SUBRULE(condition) });
  });
  const rules = [flagOrComparisonRule(reading, parts), group, not, ...setRules(reading, parts)];
  const { truth } = parts.values;
  const term: Rule<ConditionNode> = p.RULE('term', () =>
    p.OR<ConditionNode>([
      ...rules.map((rule) => ({ ALT: () => p.SUBRULE(rule) })),
      { ALT: () => frozen({ kind: 'truth', ...p.SUBRULE(truth) }) },
    ]),
  );
  return condition;
}

const firstsOfComparison: readonly TokenType[] = [
  signs.equal,
  signs.notEqual,
  signs.less,
  signs.lessOrEqual,
  signs.greater,
  signs.greaterOrEqual,
  words.not,
  words.in,
  words.between,
  words.contains,
  words.icontains,
];

function flagOrComparisonRule(
  reading: Reading,
  { values, comparison }: ConditionParts,
): Rule<ConditionNode> {
  const p = reading.parser;
  return p.RULE('flagOrComparison', () => {
    const left = p.SUBRULE(values.aName);
    const compared = p.OPTION(() => p.SUBRULE(comparison, { ARGS: [left] }));
    reading.miss(firstsOfComparison, compared);
    return compared ?? frozen({ kind: 'flag', position: left.position, name: left.name });
  });
}

/** Conditions that start with a function of a set. */
function setRules(reading: Reading, { values, comparison, query }: ConditionParts) {
  const p = reading.parser;
  const from: Rule<SetNode> = p.RULE('from', () => {
    const { startOffset: position } = p.CONSUME(words.from);
    const set = p.SUBRULE(values.aName);
    p.CONSUME(words.where);
    return frozen({ kind: 'from', position, set, query: p.SUBRULE(query()) });
  });
  const set: Rule<SetNode> = p.RULE('set', () => {
    p.CONSUME(signs.open);
    const inner = p.OR<SetNode>([
      { ALT: () => p.SUBRULE(values.aName) },
      { ALT: () => p.SUBRULE(from) },
    ]);
    p.CONSUME(signs.close);
    return inner;
  });
  const isEmpty: Rule<ConditionNode> = p.RULE('isEmpty', () => {
    const { startOffset: position } = p.CONSUME(words.isEmpty);
    return frozen({ kind: 'isEmpty', position, set: p.SUBRULE(set) });
  });
  const count: Rule<ConditionNode> = p.RULE('count', () => {
    const { startOffset: position } = p.CONSUME(words.count);
    const left: LeftNode = frozen({ kind: 'count', position, set: p.SUBRULE(set) });
    return p.SUBRULE(comparison, { ARGS: [left] });
  });
  const every: Rule<ConditionNode> = p.RULE('every', () => {
    const { startOffset: position, tokenType } = p.OR([
      { ALT: () => p.CONSUME(words.anyOf) },
      { ALT: () => p.CONSUME(words.allOf) },
    ]);
    p.CONSUME(signs.open);
    const elements = p.SUBRULE(values.aName);
    p.CONSUME(signs.close);
    const kind = tokenType === words.anyOf ? 'anyOf' : 'allOf';
    const left: LeftNode = frozen({ kind, position, set: elements });
    return p.SUBRULE(comparison, { ARGS: [left] });
  });
  return [isEmpty, count, every];
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
