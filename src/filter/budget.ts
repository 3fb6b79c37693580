// How many things one request may look at.

import type { Budget, FilterLimits } from './contract.ts';
import { FilterError } from './contract.ts';

/** A fresh budget, for one request. */
export function newBudget(limits: FilterLimits): Budget {
  let left = limits.filterRowsMax;
  return {
    spend(things) {
      left -= things;
      if (left >= 0) return;
      const most = limits.filterRowsMax;
      throw new FilterError(`the filter makes this list look at more than ${most} things`, 0);
    },
  };
}
