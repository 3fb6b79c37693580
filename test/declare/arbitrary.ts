// A generator of records from a kind's declaration, so that every kind gets the same property
// tests.

import type * as fc from 'fast-check';
import type { TSchema } from 'typebox';
import type { RecordBase } from '../store/record.ts';
import type { Field } from './field.ts';
import type { Kind } from './kind.ts';

type Check = typeof fc;

/**
 * Records as the store may hold them; references lead nowhere. Handed fast-check: production loads
 * none of it.
 */
export function recordArbitrary(check: Check, kind: Kind): fc.Arbitrary<RecordBase> {
  const time = check.integer({ min: 0, max: 2 ** 42 });
  const tag = check.oneof(check.string(), check.boolean(), check.constant(null), check.integer());
  const fields = Object.fromEntries(
    kind.fieldNames.map((name) => [name, valueArbitrary(check, kind.fields[name] as Field)]),
  );
  return check
    .record({
      id: check.stringMatching(/^[0-9a-z][0-9a-zA-Z.-]{8}$/),
      createdAt: time,
      updatedAt: time,
      tags: check.dictionary(check.stringMatching(/^[a-z]{1,8}$/), tag, { maxKeys: 3 }),
      isSystem: check.constantFrom(true, undefined),
      ...fields,
    })
    .map((record) => record as RecordBase);
}

/** What callers may send for a field. */
export function jsonArbitrary(check: Check, schema: TSchema): fc.Arbitrary<unknown> {
  const described = schema as Described;
  const { enum: values, const: constant, anyOf, type } = described;
  if (constant !== undefined) return check.constant(constant);
  if (values !== undefined) return check.constantFrom(...values);
  if (anyOf !== undefined) return check.oneof(...anyOf.map((one) => jsonArbitrary(check, one)));
  switch (type) {
    case 'string':
      return textArbitrary(check, described);
    case 'integer':
      return check.integer({
        min: described.minimum ?? -1000,
        max: Math.min(described.maximum ?? 1000, 2 ** 31 - 1),
      });
    case 'boolean':
      return check.boolean();
    case 'array':
      return check.array(jsonArbitrary(check, described.items ?? schema), {
        minLength: described.minItems ?? 0,
        maxLength: (described.minItems ?? 0) + 3,
      });
    case 'object':
      return objectArbitrary(check, described);
    case undefined:
      return check.oneof(check.boolean(), check.integer(), check.string({ maxLength: 10 }));
    default:
      throw new RangeError(`no generator for a schema of type ${String(type)}`);
  }
}

interface Described {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
}

function valueArbitrary(check: Check, field: Field): fc.Arbitrary<unknown> {
  const value = jsonArbitrary(check, field.schema).map((json) => field.fromJson(json));
  return field.required || field.fallback !== undefined
    ? value
    : check.option(value, { nil: undefined });
}

function textArbitrary(check: Check, { format, minLength = 0, maxLength = 20 }: Described) {
  if (format === 'date-time') {
    return check.integer({ min: 0, max: 2 ** 42 }).map((ms) => new Date(ms).toISOString());
  }
  if (format === 'byte') return check.base64String({ maxLength });
  // A pattern asks for something that is no white space at most.
  const lead = minLength > 0 ? 'x' : '';
  const most = Math.min(maxLength, minLength + 10);
  return check
    .string({ minLength, maxLength: most, unit: 'grapheme-ascii' })
    .map((text) => (lead + text).slice(0, Math.max(most, 1)));
}

function objectArbitrary(check: Check, described: Described): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], patternProperties = {} } = described;
  const [pattern] = Object.values(patternProperties);
  if (pattern !== undefined) {
    return check.dictionary(check.stringMatching(/^[a-z]{1,6}$/), jsonArbitrary(check, pattern), {
      maxKeys: 3,
    });
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, jsonArbitrary(check, inner)]),
  );
  return check.record(fields, { requiredKeys: [...required] });
}
