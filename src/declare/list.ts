// Answers lists: reads the query, chooses the rows, and shows a page of their views
// (behaviour/lists).

import type { Row } from '../store/record.ts';
import { AnswerRoom } from './answer-room.ts';
import type { RowSource } from './list-candidates.ts';
import { isSortingCheaper } from './list-order.ts';
import { asksForMore, listQueryOf, refusing } from './list-query.ts';
import { chooseRows, whenReady } from './list-rows.ts';
import type { Context, Piece, Reply } from './operation.ts';
import type { CompiledResource } from './registry.ts';

export type { RowSource } from './list-candidates.ts';

/**
 * The list that a request asks for as its answer.
 * @throws ApiError for a filter, an order, a role filter or a page that is not valid.
 */
export function listReply(context: Context, compiled: CompiledResource, source: RowSource): Reply {
  const asked = listQueryOf(context, compiled);
  const { rows, total } = refusing('INVALID_FILTER', 'filter', asked.text, () =>
    chooseRows(context, compiled, source, asked),
  );
  return pageReply(context, compiled, { rows, total, ...asked.paging });
}

/**
 * Resolves when a list can be answered without a long scan of all records; undefined if it can now.
 * For `prepare` of operations that answer `listReply`.
 * @param count of rows that the list chooses from, where those are not all
 * @throws ApiError as `listReply`; the promise rejects with one too.
 */
export function whenListable(
  context: Context,
  compiled: CompiledResource,
  count?: number,
): Promise<void> | undefined {
  const { env } = context;
  const table = env.store.tableNamed(compiled.resource.kind.kind);
  if (env.builds.isSmall(table)) return undefined;
  if (!asksForMore(context)) {
    const isFew = count !== undefined && isSortingCheaper(count, table.size);
    return isFew ? undefined : env.builds.whenOrdered(table, 'id');
  }
  const asked = listQueryOf(context, compiled);
  const refuse = <V>(run: () => V): V => refusing('INVALID_FILTER', 'filter', asked.text, run);
  return refuse(() => whenReady(context, compiled, asked, count))?.catch((error) =>
    refuse(() => {
      throw error;
    }),
  );
}

/** A chosen page. -1 as `limit` means all. */
export interface Page {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * A page of rows as a list's answer (behaviour/answers#lists).
 * @throws ApiError ANSWER_TOO_LARGE.
 */
function pageReply(
  context: Context,
  { resource, view }: CompiledResource,
  { rows, total, limit, offset }: Page,
): Reply {
  const data: Piece[] = ['['];
  const room = new AnswerRoom(context.env.limits);
  for (const row of rows) {
    if (data.length > 1) data.push(',');
    for (const piece of view.pieces(row.record as never, context)) {
      room.take(piece);
      data.push(piece);
    }
  }
  data.push(']');
  const filterableFields = resource.symbols;
  const list = { limit, offset, totalCount: total, filterableFields };
  return { form: 'data', status: 200, data, list };
}
