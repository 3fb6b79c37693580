// Answers lists: reads the query, chooses the rows, and shows a page of their views
// (behaviour/lists).

import { StepBudget } from '../../filter/budget.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Chunk, Context, Paging, Reply } from '../operations/operation.ts';
import { AnswerSize } from '../resources/answer-size.ts';
import type { CompiledResource } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import { gatheredRowsFree, stepCosts } from './costs.ts';
import { asksForMore, type ListQuery, listQueryOf, refusing } from './list-query.ts';
import { chooseRows, type Plan, planOf, whenReady } from './plan.ts';
import { RowList, type RowSource } from './row-list.ts';
import type { ChosenRows } from './search.ts';

export type { RowSource } from './row-list.ts';

/**
 * The list that a request asks for as its answer.
 * @throws ApiError for a filter, an order, a role filter or a page that is not valid.
 */
export function listReply(context: Context, compiled: CompiledResource, source: RowSource): Reply {
  const asked = listQueryOf(context, compiled);
  const known = source.form === 'rows' ? (source.count ?? 0) : 0;
  const chosen = refusing('INVALID_FILTER', 'filter', asked.text, () =>
    telling(context, compiled, () => {
      const list = listOf(context, compiled, asked);
      if (known > gatheredRowsFree) context.filterBudget().spend(stepCosts.gatheredRow * known);
      const plan = planOf(list, source);
      return { plan, chosen: chooseRows(list, plan) };
    }),
  );
  return pageReply(context, compiled, chosen, asked.paging);
}

/**
 * Resolves when a list can be answered without a long scan of all records; undefined if it can now.
 * For `prepare` of operations that answer `listReply` from the same source.
 * @throws ApiError as `listReply`; the promise rejects with one too.
 */
export function whenListable(
  context: Context,
  compiled: CompiledResource,
  source: RowSource = { form: 'table' },
): Promise<void> | undefined {
  const { env } = context;
  const table = env.store.tableNamed(compiled.resource.kind.kind);
  if (env.builds.isSmall(table)) return undefined;
  if (!asksForMore(context) && table.isOrderKept('id')) return undefined;
  const asked = listQueryOf(context, compiled);
  const caller = context.callerIfAny?.identity.id ?? '';
  const refuse = <V>(run: () => V): V => refusing('INVALID_FILTER', 'filter', asked.text, run);
  return refuse(() => whenReady(listOf(context, compiled, asked), source, caller))?.catch((error) =>
    refuse(() => {
      throw error;
    }),
  );
}

/** Whether the caller may see a record of a resource. */
export function isShownTo(context: Context, { mayShow }: Resource, record: RecordBase): boolean {
  if (mayShow === undefined || context.caller.isAdmin) return true;
  return mayShow(context, record);
}

/** The rows of a source without those that the caller may not see. */
export function rowsShownTo(context: Context, resource: Resource, source: RowSource): RowSource {
  if (resource.mayShow === undefined || context.caller.isAdmin) return source;
  if (source.form === 'rows') return { ...source, rows: shown(context, resource, source.rows) };
  const table = context.env.store.tableNamed(resource.kind.kind);
  return { form: 'rows', rows: shown(context, resource, table.rows()), count: table.size };
}

function* shown(context: Context, resource: Resource, rows: Iterable<Row>): Iterable<Row> {
  for (const row of rows) if (isShownTo(context, resource, row.record)) yield row;
}

function listOf(context: Context, compiled: CompiledResource, asked: ListQuery): RowList {
  const { env } = context;
  // A list without a filter or an order has nothing to count.
  const budget = asked.filter === undefined ? new StepBudget(env.limits) : context.filterBudget();
  return new RowList(env, compiled, asked, { budget });
}

/** Chooses the rows of a list, and logs how they were found while debug lines are on. */
export function telling(
  { env, requestId }: Pick<Context, 'env' | 'requestId'>,
  { resource }: CompiledResource,
  choose: () => { readonly plan: Plan; readonly chosen: ChosenRows },
): ChosenRows {
  const { logPlan, clock } = env;
  if (logPlan === undefined) return choose().chosen;
  const start = clock.monotonic();
  const { plan, chosen } = choose();
  const micros = Math.round((clock.monotonic() - start) * 1000);
  const { looked, total } = chosen;
  logPlan({ requestId, list: resource.path, by: plan.by, looked, total, micros });
  return chosen;
}

/**
 * A page of rows as a list's answer (behaviour/answers#lists).
 * @throws ApiError ANSWER_TOO_LARGE.
 */
function pageReply(
  context: Context,
  { resource, view }: CompiledResource,
  { rows, total }: ChosenRows,
  { limit, offset }: Paging,
): Reply {
  const data: Chunk[] = ['['];
  const size = new AnswerSize(context.env.limits);
  for (const row of rows) {
    if (data.length > 1) data.push(',');
    for (const chunk of view.chunks(row.record, context)) {
      size.add(chunk);
      data.push(chunk);
    }
  }
  data.push(']');
  const filterableFields = resource.symbols;
  const list = { limit, offset, totalCount: total, filterableFields };
  return { form: 'data', status: 200, data, list };
}
