// Terminators: where a service is hosted (behaviour/services#terminators).

import Type from 'typebox';
import { terminator } from '../../machines/terminator.ts';
import { baseValues } from '../declare/kinds/compiled.ts';
import { field, optional, optionalReference, reference } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { precedenceField, terminatorCost } from './identity.ts';

const placeSchema = (minLength: number) => Type.String({ minLength, maxLength: 4096 });

const hiddenSince2 = { write: 'never', show: 'never', since: 2 } as const;

/** Where values stand among those of a record. */
const precedenceAt = baseValues + 5;
const isOfRouterAt = baseValues + 11;
const stateAt = baseValues + 12;

/**
 * The stored side of terminators. Bodies use the same names for service and router as the fields.
 */
export const terminatorKind = defineKind({
  kind: 'terminator',
  version: 3,
  fields: {
    service: reference('service', {
      inverse: 'terminators',
      onDelete: 'cascade',
      takesHidden: true,
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
    identity: field(Type.String({ maxLength: 1000 }), {
      fallback: '',
      write: 'create',
      grouped: true,
    }),
    identitySecret: optional(Type.String({ maxLength: 4096, format: 'byte' }), {
      write: 'create',
      show: 'never',
      secret: true,
    }),
    /** The identity that hosts by it; absent where an operator has made it. */
    hostId: optionalReference('identity', {
      inverse: 'terminators',
      onDelete: 'cascade',
      ...hiddenSince2,
    }),
    /** The session that the host binds with; tunnelers have none. */
    sessionId: optionalReference('session', {
      inverse: 'terminators',
      onDelete: 'cascade',
      ...hiddenSince2,
    }),
    /** What the host wants clients to be told: base64 by the number of the header. */
    peerData: optional(Type.Record(Type.String(), Type.String()), {
      ...hiddenSince2,
      secret: true,
    }),
    /** Its router has made it, and is asked whether it still serves it when it connects. */
    isOfRouter: field(Type.Boolean(), { fallback: false, ...hiddenSince2 }),
    state: field(Type.String(), { fallback: 'declared', ...hiddenSince2 }),
  },
  migrations: {
    // In version 3 the state says whether the precedence is failed.
    2: (values) => {
      const failed = values[precedenceAt] === 'failed';
      return failed ? values.with(stateAt, 'failed') : values;
    },
  },
  downgrades: {
    3: (values) => values.with(stateAt, values[isOfRouterAt] === true ? 'hosted' : 'declared'),
  },
  many: [],
  calledBy: ['service', 'address'],
  machine: { declaration: terminator, creates: 'create', removes: 'remove' },
});

/** A stored terminator. */
export type TerminatorRecord = RecordOf<typeof terminatorKind.fields>;
