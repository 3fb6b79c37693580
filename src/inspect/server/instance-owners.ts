// Finds instances by the name of the record that identifies them: a million API sessions are found
// faster by the names of their identities than one by one.

import type { KindRelation } from '../../declare/kind.ts';
import { compiledFilter } from '../../declare/list-query.ts';
import { candidatesOf } from '../../declare/lists/plan.ts';
import { RowList } from '../../declare/lists/row-list.ts';
import {
  type Candidates,
  type ChosenRows,
  examined,
  firstRows,
  type Steps,
} from '../../declare/lists/search.ts';
import type { QueryNode } from '../../filter/nodes.ts';
import { parseQuery } from '../../filter/parse.ts';
import type { Row } from '../../store/record.ts';

/**
 * The page of a list of all instances, as `firstRows` finds it; by the names of other records if
 * the filter asks for a name, and each instance has the name of one other record.
 * @throws FilterError if the search takes more steps than the budget of the list holds.
 */
export function* rowsByName(list: RowList, all: Candidates): Steps<ChosenRows> {
  const { env, table, asked, budget } = list;
  const owner = ownerOf(list);
  const resource = owner && env.inspection.resourceOf(owner.relation.kind);
  if (owner === undefined || resource === undefined || !('name' in resource.kind.fields)) {
    return yield* firstRows(list, all);
  }
  const compiled = env.registry.of(resource);
  const query = compiledFilter(compiled.scope, { filter: asked.text, sort: '' });
  const filter = { query, isOwn: false };
  const owners = new RowList(env, compiled, { ...asked, filter }, { budget, isKept: false });
  const owned: Row[] = [];
  const from = candidatesOf(owners, { form: 'table' });
  yield* examined(owners, from.rows(), ({ id }) => {
    for (const row of table.members(owner.index, id)) owned.push(row);
  });
  return yield* firstRows(list, { ...all, rows: () => owned });
}

/** The relation to the one record that gives a name, if the filter asks for names alone. */
function ownerOf({ env, table, asked }: RowList): KindRelation | undefined {
  if (asked.text === '' || !isByName(parseQuery(asked.text))) return undefined;
  const { calledBy = [], relations = [] } = env.registry.kinds.get(table.kind) ?? {};
  const [only, ...others] = calledBy;
  return others.length > 0 ? undefined : relations.find(({ field }) => field === only);
}

/** A condition on the name, and no order that owners might not have. */
function isByName({ condition, sort }: QueryNode): boolean {
  if (condition?.kind !== 'equal' && condition?.kind !== 'contains') return false;
  const { left, right, isNegated } = condition;
  const isName = left.kind === 'name' && left.name === 'name';
  return isName && !isNegated && right.kind === 'string' && sort.length === 0;
}
