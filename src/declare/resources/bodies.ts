// Derives the bodies of create, put and patch from a kind's fields, and field values from a body.

import Type, { type TSchema } from 'typebox';
import { fieldError } from '../../errors/errors.ts';
import type { Tags } from '../../store/record.ts';
import type { Field, Fields } from '../kinds/field.ts';

/** Properties of a body that are not fields of the record; the resource's own code reads them. */
export type Inputs = Readonly<Record<string, TSchema>>;

/** The fields of one type besides the fields of every type. */
export interface Variant {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/**
 * Bodies that differ by type, such as those of posture checks. `by` is the field that holds the
 * type: create and patch require it, for put it is optional (behaviour/posture#fixed-type).
 */
export interface Variants {
  readonly by: string;
  readonly types: Readonly<Record<string, Variant>>;
  /** Other names of types, each with the type that it means. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/**
 * Tags of any entity (behaviour/records#tags): values are checked separately, for an error that
 * names the tag.
 */
const tagsSchema = Type.Record(Type.String({ maxLength: 1000 }), Type.Unknown());

/**
 * Schema of the body of create, or of put, without fields that are only set at creation, or of
 * patch, in which all properties are optional.
 */
export function bodySchema(
  verb: 'create' | 'update' | 'patch',
  fields: Fields,
  inputs: Inputs,
  variants?: Variants,
): TSchema {
  const isPatch = verb === 'patch';
  const properties: Record<string, TSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!isWritable(field, verb)) continue;
    const given = isPatch ? patchSchema(field) : field.schema;
    const isNullable = isPatch ? field.nullable === true : field.nullable !== false;
    const schema = isNullable ? orNull(given) : given;
    properties[field.as ?? name] = field.required && !isPatch ? schema : Type.Optional(schema);
  }
  for (const [name, schema] of Object.entries(inputs)) {
    properties[name] = isPatch ? Type.Optional(schema) : schema;
  }
  properties['tags'] = Type.Optional(tagsSchema);
  return variants === undefined
    ? Type.Object(properties)
    : variantBodies(fields, properties, variants, verb);
}

/** One body per type. `checkBody` checks a body against the type that it names. */
function variantBodies(
  fields: Fields,
  properties: Readonly<Record<string, TSchema>>,
  { by, types, aliases = {} }: Variants,
  verb: 'create' | 'update' | 'patch',
): TSchema {
  const special = new Set(Object.values(types).flatMap(fieldsOf));
  const bodies = Object.entries(types).map(([type, variant]) => {
    const own: Record<string, TSchema> = {
      [by]: verb === 'update' ? Type.Optional(Type.Literal(type)) : Type.Literal(type),
    };
    for (const [name, schema] of Object.entries(properties)) {
      if (name === by || (special.has(name) && !fieldsOf(variant).includes(name))) continue;
      const isRequired = verb !== 'patch' && variant.required.includes(name);
      own[name] = isRequired ? (fields[name]?.schema ?? schema) : schema;
    }
    return Type.Object(own);
  });
  return Type.Union(bodies, { 'x-discriminator': by, 'x-aliases': aliases });
}

const fieldsOf = ({ required, optional }: Variant) => [...required, ...optional];

/**
 * Field values for a new or replaced record: an absent property means the fallback
 * (behaviour/records#put).
 */
export function wholeValues(
  fields: Fields,
  body: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!isWritable(field, stored === undefined ? 'create' : 'update')) {
      values[name] = stored === undefined ? field.fallback : stored[name];
    } else {
      const given = body[field.as ?? name] ?? undefined;
      values[name] = given === undefined ? field.fallback : field.fromJson(given);
    }
  }
  return values;
}

/**
 * Field values after a patch: only what the body holds changes, objects merge
 * (behaviour/records#patch).
 */
export function patchedValues(
  fields: Fields,
  body: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const shown = field.as ?? name;
    const given = isWritable(field, 'update') && Object.hasOwn(body, shown);
    if (!given) values[name] = stored[name];
    // Other fields never see null, because `checkBody` removes it.
    else if (body[shown] === null) values[name] = field.fallback;
    else values[name] = field.merge(stored[name], field.fromJson(body[shown]));
  }
  return values;
}

/**
 * Tags as a record holds them.
 * @throws ApiError COULD_NOT_VALIDATE for values other than null, strings and booleans
 *   (behaviour/records#tags).
 */
export function tagsOf(body: Readonly<Record<string, unknown>>): Tags | undefined {
  const tags = body['tags'];
  if (tags === undefined || tags === null) return undefined;
  for (const [tag, value] of Object.entries(tags)) {
    if (value !== null && typeof value !== 'string' && typeof value !== 'boolean') {
      throw fieldError('tags', `tag ${tag} must be null, a string or a boolean`, value);
    }
  }
  return tags as Tags;
}

function isWritable(field: Field, verb: 'create' | 'update' | 'patch'): boolean {
  return field.write === 'always' || (field.write === 'create' && verb === 'create');
}

interface Described {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean;
}

/** The same schema, which null satisfies as well. */
function orNull(schema: TSchema): TSchema {
  return { ...schema, type: [(schema as Described).type, 'null'] } as TSchema;
}

function patchSchema({ schema, blankIsAbsent }: Field): TSchema {
  const patch = partial(schema);
  return blankIsAbsent ? ({ ...patch, 'x-blank': 'absent' } as TSchema) : patch;
}

/** The same schema with every property of every object in it optional. */
function partial(schema: TSchema): TSchema {
  const { type, properties, additionalProperties } = schema as Described;
  if (type !== 'object' || properties === undefined) return schema;
  const inner: Record<string, TSchema> = {};
  for (const [name, property] of Object.entries(properties)) {
    inner[name] = Type.Optional(partial(property));
  }
  // A map stays a map, because its keys are not listed.
  return Type.Object(inner, additionalProperties === undefined ? {} : { additionalProperties });
}
