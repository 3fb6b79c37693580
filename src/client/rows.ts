// The rows of a list, page by page, with the types of the OpenAPI document.

import type { paths } from './generated/management.d.ts';
import { RequestRefused } from './request-refused.ts';

interface ListAnswer<Row> {
  readonly get: {
    readonly responses: {
      readonly 200: {
        readonly content: {
          readonly 'application/json': {
            readonly data: readonly Row[];
            readonly meta: { readonly pagination: unknown };
          };
        };
      };
    };
  };
}

/** A path of the management API whose answer is a list without parameters in its path. */
export type ListPath = {
  [P in keyof paths]: P extends `${string}{${string}`
    ? never
    : paths[P] extends ListAnswer<unknown>
      ? P
      : never;
}[keyof paths];

/** A row of the list at a path. */
export type RowOf<P extends ListPath> = paths[P] extends ListAnswer<infer Row> ? Row : never;

/** Which rows, in which order, and how many a page. */
export interface ListQuery {
  /** A condition on the list's fields, such as `name contains "x"` (behaviour/filters#grammar). */
  readonly filter?: string | undefined;
  /** Fields with `asc` or `desc`; by id when absent. */
  readonly sort?: string | undefined;
  /** Rows of a page, at most 500. */
  readonly pageRows?: number | undefined;
}

/** What `ziti` asks for, too; the controller's own bound is `limits.pageRowsMax`. */
const defaultRows = 500;

/** The rows of a list, from as many requests as it has pages. @throws RequestRefused */
export async function* rowsOf(
  ask: (path: string) => Promise<unknown>,
  path: string,
  { filter, sort, pageRows = defaultRows }: ListQuery = {},
): AsyncGenerator<unknown> {
  for (let offset = 0; ; ) {
    const query = new URLSearchParams({ limit: String(pageRows), offset: String(offset) });
    if (filter !== undefined) query.set('filter', filter);
    if (sort !== undefined) query.set('sort', sort);
    const { data, meta } = (await ask(`${path}?${query}`)) as {
      readonly data: readonly unknown[];
      readonly meta: {
        readonly pagination: { readonly offset: number; readonly totalCount: number };
      };
    };
    const { pagination } = meta;
    if (pagination.offset !== offset) {
      // Former releases cut it to 100,000, and pages would repeat.
      const message = `it skips at most ${pagination.offset} rows: narrow the list by a filter`;
      throw new RequestRefused(path, 0, { error: { message } });
    }
    yield* data;
    offset += data.length;
    if (data.length === 0 || offset >= pagination.totalCount) return;
  }
}
