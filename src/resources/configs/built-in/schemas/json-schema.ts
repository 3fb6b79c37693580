// Building blocks of the built-in config schemas: JSON Schema draft-07, each closed to unknown
// properties.

/** A JSON schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The meta schema that a root names. */
export const draft7 = 'http://json-schema.org/draft-07/schema#';

/** An object that has no other properties than these (behaviour/configs#built-in). */
export function closedObject(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  const shape = { type: 'object', additionalProperties: false, properties };
  return required.length === 0 ? shape : { ...shape, required };
}

/** A reference into `definitions` of the same schema. */
export function definition(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

/** An array of at least one item without duplicates (behaviour/configs#built-in). */
export function setOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items, minItems: 1, uniqueItems: true };
}

/** An integer between two bounds, both allowed. */
export function integerWithin(minimum: number, maximum: number): JsonSchema {
  return { type: 'integer', minimum, maximum };
}

/** Largest number of seconds that clients keep in a signed 32-bit integer (behaviour/configs). */
export const secondsMax = 2 ** 31 - 1;
