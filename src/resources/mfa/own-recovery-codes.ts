// The caller's recovery codes: shown again, or replaced (behaviour/mfa).

import Type, { type Static } from 'typebox';
import { baseProperties } from '../../declare/answers.ts';
import {
  type Context,
  detail,
  emptyReply,
  type Operation,
  operation,
  type Reply,
} from '../../declare/operation.ts';
import { isoTime } from '../../declare/view.ts';
import { ApiError } from '../../errors.ts';
import {
  forgetWrongCodes,
  matchCode,
  mfaCodeBody,
  mfaCodeHeader,
  ownEnrollment,
  sendToEnrollment,
  usedStep,
} from './mfa-code.ts';
import { notStored } from './own-mfa.ts';

const path = '/current-identity/mfa/recovery-codes';

/** The code may come in the header instead (behaviour/mfa#code-in-a-header). */
const optionalCode = Type.Object({ code: Type.Optional(Type.String()) });

const recoveryCodesSchema = Type.Object(
  { ...baseProperties, recoveryCodes: Type.Array(Type.String()) },
  { title: 'detailMfaRecoveryCodes' },
);

/** `/current-identity/mfa/recovery-codes` in both APIs. */
export const ownRecoveryCodes: readonly Operation[] = [
  operation({
    id: 'detailMfaRecoveryCodes',
    apis: ['client', 'management'],
    method: 'GET',
    path,
    access: 'full',
    summary: 'Show the recovery codes of the caller that were not used',
    body: optionalCode,
    bodyOptional: true,
    headers: { [mfaCodeHeader]: Type.String() },
    answer: recoveryCodesSchema,
    errors: [400, 401, 404],
    // The code is noted as used, and the log records who viewed the codes.
    writes: true,
    decide: show,
  }),
  operation({
    id: 'createMfaRecoveryCodes',
    apis: ['client', 'management'],
    method: 'POST',
    path,
    access: 'full',
    summary: 'Replace all recovery codes of the caller',
    body: mfaCodeBody,
    errors: [400, 401, 404],
    decide: regenerate,
  }),
];

/** A recovery code does not give access to the others. */
function show(context: Context<Static<typeof optionalCode>>): Reply {
  const { env, now, caller, body, request } = context;
  const row = ownEnrollment(context);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  const code = body.code ?? request.header(mfaCodeHeader);
  const matched = matchCode(context, row, code, { in: ['verified'], accepts: 'totp' });
  sendToEnrollment(context, row, {
    type: 'show',
    now,
    codeValid: matched !== undefined,
    timeStep: usedStep(context, row, matched),
  });
  forgetWrongCodes(context, caller.identity.id);
  const { id, createdAt, updatedAt, tags } = row.record;
  const view = {
    _links: { self: { href: `.${path}` } },
    id,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    tags,
    recoveryCodes: env.mfa.recoveryCodes(row),
  };
  return detail([JSON.stringify(view)], [notStored]);
}

function regenerate(context: Context<Static<typeof mfaCodeBody>>): Reply {
  const { env, now, caller, body } = context;
  const row = ownEnrollment(context);
  const matched = matchCode(context, row, body.code, { in: ['verified'], accepts: 'any' });
  const isRight = row !== undefined && matched !== undefined;
  sendToEnrollment(context, row, {
    type: 'regenerate',
    now,
    codeValid: isRight,
    timeStep: usedStep(context, row, matched),
    recoveryCodes: isRight ? env.mfa.issueRecoveryCodes(row.record.id) : '',
  });
  forgetWrongCodes(context, caller.identity.id);
  return emptyReply;
}
