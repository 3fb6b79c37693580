// Checks values against schemas that users wrote for config types. Each is isolated and takes
// bounded time.

import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { LinearPatterns, PatternsCostTooMuch, patternBounds } from './linear-pattern.ts';
import { problemOf, type SchemaProblem } from './validate.ts';

/**
 * The first problem of `value`, or undefined. An unusable schema is also reported as a problem of
 * the value, because bounds may have been lowered since it was accepted.
 */
export function userSchemaProblem(
  schema: object,
  value: unknown,
  bounds = patternBounds,
): SchemaProblem | undefined {
  try {
    return compiledSchema(schema, bounds).problem(value);
  } catch (error) {
    return {
      field: '',
      reason: `its schema cannot be used: ${messageOf(error)}`,
      value: undefined,
    };
  }
}

/** The reason why `schema` is not usable, or undefined. */
export function userSchemaFault(schema: object, bounds = patternBounds): string | undefined {
  try {
    compiledSchema(schema, bounds);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Schemas are replaced with their records and never changed; compiled code is dropped with them.
 */
const compiled = new WeakMap<object, UserSchema>();

function compiledSchema(schema: object, bounds: typeof patternBounds): UserSchema {
  let known = compiled.get(schema);
  if (known === undefined) {
    known = new UserSchema(schema, bounds);
    compiled.set(schema, known);
  }
  return known;
}

class UserSchema {
  readonly #patterns: LinearPatterns;
  readonly #validate: ValidateFunction;

  /** @throws Error with the reason why the schema is not usable. */
  constructor(schema: object, bounds: typeof patternBounds) {
    if (holdsKey(schema, '$async')) throw new Error('$async cannot be used');
    if (metaSchemas.validateSchema(schema) !== true) throw new Error(metaSchemas.errorsText());
    this.#patterns = new LinearPatterns(bounds);
    this.#validate = ajvFor(this.#patterns).compile(schema);
  }

  problem(value: unknown): SchemaProblem | undefined {
    this.#patterns.begin();
    try {
      if (this.#validate(value) === true) return undefined;
    } catch (error) {
      if (!(error instanceof PatternsCostTooMuch || error instanceof RangeError)) throw error;
      return { field: '', reason: messageOf(error), value: undefined };
    }
    return problemOf(this.#validate.errors ?? []);
  }
}

/** Checks only the drafts of JSON Schema. Patterns are checked when they are compiled. */
const metaSchemas = new Ajv({ strict: false, logger: false });
formats.default(metaSchemas);
metaSchemas.addFormat('regex', true);

/**
 * A separate Ajv for each schema: its ids clash with no other, references stay within it, and all
 * memory is freed with it.
 */
function ajvFor(patterns: LinearPatterns): Ajv {
  const regExp = Object.assign((pattern: string) => patterns.compile(pattern), { code: 'linear' });
  const ajv = new Ajv({
    strict: false,
    allowUnionTypes: true,
    verbose: true,
    logger: false,
    meta: false,
    validateSchema: false,
    code: { regExp },
  });
  formats.default(ajv);
  // The version of ajv-formats takes quadratic time.
  ajv.addFormat('url', isWebAddress);
  // Lacking in ajv-formats (behaviour/configs#validation); a host name may be any text that is not
  // blank.
  ajv.addFormat('idn-hostname', (text) => {
    return text.length > 0 && text.length <= 253 && !/\s/.test(text);
  });
  // Ajv compares each item with each other one: 30,000 port ranges took 12 s.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not hold the same item twice' },
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || items.length < 2 || new Set(items.map(canonical)).size === items.length,
  });
  return ajv;
}

function isWebAddress(text: string): boolean {
  return /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text);
}

/** JSON text that is the same for equal values, regardless of the order of properties. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}

function holdsKey(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, key) || Object.values(value).some((inner) => holdsKey(inner, key));
}

function messageOf(error: unknown): string {
  // Out of stack.
  if (error instanceof RangeError)
    return 'the schema is too large, or refers to itself without end';
  return error instanceof Error ? error.message : String(error);
}
