// The auth policy of identities that name none: every way to log in is open, no second factor.

import type { AuthPolicyRecord } from '../../../records/auth-policy.ts';
import { deepFrozen } from './frozen.ts';
import type { Seed } from './seed.ts';

/**
 * See behaviour/identities#default-policy; 0 attempts and an empty list of signers mean no limit.
 */
export const builtInAuthPolicy: Seed<AuthPolicyRecord> = deepFrozen({
  id: 'default',
  name: 'Default',
  isSystem: true,
  primary: {
    cert: { allowed: true, allowExpiredCerts: true },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 0,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    },
  },
  secondary: { requireTotp: false },
});
