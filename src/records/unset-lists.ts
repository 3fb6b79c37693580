// Lists that were never set, in the versions of kinds that knew only empty ones.

import type { Downgrade } from '../declare/kinds/layout.ts';

/**
 * The downgrade to a version without lists that were never set, where they are empty
 * (behaviour/cluster#formats).
 * @param at the indexes of the lists among the values of each version
 */
export function emptyWhereUnset(...at: readonly number[]): Downgrade {
  return (values) =>
    values.map((value, index) => (value === null && at.includes(index) ? [] : value));
}
