// A second implementation of the filter language, slow and simple, straight from behaviour/filters.

import type {
  ConditionNode,
  LeftNode,
  LiteralNode,
  QueryNode,
  SetNode,
} from '../../src/filter/nodes.ts';
import type { Thing, World } from './things.ts';

/** What a query chooses, in order. */
export function naivelyChosen(query: QueryNode, all: readonly Thing[], world: World): Thing[] {
  const { condition, sort, skip, limit } = query;
  const matching = all.filter((thing) => condition === undefined || holds(condition, thing, world));
  const ordered = matching.sort((left, right) => {
    for (const { name, isDescending } of sort.slice(0, 5)) {
      const order = compared(valueIn(left, name), valueIn(right, name));
      if (order !== 0) return isDescending ? -order : order;
    }
    return compared(left.id, right.id);
  });
  const start = Math.max(0, skip ?? 0);
  const most = limit === undefined || limit === 'none' || limit < 0 ? ordered.length : limit;
  return ordered.slice(start, start + most);
}

type Value = string | number | boolean | null | undefined;

/** Missing first, then by bytes or by number. */
function compared(left: Value, right: Value): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return Number(left) < Number(right) ? -1 : 1;
}

function valueIn(thing: Thing, name: string): Value {
  const value = name.startsWith('tags.') ? thing.tags[name.slice(5)] : thing[name as 'name'];
  return value === null ? undefined : (value as Value);
}

function holds(node: ConditionNode, thing: Thing, world: World): boolean {
  switch (node.kind) {
    case 'and':
      return node.operands.every((operand) => holds(operand, thing, world));
    case 'or':
      return node.operands.some((operand) => holds(operand, thing, world));
    case 'not':
      return !holds(node.operand, thing, world);
    case 'truth':
      return node.value;
    case 'flag':
      return valueIn(thing, node.name) === true;
    case 'isEmpty':
      return sizeOf(node.set, thing, world) === 0;
  }
  if (node.kind === 'in' && node.isNegated) {
    return !holds({ ...node, isNegated: false }, thing, world);
  }
  const { left } = node;
  const passes = (value: Value): boolean => comparisonHolds(node, left, value);
  switch (left.kind) {
    case 'name':
      return passes(valueIn(thing, left.name));
    case 'count':
      return passes(sizeOf(left.set, thing, world));
    case 'anyOf':
      return elements(thing, left.set.name, world).some(passes);
    case 'allOf':
      return elements(thing, left.set.name, world).every(passes);
  }
}

function elements(thing: Thing, name: string, world: World): readonly Value[] {
  if (name !== 'friends.name') return thing[name as 'roleAttributes'];
  return friendsOf(thing, world).flatMap((friend) => friend.name ?? []);
}

function friendsOf({ friends }: Thing, world: World): Thing[] {
  return friends.flatMap((id) => world.get(id) ?? []);
}

function sizeOf(set: SetNode, thing: Thing, world: World): number {
  if (set.kind === 'name') return elements(thing, set.name, world).length;
  return naivelyChosen(set.query, friendsOf(thing, world), world).length;
}

type Comparison = Extract<ConditionNode, { left: LeftNode }>;

/** Names of symbols with strings: a number that they are compared with counts as its text. */
const textNames = ['id', 'name', 'roleAttributes', 'friends.name'];

function isOfTexts(left: LeftNode): boolean {
  if (left.kind === 'name') return textNames.includes(left.name);
  return left.kind !== 'count' && textNames.includes(left.set.name);
}

function comparisonHolds(node: Comparison, left: LeftNode, found: Value): boolean {
  const isFree = left.kind === 'name' && left.name.startsWith('tags.');
  const wanted = (literal: LiteralNode): Value =>
    literal.kind === 'number' && isOfTexts(left) ? literal.text : literal.value;
  switch (node.kind) {
    case 'equal': {
      if (node.right.kind === 'null') return (found === undefined) !== node.isNegated;
      const value = isFree ? asKind(found, node.right.kind) : found;
      return (value === wanted(node.right)) !== node.isNegated;
    }
    case 'order': {
      const value = isFree ? asKind(found, node.right.kind) : found;
      if (value === undefined) return false;
      const order = compared(value, wanted(node.right));
      if (order < 0) return node.operator.startsWith('<');
      return order > 0 ? node.operator.startsWith('>') : node.operator.endsWith('=');
    }
    case 'in': {
      const value = isFree ? asKind(found, node.right.type) : found;
      if (value === undefined) return false;
      const { right } = node;
      const asTexts = right.type === 'number' && isOfTexts(left);
      const values: readonly Value[] = asTexts ? right.texts : right.values;
      return values.some((one) => compared(one, value) === 0);
    }
    case 'between': {
      const value = isFree ? asKind(found, node.lower.kind) : found;
      if (value === undefined) return false;
      const isAbove = compared(node.lower.value, value) <= 0;
      return (isAbove && compared(value, node.upper.value) < 0) !== node.isNegated;
    }
    case 'contains': {
      const isText = typeof found === 'string' || (typeof found === 'number' && !node.isFolded);
      if (!isText) return node.isNegated;
      const part = `${node.right.value}`;
      const text = `${found}`;
      const isThere = node.isFolded
        ? text.toLowerCase().split(part.toLowerCase()).length > 1 || part === ''
        : text.split(part).length > 1 || part === '';
      return isThere !== node.isNegated;
    }
  }
}

/** A value under a free key counts if it is of the literal's type. */
function asKind(value: Value, kind: LiteralNode['kind']): Value {
  if (kind !== 'datetime') return typeof value === kind ? value : undefined;
  if (typeof value !== 'string' || !value.endsWith('Z')) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
