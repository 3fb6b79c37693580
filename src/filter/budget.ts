// How many steps one request may take.

import type { Budget, FilterLimits } from './contract.ts';
import { FilterError } from './contract.ts';

/** A fresh budget, for one request. */
export function newBudget({ filterStepsMax }: FilterLimits): Budget {
  return new StepBudget(filterStepsMax);
}

/** A class, so that spending is inlined into what is done for every row. */
class StepBudget implements Budget {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    const what = 'there are too many rows, conditions or records behind links for one list';
    throw new FilterError(`the filter takes more than ${this.#most} steps: ${what}`, 0);
  }
}
