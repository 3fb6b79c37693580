// Lists the operations of the OIDC provider.

import { authorization } from './authorize.ts';
import type { Operation } from './context.ts';
import { discovery } from './discovery.ts';
import { endings } from './endings.ts';
import { logins } from './login.ts';
import { tokenEndpoint } from './token.ts';
import { totpOperations } from './totp.ts';

/** All of them. */
export const oidcOperations: readonly Operation[] = [
  ...discovery,
  ...authorization,
  ...logins,
  ...totpOperations,
  tokenEndpoint,
  ...endings,
];
