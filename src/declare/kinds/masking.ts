// Decides which values of records are secrets, for all output of records outside the two APIs: the
// audit feed, the `log` command and the inspector.

import type { TSchema } from 'typebox';
import { isSecretName, secretMask } from '../../errors/errors.ts';
import type { Field } from './field.ts';
import type { Kind } from './kind.ts';

/**
 * Whether the value of a field must never be shown. The declaration decides for declared fields, so
 * that an operator sees every setting of a policy; a name that no kind declares is masked according
 * to its words.
 */
export function isSecretField({ fields }: Pick<Kind, 'fields'>, name: string): boolean {
  const field = declaredField(fields, name);
  return field === undefined ? isSecretName(name) : field.secret !== false;
}

/** A field's value for display: secrets are masked, times are texts. */
export function shownValue(kind: Pick<Kind, 'fields'>, name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (isSecretField(kind, name)) return secretMask;
  const field = declaredField(kind.fields, name);
  const isTime = name === 'createdAt' || name === 'updatedAt' || field?.symbol === 'datetime';
  if (isTime && typeof value === 'number') return timeText(value);
  return withoutSecrets(value, field === undefined ? noSchemas : [field.schema]);
}

/** Wall-clock ms in UTC; a number that is not a moment stays a number. */
export function timeText(ms: number): string | number {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? ms : date.toISOString();
}

/** The parts of a JSON schema that declare the properties of a value. */
interface DeclaredShape {
  readonly properties?: Readonly<Record<string, DeclaredShape>>;
  readonly patternProperties?: Readonly<Record<string, DeclaredShape>>;
  readonly items?: DeclaredShape;
  readonly anyOf?: readonly DeclaredShape[];
  /** Marks a declared property as a secret (JSON Schema validation vocabulary, §9.4). */
  readonly writeOnly?: boolean;
}

const noSchemas: readonly TSchema[] = [];

function declaredField(fields: Kind['fields'], name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/**
 * The value with its secrets masked. A property that one of the schemas declares is a secret if it
 * is declared `writeOnly`; any other property, and each key of a map, is free-form, and a secret if
 * its name says so.
 */
function withoutSecrets(value: unknown, schemas: readonly DeclaredShape[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const shapes = schemas.flatMap((schema) => [schema, ...(schema.anyOf ?? [])]);
  if (Array.isArray(value)) {
    const items = shapes.flatMap((shape) => shape.items ?? []);
    return value.map((item) => withoutSecrets(item, items));
  }
  const inMap = shapes.flatMap(({ patternProperties = {} }) => Object.values(patternProperties));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const declared = shapes.flatMap((shape) => propertyOf(shape, name));
      const isSecret =
        declared.length > 0 ? declared.some(({ writeOnly }) => writeOnly) : isSecretName(name);
      const isHidden = isSecret && inner !== null && typeof inner !== 'boolean';
      return [name, isHidden ? secretMask : withoutSecrets(inner, [...declared, ...inMap])];
    }),
  );
}

function propertyOf({ properties = {} }: DeclaredShape, name: string): readonly DeclaredShape[] {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return property === undefined ? [] : [property];
}
