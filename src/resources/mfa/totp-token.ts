// The proof of a TOTP code for routers: POST /current-api-session/totp-token
// (behaviour/mfa#totp-tokens).

import Type, { type Static } from 'typebox';
import { factorsOf } from '../../auth/factors.ts';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { ApiError } from '../../errors/errors.ts';
import { type Context, operation } from '../context.ts';
import {
  matchCode,
  mfaCodeBody,
  ownEnrollment,
  refuseGuess,
  sendToEnrollment,
  usedStep,
} from './mfa-code.ts';

/** The operation. */
export const totpToken = operation({
  id: 'createTotpToken',
  apis: ['client', 'management'],
  method: 'POST',
  path: '/current-api-session/totp-token',
  access: 'full',
  summary: 'Get a token that proves a TOTP code to routers',
  body: mfaCodeBody,
  answer: Type.Object({
    issuedAt: Type.String({ format: 'date-time' }),
    token: Type.String(),
  }),
  errors: [400, 401, 409, 429],
  // The bar after wrong codes bounds these requests.
  rate: 'uncounted',
  grants: true,
  decide: proveCode,
});

/** A recovery code proves nothing here, because routers take the token for one of the app. */
function proveCode(context: Context<Static<typeof mfaCodeBody>>): Reply {
  const { env, tx, now, caller, body } = context;
  const { access, identity, session } = caller;
  // Routers check the token against the access token of the client.
  if (access === undefined) throw new ApiError('INVALID_BACKING_TOKEN_TYPE');
  const row = ownEnrollment(context);
  if (row?.record.state !== 'verified') throw new ApiError('MFA_NOT_ENROLLED', { status: 409 });
  const matched = matchCode(context, row, body.code, {
    in: ['verified'],
    accepts: 'totp',
    barredStatus: 429,
  });
  if (matched === 'wrong') refuseGuess(context, row);
  if (matched === 'wrong' || matched === undefined) {
    return { form: 'refused', error: new ApiError('MFA_INVALID_TOKEN', { status: 400 }) };
  }
  const timeStep = usedStep(context, row, matched);
  const given = {
    type: 'spend',
    now,
    codeValid: true,
    timeStep,
    recoveryCodes: undefined,
  } as const;
  sendToEnrollment(context, row, given);
  const { id, identityId, isMfaRequired } = session.record;
  const { queries, secondFactorUntil } = factorsOf(context, {
    identityId,
    isMfaRequired,
    mfaPassedAt: now,
  });
  env.send(tx, 'apiSession', id, {
    type: 'completeSecondFactor',
    now,
    factor: 'totp',
    secondFactorRequired: queries.length > 0,
    secondFactorUntil,
  });
  const token = env.oidcTokens.totp(
    { sub: identity.id, aud: [access.audience], z_asid: id },
    { issuer: env.addresses.url, jti: env.ids.uuid(), now },
  );
  return detail(
    [JSON.stringify({ token, issuedAt: isoTime(now) })],
    [['cache-control', 'no-store']],
  );
}
