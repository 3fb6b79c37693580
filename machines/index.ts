// The only registry of the machines of records.

import { apiSession } from './api-session.ts';
import { authRequest } from './auth-request.ts';
import { authenticator } from './authenticator.ts';
import { ca } from './ca.ts';
import { circuit } from './circuit.ts';
import { enrollment } from './enrollment.ts';
import { identity } from './identity.ts';
import { integrityRun } from './integrity-run.ts';
import { link } from './link.ts';
import type { DurableMachine } from './machine.ts';
import { mfaEnrollment } from './mfa-enrollment.ts';
import { revocation } from './revocation.ts';
import { router } from './router.ts';
import { routerPresence } from './router-presence.ts';
import { terminator } from './terminator.ts';
import { tokenKey } from './token-key.ts';

/** The machine of every kind that has one; all are compiled at boot. */
export const machines: readonly DurableMachine[] = Object.freeze([
  apiSession,
  authenticator,
  authRequest,
  ca,
  circuit,
  enrollment,
  identity,
  integrityRun,
  link,
  mfaEnrollment,
  revocation,
  router,
  routerPresence,
  terminator,
  tokenKey,
]);
