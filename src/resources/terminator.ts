// Terminators: where a service is hosted (spec/1 "Terminator", behaviour §8.10).

import Type from 'typebox';
import { field, optional, reference } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

const address = () =>
  field(Type.String({ minLength: 1, maxLength: 4096 }), { required: true, symbol: 'string' });

/** The stored side of terminators; their operations come with the resources issue. */
export const terminatorKind = defineKind({
  kind: 'terminator',
  version: 1,
  fields: {
    serviceId: reference('service', {
      inverse: 'terminators',
      onDelete: 'cascade',
      write: 'create',
    }),
    routerId: reference('router', { inverse: 'terminators', onDelete: 'cascade' }),
    binding: address(),
    address: address(),
    cost: field(Type.Integer({ minimum: 0, maximum: 65535 }), { fallback: 0, symbol: 'integer' }),
    precedence: field(
      Type.Union([Type.Literal('default'), Type.Literal('required'), Type.Literal('failed')]),
      { fallback: 'default', symbol: 'string' },
    ),
    identity: field(Type.String({ maxLength: 1000 }), { fallback: '', write: 'create' }),
    identitySecret: optional(Type.String({ maxLength: 4096 }), {
      write: 'create',
      show: 'never',
      secret: true,
    }),
  },
  many: [],
});
