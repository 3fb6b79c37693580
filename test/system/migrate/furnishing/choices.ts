// Choices that the parts of a random network share.

import type { Dice } from '../../dice.ts';

/** Attributes that roles name. */
export const attributes = ['red', 'green', 'blue', 'Räume', 'a.b-c'] as const;

/** Some of them, perhaps none, in their order. */
export function someOf<T>(dice: Dice, of: readonly T[], shareOf10 = 4): T[] {
  return of.filter(() => dice.integer(1, 10) <= shareOf10);
}

/** Whether something happens that happens so many times in ten. */
export function happens(dice: Dice, timesIn10: number): boolean {
  return dice.integer(1, 10) <= timesIn10;
}

/** A value, or its absence, which a JSON body leaves out. */
export function perhaps<T>(dice: Dice, value: () => T, timesIn10 = 5): T | undefined {
  return happens(dice, timesIn10) ? value() : undefined;
}

/** Tags with values of each type that the stock controller takes. */
export function tagsOf(dice: Dice): Record<string, unknown> | undefined {
  if (happens(dice, 5)) return undefined;
  const all: Record<string, unknown> = {
    text: 'of "text", with ünicode ✓\nand a line',
    empty: '',
    yes: true,
    no: false,
    nothing: null,
    one: 1,
    negative: -7,
    fraction: 1.25,
    large: 9_007_199_254_740_991,
    'key with spaces': 'x',
  };
  return Object.fromEntries(someOf(dice, Object.entries(all)));
}

/** Nested data of some levels, as configs and application data hold it. */
export function nestedData(dice: Dice, depth = 3): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const name of ['first', 'second', 'third 3', 'víerth']) {
    if (happens(dice, 7)) data[name] = nestedValue(dice, depth);
  }
  return data;
}

function nestedValue(dice: Dice, depth: number): unknown {
  const kinds = { text: 3, number: 3, flag: 1, nothing: 1, map: 2, list: 3, none: 1 };
  switch (dice.weighted(kinds)) {
    case 'text':
      return dice.one(['', 'printer.hall', 'ünï ✓', ' padded ', '{"json": true}']);
    case 'number':
      return dice.one([0, -1, 9100, 1.5, 1e21, -2.25e-9, 4_294_967_296]);
    case 'flag':
      return happens(dice, 5);
    case 'nothing':
      return null;
    case 'map':
      return depth === 0 ? {} : nestedData(dice, depth - 1);
    case 'list':
      return Array.from({ length: dice.integer(1, 12) }, () =>
        depth === 0 ? 1 : nestedValue(dice, depth - 1),
      );
    case 'none':
      return [];
  }
}
