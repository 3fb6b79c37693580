// Checks values against our own JSON schemas, above all those of bodies.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { memberOf, otherSpellings } from '../kinds/member-names.ts';
import { isPlainText, notPlainReason, plainTextFormat } from './plain-text.ts';

/** A problem of a value: the path, the reason, and the value at the path. */
export interface SchemaProblem {
  /** Path from the value checked, segments joined by `.`; empty for the value itself. */
  readonly field: string;
  /** The path of the object that lacks the property, when `field` names a missing one. */
  readonly lacking?: string;
  readonly reason: string;
  readonly value: unknown;
}

const ajv = new Ajv({ strict: false, allowUnionTypes: true, discriminator: false, verbose: true });
formats.default(ajv);
ajv.addFormat(plainTextFormat, isPlainText);

const compiled = new WeakMap<object, ValidateFunction>();

/**
 * The first problem of `value`, or undefined. Schemas are compiled at their first use and kept;
 * there are some hundred. Those of users are for `userSchemaProblem`.
 */
export function schemaProblem(schema: TSchema, value: unknown): SchemaProblem | undefined {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (validate(value)) return undefined;
  return problemOf(validate.errors ?? []);
}

/**
 * Checks a request's body, gives its members the declared spelling, and removes nulls, which mean
 * "absent", and blanks where these do (behaviour/requests#bodies,
 * behaviour/requests#member-names), except where the schema allows null. Each item of a list may
 * have its own shape.
 * @throws ApiError COULD_NOT_VALIDATE for the first problem.
 */
export function checkBody(declared: TSchema, body: unknown): unknown {
  const { items, maxItems = Number.POSITIVE_INFINITY } = declared as VariantSchema;
  if (items?.['x-discriminator'] === undefined || !Array.isArray(body)) {
    return checkShape(declared, body, '');
  }
  if (body.length > maxItems) {
    throw fieldError('body', `must have at most ${maxItems} items`, body.length);
  }
  return body.map((item, at) => checkShape(items, item, `${at}.`));
}

/** `at`: the path of the value within the body, with a trailing separator. */
function checkShape(declared: TSchema, given: unknown, at: string): unknown {
  const body = withTypeOf(declared, given);
  const schema = shapeFor(declared, body, at);
  const stripped = withoutAbsent(schema, body);
  const problem = schemaProblem(schema, stripped);
  if (problem === undefined) return stripped;
  if (at === '' && problem.field === '' && !isOfKind(schema, body)) {
    throw new ApiError('COULD_NOT_PARSE_BODY', {
      cause: { field: 'body', reason: problem.reason, value: typeof body },
    });
  }
  const field = problem.field === '' ? at.slice(0, -1) : at + problem.field;
  throw fieldError(field, problem.reason, problem.value);
}

interface VariantSchema {
  readonly 'x-discriminator'?: string;
  /** Other names of types, each with the type that it means. */
  readonly 'x-aliases'?: Readonly<Record<string, string>>;
  readonly anyOf?: readonly ObjectSchema[];
  readonly items?: TSchema & { readonly 'x-discriminator'?: string };
  readonly maxItems?: number;
}

/** The body with the type that an alias means. */
function withTypeOf(declared: TSchema, body: unknown): unknown {
  const { 'x-discriminator': by, 'x-aliases': aliases } = declared as VariantSchema;
  if (by === undefined || aliases === undefined || !isObject(body)) return body;
  const type = String(body[by]);
  return Object.hasOwn(aliases, type) ? { ...body, [by]: aliases[type] } : body;
}

/** Of several shapes the one that the body names, else their common part. */
function shapeFor(declared: TSchema, body: unknown, at: string): TSchema {
  const { 'x-discriminator': by, anyOf: variants } = declared as VariantSchema;
  if (by === undefined || variants === undefined || !isObject(body)) return declared;
  const type = memberOf(body, by);
  if (type === undefined || type === null) return commonOf(declared, variants);
  const typeOf = ({ properties }: ObjectSchema) => properties?.[by]?.const;
  const found = variants.find((variant) => typeOf(variant) === type);
  if (found !== undefined) return found as TSchema;
  throw fieldError(at + by, `must be one of ${variants.map(typeOf).join(', ')}`, type);
}

const commons = new WeakMap<TSchema, TSchema>();

/** The properties of all shapes; only those that every shape requires are required. */
function commonOf(declared: TSchema, variants: readonly ObjectSchema[]): TSchema {
  let common = commons.get(declared);
  if (common === undefined) {
    const required = variants
      .map((variant) => variant.required ?? [])
      .reduce((names, others) => names.filter((name) => others.includes(name)));
    const properties = Object.assign({}, ...variants.map((variant) => variant.properties));
    common = { type: 'object', required, properties } as TSchema;
    commons.set(declared, common);
  }
  return common;
}

interface ObjectSchema {
  readonly type?: unknown;
  readonly 'x-blank'?: 'absent';
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
  readonly additionalProperties?: unknown;
}

function withoutAbsent(schema: ObjectSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    return schema.items === undefined
      ? value
      : value.map((item) => withoutAbsent(schema.items as ObjectSchema, item));
  }
  if (schema.properties === undefined || schema.additionalProperties === true) return value;
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  let hasUnknown = false;
  for (const [key, inner] of Object.entries(value)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property === undefined) hasUnknown = true;
    else if (!isAbsent(property, inner)) result[key] = withoutAbsent(property, inner);
  }
  if (!hasUnknown) return result;
  for (const [name, inner] of otherSpellings(schema.properties, value)) {
    const property = schema.properties[name] ?? {};
    if (!isAbsent(property, inner)) result[name] = withoutAbsent(property, inner);
  }
  return result;
}

/** Whether a value counts as none: null where it has no meaning of its own, a marked blank. */
function isAbsent(schema: ObjectSchema, value: unknown): boolean {
  if (value === null) return !(Array.isArray(schema.type) && schema.type.includes('null'));
  return value === '' && schema['x-blank'] === 'absent';
}

/** Whether a body is an array if one is expected, and an object otherwise. */
function isOfKind(schema: TSchema, body: unknown): boolean {
  return (schema as { type?: unknown }).type === 'array' ? Array.isArray(body) : isObject(body);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The problem of a refused value, from the errors of Ajv (`verbose`). */
export function problemOf(errors: readonly ErrorObject[]): SchemaProblem {
  // The last error of an anyOf only says that no shape matched; the first one names the nearest
  // shape.
  const error = errors[0] as ErrorObject;
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  if (error.keyword === 'required') {
    const missing = String((error.params as { missingProperty: string }).missingProperty);
    const field = [...path, missing].join('.');
    return { field, lacking: path.join('.'), reason: 'is required', value: undefined };
  }
  const field = path.join('.');
  if (error.keyword === 'enum') {
    const allowed = (error.params as { allowedValues: unknown[] }).allowedValues.join(', ');
    return { field, reason: `must be one of ${allowed}`, value: error.data };
  }
  if (error.keyword === 'format' && error.schema === plainTextFormat) {
    return { field, reason: notPlainReason, value: error.data };
  }
  return { field, reason: error.message ?? 'is not valid', value: error.data };
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
