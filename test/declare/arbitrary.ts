// A generator of records from a kind's declaration, so that every kind gets the same property
// tests.

import type { TSchema } from 'typebox';
import type { Field } from '../../src/declare/kinds/field.ts';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import type { RecordBase } from '../../src/store/record.ts';
import * as fc from '../properties.ts';

/** Records as the store may hold them; references lead nowhere. */
export function recordArbitrary(kind: Kind): fc.Arbitrary<RecordBase> {
  const time = fc.integer({ min: 0, max: 2 ** 42 });
  const tag = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer());
  const fields = Object.fromEntries(
    kind.fieldNames.map((name) => [name, valueArbitrary(kind.fields[name] as Field)]),
  );
  return fc
    .record({
      id: fc.stringMatching(/^[0-9a-z][0-9a-zA-Z.-]{8}$/),
      createdAt: time,
      updatedAt: time,
      tags: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tag, { maxKeys: 3 }),
      isSystem: fc.constantFrom(true, undefined),
      ...fields,
    })
    .map((record) => record as RecordBase);
}

/** What callers may send for a field. */
export function jsonArbitrary(schema: TSchema): fc.Arbitrary<unknown> {
  const described = schema as Described;
  const { enum: values, const: constant, anyOf, type } = described;
  if (constant !== undefined) return fc.constant(constant);
  if (values !== undefined) return fc.constantFrom(...values);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => jsonArbitrary(one)));
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((one) => jsonArbitrary({ ...schema, type: one } as TSchema)));
  }
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'string':
      return textArbitrary(described);
    case 'integer':
      return fc.integer({
        min: described.minimum ?? -1000,
        max: Math.min(described.maximum ?? 1000, 2 ** 31 - 1),
      });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(jsonArbitrary(described.items ?? schema), {
        minLength: described.minItems ?? 0,
        maxLength: (described.minItems ?? 0) + 3,
      });
    case 'object':
      return objectArbitrary(described);
    case undefined:
      return fc.oneof(fc.boolean(), fc.integer(), fc.string({ maxLength: 10 }));
    default:
      throw new RangeError(`no generator for a schema of type ${String(type)}`);
  }
}

/** What of a schema tells which values fit. */
export interface Described {
  readonly type?: string | readonly string[];
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

function valueArbitrary(field: Field): fc.Arbitrary<unknown> {
  const value = jsonArbitrary(field.schema).map((json) => field.fromJson(json));
  return field.required || field.fallback !== undefined
    ? value
    : fc.option(value, { nil: undefined });
}

function textArbitrary({ format, minLength = 0, maxLength = 20 }: Described) {
  if (format === 'date-time') {
    return fc.integer({ min: 0, max: 2 ** 42 }).map((ms) => new Date(ms).toISOString());
  }
  if (format === 'byte') return fc.base64String({ maxLength });
  // A pattern asks for something that is no white space at most.
  const lead = minLength > 0 ? 'x' : '';
  const most = Math.min(maxLength, minLength + 10);
  return fc
    .string({ minLength, maxLength: most, unit: 'grapheme-ascii' })
    .map((text) => (lead + text).slice(0, Math.max(most, 1)));
}

function objectArbitrary(described: Described): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], patternProperties = {} } = described;
  const [pattern] = Object.values(patternProperties);
  if (pattern !== undefined) {
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), jsonArbitrary(pattern), {
      maxKeys: 3,
    });
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, jsonArbitrary(inner)]),
  );
  return fc.record(fields, { requiredKeys: [...required] });
}
