// Which fields of a kind hold secrets, for whoever shows records outside the APIs.

import { isSecretName, secretMask } from '../errors.ts';
import type { Field } from './field.ts';
import type { Kind } from './kind.ts';

/**
 * Whether a field's value must never be shown: it is declared a secret, or its name says that it
 * holds one.
 */
export function isSecretField({ fields }: Pick<Kind, 'fields'>, name: string): boolean {
  const field = fields[name] as Field | undefined;
  if (field?.secret === true) return true;
  // One of a few words is none, whatever its field is called.
  return isSecretName(name) && !(field !== undefined && 'enum' in field.schema);
}

/** A field's value as people may see it: secrets masked, moments as texts. */
export function shownValue(kind: Pick<Kind, 'fields'>, name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (isSecretField(kind, name)) return secretMask;
  const field = kind.fields[name] as Field | undefined;
  const isTime = name === 'createdAt' || name === 'updatedAt' || field?.symbol === 'datetime';
  return isTime && typeof value === 'number' ? timeText(value) : withoutSecrets(value);
}

/** Wall-clock ms in UTC; what is no moment stays the number that it is. */
export function timeText(ms: number): string | number {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? ms : date.toISOString();
}

/** A value with everything masked that stands under the name of a secret. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isHidden = isSecretName(name) && inner !== null && typeof inner !== 'boolean';
      return [name, isHidden ? secretMask : withoutSecrets(inner)];
    }),
  );
}
