// The errors for names that are unknown or cannot be used in their place.

import { FilterError, type FilterSymbol, type Scope, type ValueType } from './scope.ts';

/** A name with its position. */
export interface PlacedName {
  readonly name: string;
  readonly position: number;
}

/** The symbol of a name. @throws FilterError if there is none. */
export function symbolOf<T, E>(place: PlacedName, scope: Scope<T, E>): FilterSymbol<T, E> {
  const symbol = scope.symbol(place.name);
  if (symbol !== undefined) return symbol;
  throw new FilterError(`there is no symbol ${place.name}`, place.position);
}

/** The error for a name whose symbol has another form or type than its place requires. */
export function wrongUse(
  { name, position }: PlacedName,
  text: string,
  expected: readonly string[] = [],
): FilterError {
  return new FilterError(`${name} ${text}`, position, expected);
}

/** The error for a set where a single value is required. */
export function bareSet(place: PlacedName): FilterError {
  const functions = ['anyOf(…)', 'allOf(…)', 'count(…)', 'isEmpty(…)'];
  return wrongUse(place, 'is a set and needs a function around it', functions);
}

/** The types of symbols in the words of an error. */
export const typeWords: Readonly<Record<ValueType, string>> = {
  string: 'a string',
  integer: 'a number',
  boolean: 'true or false',
  datetime: 'datetime(…)',
  hashed: 'a string',
};
