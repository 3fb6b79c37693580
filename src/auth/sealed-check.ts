// Whether the key of the home opens what MFA enrollments keep sealed.

import type { MfaEnrollmentRecord } from '../resources/mfa-enrollment.ts';
import type { Look } from '../store/fault.ts';
import type { Store } from '../store/store.ts';
import type { Mfa, SealedFactors } from './mfa.ts';

const words: Readonly<Record<keyof SealedFactors, string>> = {
  secret: 'its secret',
  recoveryCodes: 'its recovery codes',
};

/** Looks at every enrollment. What does not open is lost: nobody can make it up again. */
export function* sealedFaults(store: Store, mfa: Pick<Mfa, 'unreadable'>): Look {
  for (const { record } of store.table<MfaEnrollmentRecord>('mfaEnrollment').all()) {
    const fields = mfa.unreadable(record);
    if (fields.length === 0) yield;
    for (const field of fields) {
      const description = `mfaEnrollment ${record.id}: ${words[field]} cannot be opened`;
      yield { description, advice };
    }
  }
}

const advice =
  'put the pki/sealing.key back that it was sealed by and restart, or remove the MFA of its ' +
  'identity, so that it can enroll again';
