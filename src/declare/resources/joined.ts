// Joined fields that many resources have: a reference to another record, and a computed value.

import type { TSchema } from 'typebox';
import type { Environment } from '../operations/environment.ts';
import type { Context } from '../operations/operation.ts';
import { entityRefSchema } from './answers.ts';
import type { Joined } from './resource.ts';

/** A joined field with the JSON of a value. */
export function joinedValue<R, Env extends Environment>(
  schema: TSchema,
  value: (record: R, context: Context<unknown, Env>) => unknown,
): Joined<R, Env> {
  return {
    schema,
    text(record, context) {
      const shown = value(record, context);
      // A page has hundreds of booleans, for which JSON.stringify takes five times as long.
      return typeof shown === 'boolean' ? String(shown) : JSON.stringify(shown);
    },
  };
}

/** A joined field with the EntityRef of the record whose id the field holds, if it exists. */
export function joinedReference<Name extends string>(
  kind: string,
  field: Name,
): Joined<Readonly<Record<Name, string | undefined>>> {
  return {
    schema: entityRefSchema,
    text: (record, { api, env }) => env.registry.reference(kind, record[field], api),
  };
}
