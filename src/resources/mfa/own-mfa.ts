// The caller's own MFA: enroll, show, verify, remove, and its recovery codes (behaviour/mfa).

import Type from 'typebox';
import { factorsOf } from '../../auth/factors.ts';
import { detail, emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { baseProperties } from '../../declare/resources/answers.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { ApiError } from '../../errors/errors.ts';
import type { MfaEnrollmentRecord } from '../../records/mfa-enrollment.ts';
import type { Row } from '../../store/record.ts';
import { type Context, type Operation, operation } from '../context.ts';
import {
  matchCode,
  mfaCodeBody,
  mfaCodeHeader,
  ownEnrollment,
  refuseGuess,
  sendToEnrollment,
  usedStep,
} from './mfa-code.ts';

const self = './current-identity/mfa';

/** Answers with secrets must not be cached. */
const notStored: [string, string] = ['cache-control', 'no-store'];

const mfaSchema = Type.Object(
  {
    ...baseProperties,
    isVerified: Type.Boolean(),
    provisioningUrl: Type.Optional(Type.String()),
    recoveryCodes: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'detailMfa' },
);

/** `/current-identity/mfa` in both APIs, except recovery codes. */
export const ownMfa: readonly Operation[] = [
  operation({
    id: 'detailMfa',
    apis: ['client', 'management'],
    path: '/current-identity/mfa',
    answered: 'leader',
    access: 'partial',
    summary: 'Get the MFA enrollment of the caller',
    answer: mfaSchema,
    errors: [401, 404],
    decide(context) {
      const row = ownEnrollment(context);
      if (row === undefined) throw new ApiError('NOT_FOUND');
      return detail([JSON.stringify(viewOf(context, row))], [notStored]);
    },
  }),
  operation({
    id: 'enrollMfa',
    apis: ['client', 'management'],
    method: 'POST',
    path: '/current-identity/mfa',
    access: 'partial',
    summary: 'Begin to enroll the caller in MFA',
    success: 201,
    errors: [401, 409],
    creates: true,
    decide: initiate,
  }),
  operation({
    id: 'deleteMfa',
    apis: ['client', 'management'],
    method: 'DELETE',
    path: '/current-identity/mfa',
    access: 'full',
    summary: 'Disable MFA for the caller',
    headers: { [mfaCodeHeader]: Type.String() },
    errors: [401, 404],
    decide: disable,
  }),
  operation({
    id: 'verifyMfa',
    apis: ['client', 'management'],
    method: 'POST',
    path: '/current-identity/mfa/verify',
    access: 'partial',
    summary: 'Complete the MFA enrollment of the caller with a first code',
    body: mfaCodeBody,
    errors: [400, 401, 404],
    rate: 'uncounted',
    grants: true,
    decide: verify,
  }),
  operation({
    id: 'detailMfaQrCode',
    apis: ['client', 'management'],
    path: '/current-identity/mfa/qr-code',
    answered: 'leader',
    access: 'partial',
    summary: 'Get the provisioning URL of the caller as a picture',
    answer: { bare: 'image/png' },
    errors: [401, 404],
    decide: (context) => ({
      form: 'bare',
      status: 200,
      contentType: 'image/png',
      body: drawQrCode(context),
      headers: [notStored],
    }),
  }),
];

const codesPath = '/current-identity/mfa/recovery-codes';

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
    path: codesPath,
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
    path: codesPath,
    access: 'full',
    summary: 'Replace all recovery codes of the caller',
    body: mfaCodeBody,
    errors: [400, 401, 404],
    decide: regenerate,
  }),
];

/** Secrets are shown until a first code proves that an app has them. */
function viewOf(context: Context, row: Row<MfaEnrollmentRecord>): object {
  const { id, createdAt, updatedAt, tags, state } = row.record;
  const isVerified = state === 'verified';
  const base = { id, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt), tags };
  if (isVerified) {
    const _links = { self: { href: self }, 'recovery-codes': { href: `${self}/recovery-codes` } };
    return { _links, ...base, isVerified };
  }
  const { mfa } = context.env;
  return {
    _links: {
      self: { href: self },
      verify: { href: `${self}/verify` },
      qr: { href: `${self}/qr-code` },
    },
    ...base,
    isVerified,
    provisioningUrl: mfa.provisioningUrl(row, nameOf(context)),
    recoveryCodes: mfa.recoveryCodes(row),
  };
}

function initiate(context: Context): Reply {
  const { env, now, caller } = context;
  const existing = ownEnrollment(context);
  const id = existing?.record.id ?? env.ids.entity();
  env.send(context.tx, 'mfaEnrollment', id, {
    type: 'initiate',
    now,
    fields: { tags: {}, identityId: caller.identity.id, ...env.mfa.issue(id) },
  });
  return {
    form: 'data',
    status: 201,
    data: [`{"_links":{"self":{"href":"${self}"}},"id":"${id}"}`],
  };
}

/**
 * A pending enrollment is removed without a code, because no code was verified yet
 * (behaviour/mfa#states).
 */
function disable(context: Context): Reply {
  const { now, request } = context;
  const row = ownEnrollment(context);
  const code = request.header(mfaCodeHeader);
  const matched = matchCode(context, row, code, { in: ['verified'], accepts: 'any' });
  if (matched === 'wrong') return refuseGuess(context, row);
  sendToEnrollment(context, row, { type: 'disable', now, codeValid: matched !== undefined });
  return emptyReply;
}

function verify(context: Context<Type.Static<typeof mfaCodeBody>>): Reply {
  const { env, tx, now, caller, body } = context;
  const row = ownEnrollment(context);
  const matched = matchCode(context, row, body.code, { in: ['pending'], accepts: 'totp' });
  if (matched === 'wrong') return refuseGuess(context, row);
  sendToEnrollment(context, row, {
    type: 'verify',
    now,
    codeValid: matched !== undefined,
    timeStep: usedStep(context, row, matched),
  });
  const session = caller.session.record;
  const proven = { identityId: caller.identity.id, isMfaRequired: true, mfaPassedAt: now };
  const { queries, secondFactorUntil } = factorsOf(context, proven);
  env.send(tx, 'apiSession', session.id, {
    type: 'verifyMfa',
    now,
    secondFactorRequired: queries.length > 0,
    secondFactorUntil,
  });
  return emptyReply;
}

/** @throws ApiError NOT_FOUND if there is nothing to show, or nothing any more. */
function drawQrCode(context: Context): Buffer {
  const row = ownEnrollment(context);
  if (row === undefined || row.record.state !== 'pending') throw new ApiError('NOT_FOUND');
  return context.env.mfa.qrCode(row, nameOf(context));
}

const nameOf = ({ caller }: Context) => caller.identity.name;

/** A recovery code does not give access to the others. */
function show(context: Context<Type.Static<typeof optionalCode>>): Reply {
  const { env, now, body, request } = context;
  const row = ownEnrollment(context);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  const code = body.code ?? request.header(mfaCodeHeader);
  const matched = matchCode(context, row, code, { in: ['verified'], accepts: 'totp' });
  if (matched === 'wrong') return refuseGuess(context, row);
  sendToEnrollment(context, row, {
    type: 'show',
    now,
    codeValid: matched !== undefined,
    timeStep: usedStep(context, row, matched),
  });
  const { id, createdAt, updatedAt, tags } = row.record;
  const view = {
    _links: { self: { href: `.${codesPath}` } },
    id,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    tags,
    recoveryCodes: env.mfa.recoveryCodes(row),
  };
  return detail([JSON.stringify(view)], [notStored]);
}

function regenerate(context: Context<Type.Static<typeof mfaCodeBody>>): Reply {
  const { env, now, body } = context;
  const row = ownEnrollment(context);
  const matched = matchCode(context, row, body.code, { in: ['verified'], accepts: 'any' });
  if (matched === 'wrong') return refuseGuess(context, row);
  const isRight = row !== undefined && matched !== undefined;
  sendToEnrollment(context, row, {
    type: 'regenerate',
    now,
    codeValid: isRight,
    timeStep: usedStep(context, row, matched),
    recoveryCodes: isRight ? env.mfa.issueRecoveryCodes(row.record.id) : '',
  });
  return emptyReply;
}
