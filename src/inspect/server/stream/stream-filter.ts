// The filters of inspectors: one compiled filter per text, shared by all inspectors that use it.

import { StepBudget } from '../../../filter/budget.ts';
import { compileQuery } from '../../../filter/compile.ts';
import { parseQuery } from '../../../filter/parse.ts';
import {
  type Budget,
  FilterError,
  type Query,
  type ScalarSymbol,
  type Scope,
} from '../../../filter/scope.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import type { Transition } from '../../messages.ts';
import type { DurableTransitions } from './transition-feed.ts';

/** The matches of one filter in a flush. */
export interface Taken {
  /** Oldest first, at most as many as requested. */
  readonly transitions: readonly Transition[];
  /** The number of further matches, and of transitions that could not be tested. */
  readonly dropped: number;
}

/** Transitions to which a filter is applied, in their order. */
export type TransitionBatch = Pick<DurableTransitions, 'lost' | 'length' | 'at'>;

/** A filter in use. */
export interface StreamFilter {
  readonly text: string;
  /** Applies the filter to a flush, for at most `steps` of work. */
  take(batch: TransitionBatch, transitionsMax: number, steps: number): Taken;
}

/** The filters of all inspectors. */
export class StreamFilters {
  readonly #bounds: typeof streamFilterBounds;
  readonly #inUse = new Map<string, { readonly filter: StreamFilter; users: number }>();

  constructor(bounds?: Partial<typeof streamFilterBounds>) {
    this.#bounds = boundsOf(streamFilterBounds, bounds);
  }

  /** The number of different filters in use. */
  get size(): number {
    return this.#inUse.size;
  }

  /** Whether a text can be used without work: it is already compiled, or empty. */
  isFree(text: string): boolean {
    return text === '' || this.#inUse.has(text);
  }

  /**
   * The filter of a text, which must be given back. @param former is given back for it, unless this
   * throws. @throws FilterError for an invalid filter, and for one too many.
   */
  use(text: string, former?: StreamFilter): StreamFilter {
    const filter = this.#inUse.get(text)?.filter ?? this.#added(text, former);
    const entry = this.#inUse.get(text);
    if (entry === undefined) this.#inUse.set(text, { filter, users: 1 });
    else entry.users += 1;
    if (former !== undefined) this.giveBack(former);
    return filter;
  }

  /** Releases one use of it. */
  giveBack({ text }: StreamFilter): void {
    const known = this.#inUse.get(text);
    if (known === undefined) return;
    known.users -= 1;
    if (known.users === 0) this.#inUse.delete(text);
  }

  #added(text: string, former: StreamFilter | undefined): StreamFilter {
    const filter = compiledCondition(text);
    const most = this.#bounds.inspectorFiltersMax;
    // Giving back the former filter may make room for the new one.
    const freed = former !== undefined && this.#inUse.get(former.text)?.users === 1 ? 1 : 0;
    if (this.#inUse.size - freed >= most) {
      throw new FilterError(`all inspectors together use ${most} different filters already`, 0);
    }
    return filter;
  }
}

/** A filter that nobody else uses. @throws FilterError for an invalid one */
export function compiledCondition(text: string): StreamFilter {
  const matches = text === '' ? undefined : conditionOf(text);
  if (matches === undefined) return { text, take: takeAll };
  return {
    text,
    take(batch, transitionsMax, filterStepsMax) {
      const budget = new StepBudget({ filterStepsMax });
      const transitions: Transition[] = [];
      let dropped = batch.lost;
      for (let index = 0; index < batch.length; index++) {
        if (!spends(budget)) return { transitions, dropped: dropped + batch.length - index };
        const transition = batch.at(index);
        const verdict = verdictOf(matches, transition, budget);
        if (verdict === 'unknown') dropped += 1;
        else if (verdict && transitions.length < transitionsMax) transitions.push(transition);
        else if (verdict) dropped += 1;
      }
      return { transitions, dropped };
    },
  };
}

/** Without a filter, transitions are counted without being tested. */
function takeAll(batch: TransitionBatch, transitionsMax: number): Taken {
  const count = Math.min(batch.length, transitionsMax);
  const transitions = Array.from({ length: count }, (_, index) => batch.at(index));
  return { transitions, dropped: batch.lost + batch.length - count };
}

/** @throws FilterError */
function conditionOf(text: string): Query<Transition, undefined>['matches'] {
  const { matches, sort, skip, limit } = compileQuery(parseQuery(text), scope);
  if (sort.length > 0 || skip !== undefined || limit !== undefined) {
    throw new FilterError('a stream has no order and no pages: only a condition is taken', 0);
  }
  return matches;
}

/** Building a transition costs about as much as this number of steps. */
const transitionSteps = 10;

function spends(budget: Budget): boolean {
  try {
    budget.spend(transitionSteps);
    return true;
  } catch {
    return false;
  }
}

function verdictOf(
  matches: NonNullable<Query<Transition, undefined>['matches']>,
  transition: Transition,
  budget: Budget,
): boolean | 'unknown' {
  try {
    return matches(transition, undefined, budget);
  } catch (error) {
    if (error instanceof FilterError) return 'unknown';
    throw error;
  }
}

/** `from` is a word of the language, so states have other names; `to` is not. */
const fields: Readonly<Record<string, (transition: Transition) => string>> = {
  kind: ({ kind }) => kind,
  id: ({ id }) => id,
  event: ({ event }) => event,
  fromState: ({ from }) => from,
  to: ({ to }) => to,
  toState: ({ to }) => to,
  actor: ({ actor }) => actor,
  actorName: ({ actorName }) => actorName,
  operation: ({ operation }) => operation,
};

const symbols = new Map<string, ScalarSymbol<Transition, undefined>>(
  Object.entries(fields).map(([name, read]) => [name, { form: 'scalar', type: 'string', read }]),
);

const scope: Scope<Transition, undefined> = {
  symbol: (name) => symbols.get(name),
  linked: () => undefined,
};

const streamFilterBounds = {
  /** Different filters of all inspectors: one for each of them. @bound per controller */
  inspectorFiltersMax: 200,
};
