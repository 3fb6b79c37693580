// The bounds of a page (behaviour §2.1.2, §2.1.3).

import type { Limits } from '../limits.ts';
import type { Paging } from './operation.ts';

/** What was asked for, cut to what is answered: -1 as limit stays and means all. */
export function pagingOf(
  limits: Pick<Limits, 'pageRowsDefault' | 'pageRowsMax' | 'pageOffsetMax'>,
  { limit, offset }: Paging,
): Paging {
  const { pageRowsDefault, pageRowsMax, pageOffsetMax } = limits;
  return {
    limit: limit === -1 ? -1 : limit <= 0 ? pageRowsDefault : Math.min(limit, pageRowsMax),
    offset: Math.min(Math.max(offset, 0), pageOffsetMax),
  };
}
