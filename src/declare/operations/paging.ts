// The bounds of a page (behaviour/lists#paging).

import type { Limits } from '../../settings/limits.ts';
import type { Paging } from './operation.ts';

/** The `limit` of a page that ends with the last row. */
export const noLimit = Number.POSITIVE_INFINITY;

/** The requested page with a limit within the bounds; -1 as limit means all. */
export function pagingOf(
  { pageRowsDefault, pageRowsMax }: Pick<Limits, 'pageRowsDefault' | 'pageRowsMax'>,
  { limit, offset }: Paging,
): Paging {
  const isAll = limit === -1 || limit === noLimit;
  return {
    limit: isAll ? noLimit : limit <= 0 ? pageRowsDefault : Math.min(limit, pageRowsMax),
    offset: Math.max(offset, 0),
  };
}
