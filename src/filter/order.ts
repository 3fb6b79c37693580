// The order of things by sort keys, and of texts by their UTF-8 bytes.

import type { Budget, Scalar, SortKey } from './scope.ts';

/** Negative where `left` comes first, positive where `right` does. */
export type Comparator<T> = (left: T, right: T) => number;

/**
 * The order by `keys`, the first one first; `byId` orders things with equal keys
 * (behaviour/lists#order). Missing values come first ascending and last descending
 * (behaviour/lists#sort-keys).
 */
export function compareBy<T, E>(
  keys: readonly SortKey<T, E>[],
  byId: Comparator<T>,
  env: E,
  budget: Budget,
): Comparator<T> {
  const [only, ...rest] = keys;
  if (only === undefined) return byId;
  const next = compareBy(rest, byId, env, budget);
  const sign = only.isDescending ? -1 : 1;
  return (left, right) => {
    const order = compareValues(only.read(left, env, budget), only.read(right, env, budget));
    return order === 0 ? next(left, right) : sign * order;
  };
}

/** The ascending order of two values of one type; strings by their bytes, false before true. */
export function compareValues(left: Scalar | undefined, right: Scalar | undefined): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  if (typeof left === 'string') return compareBytes(left, right as string);
  return left < right ? -1 : 1;
}

/** Orders texts by their UTF-8 bytes (behaviour/lists) without encoding them. */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return codeUnitRank(a) - codeUnitRank(b);
  }
  return left.length - right.length;
}

/** UTF-16 puts surrogates below U+E000, UTF-8 puts the code points they stand for above U+FFFF. */
function codeUnitRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
