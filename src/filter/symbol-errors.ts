// What is said when a name is not known or cannot be used as it is.

import type { FilterSymbol, Scope, ValueType } from './contract.ts';
import { FilterError } from './contract.ts';

/** A name where it stands. */
export interface PlacedName {
  readonly name: string;
  readonly position: number;
}

/** What a name means. @throws FilterError where it means nothing. */
export function symbolOf<T, E>(place: PlacedName, scope: Scope<T, E>): FilterSymbol<T, E> {
  const symbol = scope.symbol(place.name);
  if (symbol !== undefined) return symbol;
  throw new FilterError(`there is no symbol ${place.name}`, place.position);
}

/** The error for a name whose symbol is of another form or type than its place asks for. */
export function wrongUse(
  { name, position }: PlacedName,
  text: string,
  expected: readonly string[] = [],
): FilterError {
  return new FilterError(`${name} ${text}`, position, expected);
}

/** The error for a set where a single value belongs. */
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
};
