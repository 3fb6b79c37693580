// The field of records that decide who may log in and that no administrator has looked at
// (behaviour/permissions#unconfirmed).

import Type from 'typebox';
import { type Field, optional } from '../declare/field.ts';

/** True if a caller who is no administrator wrote the record last; otherwise absent. */
export function unconfirmed(): Field<boolean | undefined> {
  return optional(Type.Boolean(), { write: 'never' });
}
