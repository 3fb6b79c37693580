// Prints a query as text that parses to the same query.

import type {
  ArrayNode,
  ComparisonNode,
  ConditionNode,
  LeftNode,
  LiteralNode,
  QueryNode,
  SetNode,
  SortKeyNode,
} from '../../src/filter/nodes.ts';

/** The words of the language, which are no names unless they are quoted. */
export const keywords: readonly string[] = [
  'and or not in between contains icontains true false null anyOf allOf count isEmpty from',
  'where sort by asc desc skip limit none',
].flatMap((line) => line.split(' '));

/**
 * The text of a query; parsing it gives the same query again. Parentheses stand around each operand
 * that has operands itself: the language has no precedence to go by (behaviour/filters#precedence).
 */
export function printQuery(node: QueryNode): string {
  const { condition, sort, skip, limit } = node;
  const parts: string[] = [];
  if (condition !== undefined) parts.push(printCondition(condition));
  if (sort.length > 0) parts.push(`sort by ${sort.map(printKey).join(', ')}`);
  if (skip !== undefined) parts.push(`skip ${skip}`);
  if (limit !== undefined) parts.push(`limit ${limit}`);
  return parts.join(' ');
}

function printKey({ name, isDescending }: SortKeyNode): string {
  return isDescending ? `${printName(name)} desc` : printName(name);
}

function printCondition(node: ConditionNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.operands.map(printOperand).join(` ${node.kind} `);
    case 'not':
      return `not ${printOperand(node.operand)}`;
    case 'truth':
      return String(node.value);
    case 'flag':
      return printName(node.name);
    case 'isEmpty':
      return `isEmpty(${printSet(node.set)})`;
    default:
      return printComparison(node);
  }
}

function printOperand(node: ConditionNode): string {
  const text = printCondition(node);
  return node.kind === 'and' || node.kind === 'or' || node.kind === 'not' ? `(${text})` : text;
}

function printComparison(node: ComparisonNode): string {
  const left = printLeft(node.left);
  if (node.kind === 'order') return `${left} ${node.operator} ${printLiteral(node.right)}`;
  if (node.kind === 'equal') {
    return `${left} ${node.isNegated ? '!=' : '='} ${printLiteral(node.right)}`;
  }
  const not = node.isNegated ? 'not ' : '';
  switch (node.kind) {
    case 'in':
      return `${left} ${not}in ${printArray(node.right)}`;
    case 'between': {
      const bounds = `${printLiteral(node.lower)} and ${printLiteral(node.upper)}`;
      return `${left} ${not}between ${bounds}`;
    }
    case 'contains': {
      const operator = node.isFolded ? 'icontains' : 'contains';
      return `${left} ${not}${operator} ${printLiteral(node.right)}`;
    }
  }
}

function printLeft(node: LeftNode): string {
  if (node.kind === 'name') return printName(node.name);
  return `${node.kind}(${printSet(node.set)})`;
}

function printSet(node: SetNode): string {
  if (node.kind === 'name') return printName(node.name);
  return `from ${printName(node.set.name)} where ${printQuery(node.query)}`;
}

/** In quotes where it would be a word of the language otherwise. */
function printName(name: string): string {
  return reserved.has(name.toLowerCase()) ? `'${name}'` : name;
}

const reserved: ReadonlySet<string> = new Set(keywords.map((word) => word.toLowerCase()));

function printLiteral(node: LiteralNode): string {
  switch (node.kind) {
    case 'string':
      return writeString(node.value);
    case 'datetime':
      return writeMoment(node.value);
    case 'number':
      return node.text;
    default:
      return String(node.value);
  }
}

function printArray(node: ArrayNode): string {
  if (node.type === 'string') return `[${node.values.map(writeString).join(', ')}]`;
  if (node.type === 'number') return `[${node.texts.join(', ')}]`;
  return `[${node.values.map(writeMoment).join(', ')}]`;
}

/**
 * A string as a filter writes it. Control characters other than line feed, carriage return, tab and
 * form feed have no spelling.
 */
export function writeString(value: string): string {
  return `"${value.replace(/["\\\n\r\t\f]/g, (sign) => `\\${escaped[sign] ?? sign}`)}"`;
}

const escaped: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\f': 'f' };

/** A moment as a filter writes it. */
export function writeMoment(value: number): string {
  return `datetime(${new Date(value).toISOString()})`;
}
