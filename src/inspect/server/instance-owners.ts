// Finds instances by the name of the record that identifies them: a million API sessions are found
// faster by the names of their identities than one by one.

import type { Environment } from '../../declare/environment.ts';
import type { KindRelation } from '../../declare/kind.ts';
import { compiledFilter, type ListQuery } from '../../declare/list-query.ts';
import type { Query } from '../../filter/contract.ts';
import type { QueryNode } from '../../filter/nodes.ts';
import type { Row } from '../../store/record.ts';
import { allRows, type RowsToSee } from './instance-walk.ts';

/**
 * The rows that match a filter by name, for kinds whose records have the name of one other record;
 * undefined for other kinds and other filters.
 */
export function rowsByOwner(
  env: Environment,
  kind: string,
  asked: ListQuery,
  said: QueryNode | undefined,
): RowsToSee | undefined {
  const relation = said !== undefined && isByName(said) ? ownerOf(env, kind) : undefined;
  const face = relation && env.inspection.faceOf(relation.relation.kind);
  if (relation === undefined || face === undefined || !('name' in face.kind.fields)) return;
  const { scope } = env.registry.of(face);
  const owners = compiledFilter(scope, { filter: asked.text, sort: '' });
  return (budget) => owned(env, kind, relation, { owners, budget });
}

/** A condition on the name, and no order that owners might not have. */
function isByName({ condition, sort }: QueryNode): boolean {
  if (condition?.kind !== 'equal' && condition?.kind !== 'contains') return false;
  const { left, right, isNegated } = condition;
  const isName = left.kind === 'name' && left.name === 'name';
  return isName && !isNegated && right.kind === 'string' && sort.length === 0;
}

function ownerOf({ registry }: Environment, kind: string): KindRelation | undefined {
  const { calledBy = [], relations = [] } = registry.kinds.get(kind) ?? {};
  const [only, ...others] = calledBy;
  return others.length > 0 ? undefined : relations.find(({ field }) => field === only);
}

type Looking = {
  readonly owners: Query<Row, Environment>;
  readonly budget: Parameters<RowsToSee>[0];
};

function* owned(
  env: Environment,
  kind: string,
  { index, relation }: KindRelation,
  { owners, budget }: Looking,
): Generator<Row | undefined> {
  const { store } = env;
  const table = store.tableNamed(kind);
  const [narrowing] = owners.narrowings;
  const rows =
    narrowing === undefined
      ? allRows(store.tableNamed(relation.kind))
      : narrowing.values.flatMap((value) => [...narrowing.index.things(value, env, budget)]);
  for (const owner of rows) {
    budget.spend(1);
    // A step without a row, so that the search can pause between owners as well.
    yield;
    if (owner === undefined || !(owners.matches?.(owner, env, budget) ?? true)) continue;
    // Copied before the search pauses, because the group may change during a pause.
    yield* [...table.members(index, owner.id)];
  }
}
