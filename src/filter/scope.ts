// The interface of the filter language, and the facts that it needs about the things that it
// filters.

/** A value that filters compare; moments are ms since the epoch. */
export type Scalar = string | number | boolean;

/**
 * Types of symbols (behaviour/filters). Integers and moments are both numbers, which these types
 * distinguish. The things hold a `hashed` text only by its hash: it is compared with whole
 * texts and orders nothing, because whoever could compare parts of it would find it out.
 */
export type ValueType = 'string' | 'integer' | 'boolean' | 'datetime' | 'hashed';

/** An index from a value to the things that have it. */
export interface IndexPath<T, E> {
  /** For the plan in the log: `id`, `unique name`, `group identityId`. */
  readonly name: string;
  /** The number of things with the value, or a larger number; cheaper than `things`. */
  count(value: Scalar, env: E, budget: Budget): number;
  /** The things with the value, in no defined order. */
  things(value: Scalar, env: E, budget: Budget): Iterable<T>;
  /** Whether a thing has the value, found without reading it; then `count` is exact. */
  has?(thing: T, value: Scalar, env: E): boolean;
}

/** A symbol with at most one value per thing. */
export interface ScalarSymbol<T, E> {
  readonly form: 'scalar';
  readonly type: ValueType;
  /** Undefined: missing, `null` in the language. */
  read(thing: T, env: E, budget: Budget): Scalar | undefined;
  /** Finds things by equality. */
  readonly index?: IndexPath<T, E>;
  /** Whether the things can be read in the order of this symbol without sorting. */
  readonly isOrdered?: boolean;
}

/** A symbol with any number of values per thing: needs anyOf, allOf, count or isEmpty. */
export interface SetSymbol<T, E> {
  readonly form: 'set';
  readonly type: ValueType;
  /**
   * An array if the thing holds one; any other iterable is computed while it is read, and charges
   * each element before computing it.
   */
  read(thing: T, env: E, budget: Budget): Iterable<Scalar>;
  /** Like `count` of a linked set. */
  count?(thing: T, env: E, budget: Budget, enough: number): number | undefined;
  /** Finds things by one of their elements. */
  readonly index?: IndexPath<T, E>;
}

/**
 * A value under a free key, `tags.location`: it has the type of the value that it is compared with.
 */
export interface MapSymbol<T, E> {
  readonly form: 'map';
  read(thing: T, env: E, budget: Budget): unknown;
}

/** The meaning of a name. */
export type FilterSymbol<T, E> = ScalarSymbol<T, E> | SetSymbol<T, E> | MapSymbol<T, E>;

/** The things of a name that `from` may follow. */
export interface LinkedSet<T, L, E> {
  /** The meaning of names for the linked things. */
  readonly scope: Scope<L, E>;
  /** They are computed while they are read, and each one is charged before. */
  things(thing: T, env: E, budget: Budget): Iterable<L>;
  /**
   * Their number, found at less cost than reading them: exact, or any number from `enough` on if
   * there are at least that many. Undefined if they must be read to be counted.
   */
  count?(thing: T, env: E, budget: Budget, enough: number): number | undefined;
}

/**
 * The meaning of names for one kind of things. `E` is the context that reading may need besides the
 * thing.
 */
export interface Scope<T, E> {
  /** By its complete name, dots included; undefined if there is none or it is not public. */
  symbol(name: string): FilterSymbol<T, E> | undefined;
  /** Undefined if no set of this name may follow `from`. */
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

/** The maximum sizes of the text of a filter. */
export type FilterBounds = Readonly<typeof filterBounds>;

/**
 * Counts the steps of one request. A step takes up to about 50 ns: reading a thing, testing a
 * condition on it, computing an element or linked thing, or a piece of a long text. Steps are
 * charged where they are taken and before, so that a refused filter costs no more than an accepted
 * one.
 */
export interface Budget {
  /** @throws FilterError once more than `filterStepsMax` were spent. */
  spend(steps: number): void;
}

/** The bound on the steps of one caller's filters. */
export interface FilterShare {
  /** Steps that are left. */
  readonly steps: number;
  /** Whether this is the full amount that the caller can ever have. */
  readonly isWhole: boolean;
  /** The reason for refusing a filter that takes more. */
  refusal(): Error;
}

/** One key of an order. Missing values come first ascending, last descending (behaviour/lists). */
export interface SortKey<T, E> {
  readonly name: string;
  readonly isDescending: boolean;
  readonly isOrdered: boolean;
  read(thing: T, env: E, budget: Budget): Scalar | undefined;
}

/** A condition that every match satisfies and an index serves. */
export interface Narrowing<T, E> {
  /** The symbol's name in the filter. */
  readonly name: string;
  readonly index: IndexPath<T, E>;
  /** A match has one of these. */
  readonly values: readonly Scalar[];
  /** The filter has no other condition. */
  readonly isAll: boolean;
}

/** A compiled query, which can run any number of times. */
export interface Query<T, E> {
  /** Undefined if everything matches. */
  readonly matches: ((thing: T, env: E, budget: Budget) => boolean) | undefined;
  readonly narrowings: readonly Narrowing<T, E>[];
  /** At most five; id ascending follows by itself (behaviour/lists#order). */
  readonly sort: readonly SortKey<T, E>[];
  readonly skip: number | undefined;
  readonly limit: number | 'none' | undefined;
}

/** The error for a filter that is invalid or names an unknown symbol. */
export class FilterError extends Error {
  /** Characters before the place, from 0 on. */
  readonly position: number;
  /** The expected input there, in words; empty if nothing can be named. */
  readonly expected: readonly string[];

  constructor(message: string, position: number, expected: readonly string[] = []) {
    super(message);
    this.name = 'FilterError';
    this.position = position;
    this.expected = expected;
  }
}
