// The second factor of a login, or of a posture that ran out: POST /authenticate/mfa
// (behaviour/mfa#login).

import type { Static } from 'typebox';
import { type FactorState, pendingQueries } from '../auth/factors.ts';
import { type Context, emptyReply, operation, type Reply } from '../declare/operation.ts';
import type { RecordBase } from '../store/record.ts';
import {
  forgetWrongCodes,
  matchCode,
  mfaCodeBody,
  ownEnrollment,
  sendToEnrollment,
  usedStep,
} from './mfa-code.ts';

/** The operation. */
export const authenticateMfa = operation({
  id: 'authenticateMfa',
  apis: ['client', 'management'],
  method: 'POST',
  path: '/authenticate/mfa',
  access: 'partial',
  summary: 'Give a TOTP or recovery code',
  success: 200,
  body: mfaCodeBody,
  errors: [400, 401, 429],
  writes: true,
  authenticates: () => 'mfa',
  // What bounds them is the bar after wrong codes.
  rate: 'uncounted',
  // A code makes posture pass: what it failed for must be over first.
  grants: true,
  decide: giveCode,
});

/** Both records go into one frame: no crash leaves a code spent for nothing, or good again. */
function giveCode(context: Context<Static<typeof mfaCodeBody>>): Reply {
  const { env, tx, now, caller, body } = context;
  const row = ownEnrollment(context);
  const matched = matchCode(context, row, body.code, {
    in: ['verified'],
    accepts: 'any',
    barredStatus: 429,
  });
  sendToEnrollment(context, row, {
    type: 'spend',
    now,
    codeValid: matched !== undefined,
    timeStep: usedStep(context, row, matched),
    recoveryCodes:
      row !== undefined && matched?.by === 'recoveryCode'
        ? env.mfa.sealRecoveryCodes(row.record.id, matched.left)
        : undefined,
  });
  const session = caller.session.record as RecordBase & FactorState;
  const { identityId, isMfaRequired } = session;
  const given = { identityId, isMfaRequired, isMfaComplete: true };
  env.send(tx, 'apiSession', session.id, {
    type: 'completeSecondFactor',
    now,
    factor: 'totp',
    secondFactorRequired: pendingQueries(context, given).length > 0,
  });
  // A code given twice does not come this far: whoever saw one must not begin to guess anew by it.
  forgetWrongCodes(context, caller.identity.id);
  return emptyReply;
}
