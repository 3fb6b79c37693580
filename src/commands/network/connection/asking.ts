// Requests of commands to one controller, whatever the way that they are logged in.

import type { KindRow } from '../kinds/kind.ts';
import type { Entity } from '../kinds/names.ts';

/** Rows that are asked for at once; the controller's own bound is `limits.pageRowsMax`. */
export const pageRows = 500;

/** Methods of requests. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Which rows of a list, and how many of them. */
export interface PageQuery {
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
}

/** A page of a list. */
export interface Page {
  readonly rows: readonly Entity[];
  /** Rows of the whole list. */
  readonly total: number;
}

/** The requests of a command to its controller. A refusal is thrown as a `CommandFailure`. */
export interface Asking {
  /** How messages name the controller: `https://ctrl.example.com:1280`. */
  readonly url: string;
  /** The body of the answer. @param path below the root of the API */
  ask(method: Method, path: string, body?: unknown, api?: KindRow['api']): Promise<unknown>;
  page(kind: KindRow, query: PageQuery): Promise<Page>;
  get(kind: KindRow, id: string): Promise<Entity>;
}

interface ListBody {
  readonly data: readonly Entity[];
  readonly meta: { readonly pagination: { readonly totalCount: number } };
}

/** A page of a kind's list, by `ask`. */
export async function pageOf(
  ask: Asking['ask'],
  kind: KindRow,
  { filter, sort, limit, offset = 0 }: PageQuery,
): Promise<Page> {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (filter !== undefined && filter !== '') query.set('filter', filter);
  if (sort !== undefined) query.set('sort', sort);
  const answer = await ask('GET', `${kind.path}?${query}`, undefined, kind.api);
  const { data, meta } = answer as ListBody;
  return { rows: data, total: meta.pagination.totalCount };
}

/** All rows of a kind's list that a filter takes, page by page. */
export async function* rowsOf(
  asking: Pick<Asking, 'page'>,
  kind: KindRow,
  filter: string,
): AsyncGenerator<Entity> {
  for (let offset = 0; ; ) {
    const { rows, total } = await asking.page(kind, { filter, limit: pageRows, offset });
    yield* rows;
    offset += rows.length;
    if (rows.length === 0 || offset >= total) return;
  }
}
