// A JSON Schema as a table of its fields, for readers of the API reference.

import { escaped, table } from './html.ts';
import type { Schema } from './openapi.ts';

/** Where the page of schemas lies, as seen from the page that shows a type. */
export type SchemaAddress = (name: string) => string;

/**
 * The fields of a schema, inner ones as `outer.inner`, those of lists as `list[].field` and those
 * of objects with free keys as `object.*.field`. Of several forms, each has its table.
 */
export function fieldsTable(schema: Schema, addressOfSchema: SchemaAddress): string {
  if (schema.anyOf?.some(hasFields) === true) {
    const tables = schema.anyOf.map((form) => fieldsTable(form, addressOfSchema));
    return `<p>One of these forms:</p>\n${tables.join('')}`;
  }
  const rows = fieldsOf(schema, '').map(({ name, field, isRequired }) => [
    `<code>${escaped(name)}</code>`,
    typeOf(field, addressOfSchema) + (isRequired ? requiredMark : ''),
    inProse(field.description),
  ]);
  if (rows.length === 0) return `<p>${typeOf(schema, addressOfSchema)}</p>\n`;
  return table(['field', 'type', 'meaning'], rows);
}

/** Whether a table of the schema says more than its type does. */
export function hasFields(schema: Schema): boolean {
  return schema.anyOf?.some(hasFields) === true || fieldsOf(schema, '').length > 0;
}

/** Stands behind the type of a field that must be there. */
export const requiredMark = ', <b>required</b>';

/** A description, whose code stands in backquotes. */
export function inProse(text = ''): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

interface Field {
  readonly name: string;
  readonly field: Schema;
  readonly isRequired: boolean;
}

function fieldsOf(schema: Schema, outer: string): Field[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, `${outer}[]`);
  const values = valuesOf(schema);
  const inner = outer === '' ? '' : `${outer}.`;
  const ofValues = values === undefined ? [] : fieldsOf(values, `${inner}*`);
  const ofProperties = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${inner}${key}`;
    const isRequired = schema.required?.includes(key) === true;
    return [{ name, field, isRequired }, ...fieldsOf(field, name)];
  });
  return [...ofProperties, ...ofValues];
}

/** A type in words: HTML, with a link where the schema has a name. */
export function typeOf(schema: Schema, addressOfSchema: SchemaAddress): string {
  const inner = (part: Schema) => typeOf(part, addressOfSchema);
  const name = schema.$ref?.replace(/^.*\//, '');
  if (name !== undefined) {
    return `<a href="${escaped(addressOfSchema(name))}">${escaped(name)}</a>`;
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(inner).join(' or ');
  const bounds = boundsOf(schema);
  const suffix = bounds.length === 0 ? '' : ` (${bounds.join(', ')})`;
  if (schema.items !== undefined) return `list of ${inner(schema.items)}${suffix}`;
  const values = valuesOf(schema);
  if (values !== undefined) return `object of ${inner(values)}${suffix}`;
  if (schema.type === undefined) return `anything${suffix}`;
  return `${escaped([schema.type].flat().join(' or '))}${suffix}`;
}

/** The schema of all values, in an object whose keys are free. */
function valuesOf({ patternProperties = {}, additionalProperties }: Schema): Schema | undefined {
  const [byPattern] = Object.values(patternProperties);
  if (byPattern !== undefined) return byPattern;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function literal(value: unknown): string {
  return `<code>${escaped(JSON.stringify(value))}</code>`;
}

function boundsOf(schema: Schema): string[] {
  const { format, pattern } = schema;
  return [
    ...(format === undefined ? [] : [escaped(format)]),
    ...between(schema.minLength, schema.maxLength, ' characters'),
    ...between(schema.minItems, schema.maxItems, ' entries'),
    ...between(schema.minimum, schema.maximum, ''),
    ...(pattern === undefined ? [] : [`matches <code>${escaped(pattern)}</code>`]),
  ];
}

function between(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}
