// Wrong passwords in a row, one record per password that has some (behaviour/login#lockout). They
// are durable, so that a restart or a takeover gives no new guesses, and apart from the
// authenticator, so that a guess does not disturb a login that is being checked.

import Type from 'typebox';
import { field, reference } from '../declare/kinds/field.ts';
import { defineKind } from '../declare/kinds/kind.ts';

/** The stored side of what is counted towards a lock-out. */
export const wrongPasswordsKind = defineKind({
  kind: 'wrongPasswords',
  version: 1,
  fields: {
    authenticatorId: reference('authenticator', {
      inverse: 'wrongPasswords',
      onDelete: 'cascade',
      write: 'never',
      unique: true,
    }),
    count: field(Type.Integer(), { fallback: 0, write: 'never', show: 'never' }),
  },
  many: [],
  calledBy: ['authenticatorId'],
});
