// MFA enrollments: an identity's TOTP secret and recovery codes (behaviour/mfa).

import Type from 'typebox';
import { mfaEnrollment } from '../../machines/mfa-enrollment.ts';
import { field, reference, sealed } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const count = (since = 1) =>
  field(Type.Integer(), { fallback: 0, write: 'never', show: 'never', since });

/** The index of `lastTimeStep` among the values of version 1. */
const lastTimeStepAt = 8;

/** The stored side of MFA. */
export const mfaEnrollmentKind = defineKind({
  kind: 'mfaEnrollment',
  version: 3,
  fields: {
    state: field(Type.String(), { fallback: 'pending', write: 'never', show: 'never' }),
    identityId: reference('identity', {
      inverse: 'mfa',
      onDelete: 'cascade',
      write: 'never',
      unique: true,
    }),
    secret: sealed(),
    recoveryCodes: sealed(),
    /** The last TOTP time step that was accepted (behaviour/mfa#single-use). */
    lastTimeStep: count(),
    /**
     * The last TOTP time step that any operation accepted: earlier codes are not accepted again.
     */
    lastUsedStep: count(2),
    /** Guesses count across restarts and takeovers (behaviour/mfa#guessing). */
    wrongCodes: count(3),
    bars: count(3),
    /** Wall-clock ms. */
    barredUntil: count(3),
  },
  // Version 1 only recorded what authenticate-MFA had accepted.
  migrations: { 1: (values) => [...values, values[lastTimeStepAt] ?? 0] },
  many: [],
  calledBy: ['identityId'],
  machine: { declaration: mfaEnrollment, creates: 'initiate', removes: 'remove' },
});

/** A stored MFA enrollment. */
export type MfaEnrollmentRecord = RecordOf<typeof mfaEnrollmentKind.fields>;
