// Enrollments: outstanding one-time tokens of identities and routers (behaviour/enrollment).

import Type from 'typebox';
import { enrollment } from '../../machines/enrollment.ts';
import {
  field,
  optional,
  optionalReference,
  sealed,
  time,
  tokenHashField,
} from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { tokenHash } from './token-hash.ts';

const ownerOf = (kind: string) =>
  optionalReference(kind, { inverse: 'enrollments', onDelete: 'cascade', write: 'never' });

/** The indexes of token and JWT among the values of each version. */
const [tokenAt, jwtAt] = [6, 7];

/** The stored side of enrollments. */
export const enrollmentKind = defineKind({
  kind: 'enrollment',
  version: 2,
  fields: {
    state: field(Type.String(), { fallback: 'outstanding', write: 'never', show: 'never' }),
    method: field(Type.String(), { required: true, write: 'never', symbol: 'string' }),
    token: sealed(),
    /** Stored as issued, because a JWT that is signed again would be another one. */
    jwt: sealed(),
    expiresAt: time({ write: 'never' }),
    identityId: ownerOf('identity'),
    routerId: ownerOf('router'),
    caId: optionalReference('ca', {
      inverse: 'enrollments',
      onDelete: 'cascade',
      write: 'never',
      show: 'present',
    }),
    username: optional(Type.String(), { write: 'never' }),
    tokenHash: tokenHashField({ since: 2 }),
  },
  // Version 2 seals token and JWT and appends tokenHash.
  migrations: {
    1: (values, seal) => {
      const [token, jwt] = [String(values[tokenAt]), String(values[jwtAt])];
      const sealedValues = values.with(tokenAt, seal('token', token)).with(jwtAt, seal('jwt', jwt));
      return [...sealedValues, tokenHash(token)];
    },
  },
  many: [],
  calledBy: ['method', 'identityId', 'routerId'],
  uniqueKeys: [
    {
      name: 'method',
      key: ({ identityId, routerId, method }) => `${identityId ?? routerId}/${method}`,
    },
  ],
  machine: { declaration: enrollment, creates: 'create', removes: 'remove' },
});

/** A stored enrollment. */
export type EnrollmentRecord = RecordOf<typeof enrollmentKind.fields>;
