// Bounds the steps that one request may take.

import type { Limits } from '../settings/limits.ts';
import { type Budget, FilterError, type FilterShare } from './scope.ts';

/**
 * The steps of one request, also bounded by the steps that its caller has left. It is a class, so
 * that spending is inlined into the work per row.
 */
export class StepBudget implements Budget {
  readonly #most: number;
  readonly #share: FilterShare | undefined;
  #left: number;

  constructor({ filterStepsMax }: Pick<Limits, 'filterStepsMax'>, share?: FilterShare) {
    this.#most = Math.min(filterStepsMax, share?.steps ?? filterStepsMax);
    this.#share = this.#most < filterStepsMax ? share : undefined;
    this.#left = this.#most;
  }

  /** Steps so far. */
  get spent(): number {
    // Refused steps were not taken, so a caller that retries again and again need not wait for
    // ever.
    return this.#most - Math.max(0, this.#left);
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#refuse();
  }

  #refuse(): never {
    if (this.#share?.isWhole === false) throw this.#share.refusal();
    const what = 'there are too many rows, conditions or records behind links for one list';
    throw new FilterError(`the filter takes more than ${this.#most} steps: ${what}`, 0);
  }
}
