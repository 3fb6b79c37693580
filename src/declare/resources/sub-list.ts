// Sub-lists: the records of one resource that belong to one record of another.

import Type, { type TSchema } from 'typebox';
import type { Row } from '../../store/record.ts';
import type { Fields } from '../kinds/field.ts';
import type { RecordOf } from '../kinds/kind.ts';
import { listReply, type RowSource, rowsShownTo, whenListable } from '../lists/list.ts';
import type { ApiName } from '../operations/apis.ts';
import type { Environment } from '../operations/environment.ts';
import { type Context, type Operation, operation } from '../operations/operation.ts';
import { rowOf } from './crud.ts';
import type { DefinedResource, Resource } from './resource.ts';

/**
 * The declaration of a sub-list: `/<of>/{id}/<lists>` lists records of another resource. `Env` is
 * what it may use of the controller.
 */
export interface SubListOptions<F extends Fields, Env extends Environment = Environment> {
  /** The operation id of the published API. */
  readonly id: string;
  /** The management API alone when absent. */
  readonly apis?: readonly ApiName[];
  /** The resource that the path's `id` belongs to. */
  readonly of: Resource<F>;
  readonly lists: DefinedResource<Fields, Env>;
  readonly summary: string;
  /** Query parameters beyond those of every list. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** The rows that belong to the record. */
  rows(context: Context<unknown, Env>, owner: Row<RecordOf<F>>): RowSource;
}

/**
 * Declares a sub-list. An unknown owner is 404 (behaviour/errors#unknown-ids). The permission is
 * that of the listed records (behaviour/permissions#operations).
 */
export function subList<F extends Fields, Env extends Environment>(
  options: SubListOptions<F, Env>,
): Operation<Env> {
  const { id, apis, of, lists, summary, query } = options;
  const rows = (context: Context<unknown, Env>) =>
    rowsShownTo(context, lists, options.rows(context, rowOf(context, of)));
  return operation<TSchema, RowSource | undefined, Env>({
    id,
    ...(apis === undefined ? {} : { apis }),
    path: `/${of.path}/{id}/${lists.path}`,
    answered: lists.answered,
    ...(lists.permission === undefined ? {} : { permission: lists.permission }),
    summary,
    answer: Type.Array(lists.answerSchema),
    isList: true,
    errors: [400, 401, 404, 429],
    ...(query === undefined ? {} : { query }),
    // A selection from before a wait may no longer be valid.
    prepare(context) {
      const source = rows(context);
      if (source.form !== 'slots') return source;
      const compiled = context.env.registry.of(lists);
      return whenListable(context, compiled, source)?.then(() => undefined) ?? source;
    },
    decide(context, source = rows(context)) {
      return listReply(context, context.env.registry.of(lists), source);
    },
  });
}
