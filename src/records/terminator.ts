// Terminators: where a service is hosted (behaviour/services#terminators).

import Type from 'typebox';
import { field, optional, reference } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import { precedenceField, terminatorCost } from './identity.ts';

const placeSchema = (minLength: number) => Type.String({ minLength, maxLength: 4096 });

/**
 * The stored side of terminators. Bodies use the same names for service and router as the fields.
 */
export const terminatorKind = defineKind({
  kind: 'terminator',
  version: 1,
  fields: {
    service: reference('service', {
      inverse: 'terminators',
      onDelete: 'cascade',
      write: 'create',
      show: 'never',
    }),
    router: reference('router', { inverse: 'terminators', onDelete: 'cascade', show: 'never' }),
    // A blank one means the usual one (behaviour/services#terminators).
    binding: field(placeSchema(0), {
      required: true,
      blankIsAbsent: true,
      symbol: 'string',
      fromJson: (json) => (json === '' ? 'transport' : json),
    }),
    address: field(placeSchema(1), { required: true, symbol: 'string' }),
    cost: field(terminatorCost, { fallback: 0 }),
    precedence: precedenceField(),
    identity: field(Type.String({ maxLength: 1000 }), { fallback: '', write: 'create' }),
    identitySecret: optional(Type.String({ maxLength: 4096, format: 'byte' }), {
      write: 'create',
      show: 'never',
      secret: true,
    }),
  },
  many: [],
  calledBy: ['service', 'address'],
});

/** A stored terminator. */
export type TerminatorRecord = RecordOf<typeof terminatorKind.fields>;
