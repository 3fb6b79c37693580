// The part of the grammar that reads names, literals and arrays.

import { FilterError } from './contract.ts';
import { readMoment, readNumber, readString } from './literals.ts';
import { type ArrayNode, frozen, type LiteralNode, type NameNode } from './nodes.ts';
import type { Reading, Rule } from './rules.ts';
import { datetime, name, number, signs, string, words } from './tokens.ts';

/** Rules for values. */
export type ValueRules = ReturnType<typeof valueRules>;

/** Defines the rules for values. */
export function valueRules(reading: Reading) {
  const p = reading.parser;
  const aName: Rule<NameNode> = p.RULE('name', () => {
    const { startOffset: position, image } = p.CONSUME(name);
    return frozen({ kind: 'name', position, name: image.replaceAll("'", '') });
  });
  const aString: Rule<LiteralNode> = p.RULE('string', () => {
    const { startOffset: position, image } = p.CONSUME(string);
    return frozen({ kind: 'string', position, value: readString(image) });
  });
  const aNumber: Rule<LiteralNode> = p.RULE('number', () => {
    const { startOffset: position, image } = p.CONSUME(number);
    return p.ACTION(() => {
      const value = readNumber(image);
      if (value === undefined) throw new FilterError(`${image} is too large`, position);
      return frozen({ kind: 'number', position, value });
    });
  });
  const aMoment: Rule<LiteralNode> = p.RULE('moment', () => {
    const { startOffset: position, image } = p.CONSUME(datetime);
    return p.ACTION(() => {
      const value = readMoment(image.slice('datetime('.length, -1).trim());
      if (value === undefined) throw new FilterError(`there is no moment ${image}`, position);
      return frozen({ kind: 'datetime', position, value });
    });
  });
  const truth = p.RULE('truth', () => {
    const token = p.OR([
      { ALT: () => p.CONSUME(words.true) },
      { ALT: () => p.CONSUME(words.false) },
    ]);
    return { position: token.startOffset, value: token.tokenType === words.true };
  });
  const scalar = scalarRule(reading, { aString, aNumber, aMoment, truth });
  const array = arrayRule(reading, { aString, aNumber, aMoment });
  return {
    aName,
    aString,
    aNumber,
    aMoment,
    truth,
    scalar,
    array,
    wholeNumber: wholeRule(reading),
  };
}

type LiteralRules = Readonly<Record<'aString' | 'aNumber' | 'aMoment', Rule<LiteralNode>>>;

/** Any value, null included. */
function scalarRule(
  { parser: p }: Reading,
  rules: LiteralRules & { readonly truth: Rule<{ position: number; value: boolean }> },
): Rule<LiteralNode> {
  return p.RULE('scalar', () =>
    p.OR<LiteralNode>([
      { ALT: () => p.SUBRULE(rules.aString) },
      { ALT: () => p.SUBRULE(rules.aNumber) },
      { ALT: () => p.SUBRULE(rules.aMoment) },
      { ALT: () => frozen({ kind: 'boolean', ...p.SUBRULE(rules.truth) }) },
      {
        ALT: () => {
          const { startOffset: position } = p.CONSUME(words.null);
          return frozen({ kind: 'null', position, value: null });
        },
      },
    ]),
  );
}

/** One or more values of one type. */
function arrayRule(reading: Reading, { aString, aNumber, aMoment }: LiteralRules): Rule<ArrayNode> {
  const p = reading.parser;
  const separator = signs.comma;
  return p.RULE('array', () => {
    const { startOffset: position } = p.CONSUME(signs.openArray);
    const items: LiteralNode[] = [];
    const strings = () => items.push(p.SUBRULE(aString));
    const numbers = () => items.push(p.SUBRULE(aNumber));
    const moments = () => items.push(p.SUBRULE(aMoment));
    p.OR([
      { ALT: () => p.AT_LEAST_ONE_SEP({ SEP: separator, DEF: strings }) },
      { ALT: () => p.AT_LEAST_ONE_SEP2({ SEP: separator, DEF: numbers }) },
      { ALT: () => p.AT_LEAST_ONE_SEP3({ SEP: separator, DEF: moments }) },
    ]);
    reading.miss([separator]);
    p.CONSUME(signs.closeArray);
    return p.ACTION(() => {
      const values = Object.freeze(items.map(({ value }) => value));
      return frozen({ kind: 'array', position, type: items[0]?.kind, values } as ArrayNode);
    });
  });
}

/** The number after `skip` and `limit`. */
function wholeRule({ parser: p }: Reading): Rule<number> {
  return p.RULE('wholeNumber', () => {
    const { startOffset: position, image } = p.CONSUME(number);
    return p.ACTION(() => {
      const value = Number(image);
      if (Number.isSafeInteger(value) && /^-?\d+$/.test(image)) return value + 0;
      throw new FilterError(`${image} is not a whole number`, position, ['a whole number']);
    });
  });
}
