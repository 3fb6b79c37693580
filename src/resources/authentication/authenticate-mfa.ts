// The second factor of a login, or of an expired posture: POST /authenticate/mfa
// (behaviour/mfa#login).

import type { Static } from 'typebox';
import { factorsOf } from '../../auth/factors.ts';
import { emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { type Context, operation } from '../context.ts';
import {
  matchCode,
  mfaCodeBody,
  ownEnrollment,
  refuseGuess,
  sendToEnrollment,
  usedStep,
} from '../mfa/mfa-code.ts';

/** The operation. */
export const authenticateMfa = operation({
  id: 'authenticateMfa',
  apis: ['client', 'management'],
  method: 'POST',
  path: '/authenticate/mfa',
  access: 'partial',
  summary: 'Give a TOTP or recovery code',
  body: mfaCodeBody,
  errors: [400, 401, 429],
  authenticates: () => 'mfa',
  // The bar after wrong codes bounds these requests.
  rate: 'uncounted',
  // A code makes posture pass, so pending cascades of the earlier failure must be finished first.
  grants: true,
  decide: giveCode,
});

/**
 * Both records go into one frame, so that no crash leaves a code used without effect, or usable
 * again.
 */
function giveCode(context: Context<Static<typeof mfaCodeBody>>): Reply {
  const { env, tx, now, caller, body } = context;
  const row = ownEnrollment(context);
  const matched = matchCode(context, row, body.code, {
    in: ['verified'],
    accepts: 'any',
    barredStatus: 429,
  });
  if (matched === 'wrong') return refuseGuess(context, row);
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
  const session = caller.session.record;
  const { identityId, isMfaRequired } = session;
  const given = { identityId, isMfaRequired, mfaPassedAt: now };
  const { queries, secondFactorUntil } = factorsOf(context, given);
  env.send(tx, 'apiSession', session.id, {
    type: 'completeSecondFactor',
    now,
    factor: 'totp',
    secondFactorRequired: queries.length > 0,
    secondFactorUntil,
  });
  return emptyReply;
}
