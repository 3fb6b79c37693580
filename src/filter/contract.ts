// What the filter language is asked with, and what it must be told of the things it filters.

/** A value that filters compare; moments are ms since the epoch. */
export type Scalar = string | number | boolean;

/** Types of symbols (behaviour/filters). Integers and moments are numbers, told apart here. */
export type ValueType = 'string' | 'integer' | 'boolean' | 'datetime';

/** A way from a value straight to the things that have it. */
export interface IndexPath<T, E> {
  /** For the plan in the log: `id`, `unique name`, `group identityId`. */
  readonly name: string;
  /** How many things have the value, or some more; found for less than `things` costs. */
  count(value: Scalar, env: E, budget: Budget): number;
  /** The things that have it, in no order that may be relied on. */
  things(value: Scalar, env: E, budget: Budget): Iterable<T>;
}

/** A symbol with at most one value a thing. */
export interface ScalarSymbol<T, E> {
  readonly form: 'scalar';
  readonly type: ValueType;
  /** Undefined: missing, `null` in the language. */
  read(thing: T, env: E, budget: Budget): Scalar | undefined;
  /** Finds things by equality. */
  readonly index?: IndexPath<T, E>;
  /** Whether the things can be had in the order of this symbol without sorting. */
  readonly isOrdered?: boolean;
}

/** A symbol with any number of values a thing: needs anyOf, allOf, count or isEmpty. */
export interface SetSymbol<T, E> {
  readonly form: 'set';
  readonly type: ValueType;
  /**
   * An array where the thing holds one; anything else is worked out while it is read, and spends
   * each element before it does so.
   */
  read(thing: T, env: E, budget: Budget): Iterable<Scalar>;
  /** As that of a linked set. */
  count?(thing: T, env: E, budget: Budget, enough: number): number | undefined;
  /** Finds things by one of their elements. */
  readonly index?: IndexPath<T, E>;
}

/** A value under a free key, `tags.location`: it has the type of what it is compared with. */
export interface MapSymbol<T, E> {
  readonly form: 'map';
  read(thing: T, env: E, budget: Budget): unknown;
}

/** What a name means. */
export type FilterSymbol<T, E> = ScalarSymbol<T, E> | SetSymbol<T, E> | MapSymbol<T, E>;

/** The things behind a name that `from` may follow. */
export interface LinkedSet<T, L, E> {
  /** What names mean for the linked things. */
  readonly scope: Scope<L, E>;
  /** They are worked out while they are read, and each is spent before. */
  things(thing: T, env: E, budget: Budget): Iterable<L>;
  /**
   * How many there are, found for less than reading them costs: exactly, or any number from
   * `enough` on where there are no fewer. Undefined: they must be read to know.
   */
  count?(thing: T, env: E, budget: Budget, enough: number): number | undefined;
}

/** What names mean for one kind of things. `E` is what reading may need besides the thing. */
export interface Scope<T, E> {
  /** By its whole name, dots included; undefined where there is none or it is not public. */
  symbol(name: string): FilterSymbol<T, E> | undefined;
  /** Undefined where nothing of this name may follow `from`. */
  linked(name: string): LinkedSet<T, unknown, E> | undefined;
}

/** Bounds of the text of a filter. */
export const filterBounds = {
  /** Text of a filter. A page of 500 session ids takes 14 KiB. @bound per request */
  filterCharsMax: 16 * 1024,
  /**
   * Parentheses, functions, `not` and sub-queries within each other, and `and` within `or`. Tools
   * use 3 or 4. Reading a filter recurses, and the stack ends between 256 and 512.
   * @bound per request
   */
  filterDepthMax: 64,
  /** Conditions of a filter: a page of 500 ids joined by `or`. @bound per request */
  filterConditionsMax: 500,
  /** Values of one array of a filter. Tools send a page of ids, 500. @bound per request */
  filterArrayMax: 1000,
};

/** What the text of a filter may have at most. */
export type FilterBounds = Readonly<typeof filterBounds>;

/**
 * Counts the steps of one request. A step is what takes up to about 50 ns: a thing looked at, a
 * condition asked of it, an element or linked thing worked out, a piece of a long text. They are
 * spent where they are taken and before, so that what is refused costs no more than what is not.
 */
export interface Budget {
  /** @throws FilterError once more than `filterStepsMax` were spent. */
  spend(steps: number): void;
}

/** What the filters of one caller may take, where it is bounded. */
export interface FilterShare {
  /** Steps that are left. */
  readonly steps: number;
  /** It is all that the caller ever has at once. */
  readonly isWhole: boolean;
  /** Why a filter that takes more is refused. */
  refusal(): Error;
}

/** One key of an order. Missing values come first ascending, last descending (behaviour/lists). */
export interface SortKey<T, E> {
  readonly name: string;
  readonly isDescending: boolean;
  readonly isOrdered: boolean;
  read(thing: T, env: E, budget: Budget): Scalar | undefined;
}

/** A condition that every match fulfils and an index serves. */
export interface Narrowing<T, E> {
  /** The symbol as the filter names it. */
  readonly name: string;
  readonly index: IndexPath<T, E>;
  /** A match has one of these. */
  readonly values: readonly Scalar[];
}

/** A query ready to run, as often as wanted. */
export interface Query<T, E> {
  /** Undefined where everything matches. */
  readonly matches: ((thing: T, env: E, budget: Budget) => boolean) | undefined;
  readonly narrowings: readonly Narrowing<T, E>[];
  /** At most five; id ascending follows by itself (behaviour/lists#order). */
  readonly sort: readonly SortKey<T, E>[];
  readonly skip: number | undefined;
  readonly limit: number | 'none' | undefined;
}

/** A filter that is not one, or asks for what there is not. */
export class FilterError extends Error {
  /** Characters before the place, from 0 on. */
  readonly position: number;
  /** What would have been right there, in words; empty where nothing can be named. */
  readonly expected: readonly string[];

  constructor(message: string, position: number, expected: readonly string[] = []) {
    super(message);
    this.name = 'FilterError';
    this.position = position;
    this.expected = expected;
  }
}
