// Symbols of other records, reached through a reference or a set: `identity.name`
// (behaviour/filters#paths).

import type { Budget, IndexPath, Scalar } from '../../filter/scope.ts';
import type { Row } from '../../store/record.ts';
import { fieldReader } from '../kinds/compiled.ts';
import type { Kind, KindRelation } from '../kinds/kind.ts';
import type { ResourceSymbol, RowIndex } from './field-symbols.ts';
import type { LinkedRows } from './linked-sets.ts';
import type { Lookups } from './symbol-sources.ts';

/** A symbol of the one record that a field refers to. */
export function throughLink(
  kind: Kind,
  relation: KindRelation,
  symbol: ResourceSymbol,
): ResourceSymbol {
  const idOf = fieldReader(relation.field);
  const behind =
    <V>(read: (row: Row, env: Lookups, budget: Budget) => V, none: V) =>
    (row: Row, env: Lookups, budget: Budget): V => {
      budget.spend(linkSteps);
      const id = idOf(row) as string | undefined;
      const other =
        id === undefined ? undefined : env.store.tableNamed(relation.relation.kind).find(id);
      return other === undefined ? none : read(other, env, budget);
    };
  const isOwn = false;
  if (symbol.form === 'map') {
    const read = behind((row, env, budget) => symbol.read(row, env, budget), undefined);
    return { form: 'map', isOwn, read };
  }
  const { type, index } = symbol;
  const found = index === undefined ? {} : { index: indexThrough(kind, relation, index) };
  if (symbol.form === 'set') {
    const read = behind((row, env, budget) => symbol.read(row, env, budget), noValues);
    return { form: 'set', type, isOwn, read, ...found };
  }
  const read = behind((row, env, budget) => symbol.read(row, env, budget), undefined);
  return { form: 'scalar', type, isOwn, read, ...found };
}

const noValues: Iterable<Scalar> = [];

/** The cost of finding a record by id, in steps of a budget. */
const linkSteps = 2;

/** A symbol of the rows of a set: the values of all of them. Undefined for maps. */
export function throughSet(rows: LinkedRows, symbol: ResourceSymbol): ResourceSymbol | undefined {
  if (symbol.form === 'map') return undefined;
  return {
    form: 'set',
    type: symbol.type,
    isOwn: false,
    *read(row, env, budget) {
      for (const other of rows.things(row, env, budget)) {
        budget.spend(1);
        const found = symbol.read(other, env, budget);
        if (typeof found !== 'object') {
          if (found !== undefined) yield found;
          continue;
        }
        // One by one instead of `yield*`, which would pass each value up through every set on its
        // path.
        for (const value of found) {
          budget.spend(1);
          yield value;
        }
      }
    },
  };
}

/** Targets of a link that are examined one by one to find the rows that refer to them. @bound */
const targetsMax = 100;

/** Finds referring rows by a value of the target record, through its index. */
function indexThrough(
  { kind }: Kind,
  { index: group }: KindRelation,
  far: IndexPath<Row, Lookups>,
): RowIndex {
  return {
    name: `${far.name} behind group ${group}`,
    count(value, env, budget) {
      if (far.count(value, env, budget) > targetsMax) return Number.POSITIVE_INFINITY;
      let count = 0;
      const near = env.store.tableNamed(kind).group(group);
      for (const { id } of far.things(value, env, budget)) {
        budget.spend(linkSteps);
        count += near.count(id);
      }
      return count;
    },
    *things(value, env, budget) {
      const table = env.store.tableNamed(kind);
      for (const { id } of far.things(value, env, budget)) {
        yield* table.members(group, id);
      }
    },
  };
}
