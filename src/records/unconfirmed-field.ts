// The field of records that decide who may log in and that no administrator has looked at
// (behaviour/permissions#unconfirmed).

import Type from 'typebox';
import { type Field, optional } from '../declare/kinds/field.ts';

/**
 * True from when a caller who is no administrator makes the record, or changes what it decides,
 * until an administrator writes it; otherwise absent.
 */
export function unconfirmed(options: { readonly since: number }): Field<boolean | undefined> {
  return optional(Type.Boolean(), { write: 'never', ...options });
}
