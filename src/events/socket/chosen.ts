// Applies the filter of a validation request (behaviour/events#the-websocket).

import type { Steps } from '../../declare/lists/search.ts';
import { StepBudget } from '../../filter/budget.ts';
import { compileQuery } from '../../filter/compile.ts';
import { parseQuery } from '../../filter/parse.ts';
import { FilterError, type ScalarSymbol } from '../../filter/scope.ts';
import type { Limits } from '../../settings/limits.ts';

/**
 * Those of `all` that a filter takes, in steps, or why it is not valid. An empty filter takes all
 * of them, as none does in lists.
 */
export function* chosen<T>(
  all: Iterable<T>,
  filter: string,
  known: ReadonlyMap<string, ScalarSymbol<T, undefined>>,
  limits: Pick<Limits, 'filterStepsMax'>,
): Steps<T[] | string> {
  try {
    const { matches } = compileQuery(parseQuery(filter.trim() === '' ? 'true' : filter), {
      symbol: (name) => known.get(name),
      linked: () => undefined,
    });
    const budget = new StepBudget(limits);
    const taken: T[] = [];
    let seen = 0;
    for (const one of all) {
      if (matches === undefined || matches(one, undefined, budget)) taken.push(one);
      seen += 1;
      if (seen % seenInAStep === 0) yield;
    }
    return taken;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return `the filter is not valid: ${error.message}`;
  }
}

const seenInAStep = 256;
