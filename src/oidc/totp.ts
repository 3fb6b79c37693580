// The TOTP factor of a login by OIDC, and its enrollment within a login (behaviour/oidc#totp).

import { isEnrolled } from '../auth/factors.ts';
import type { MatchedCode } from '../auth/second-factor/mfa.ts';
import type { Reply } from '../declare/operations/operation.ts';
import { isoTime } from '../declare/resources/view.ts';
import { ApiError } from '../errors/errors.ts';
import { type AuthRequestRecord, authRequestKind } from '../records/auth-request.ts';
import { identityKind } from '../records/identity.ts';
import { type MfaEnrollmentRecord, mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import { admitted } from '../resources/authentication/authentication-session.ts';
import {
  type CodeRules,
  matchCode,
  refuseGuess,
  sendToEnrollment,
  usedStep,
} from '../resources/mfa/mfa-code.ts';
import type { Row } from '../store/record.ts';
import { requestOf } from './authorize.ts';
import { type Context, type Operation, operation } from './context.ts';
import { failed } from './login.ts';
import { type CodeInput, codeInput, codeInputOf, requestIdIn } from './login-input.ts';
import { askForFactor, isOfPage, type NewSecret, showSecret } from './page.ts';
import { formType } from './parameters.ts';
import { answerTo, queriesReply, totpFactor } from './queries.ts';
import { json, originOf, wantsPage } from './replies.ts';

const kind = authRequestKind.kind;

const common = {
  oidc: 'login',
  access: 'public',
  body: codeInput,
  bodyOptional: true,
  rawTypes: [formType],
} as const;

/** The operations. */
export const totpOperations: readonly Operation[] = [
  operation({
    ...common,
    id: 'oidcLoginTotp',
    method: 'POST',
    path: '/login/totp',
    summary: 'Give a TOTP or recovery code',
    errors: [400, 415, 429],
    authenticates: () => 'mfa',
    decide: giveCode,
  }),
  operation({
    ...common,
    id: 'oidcEnrollTotp',
    method: 'POST',
    path: '/login/totp/enroll',
    summary: 'Set up an authenticator app within a login',
    errors: [400, 401, 409, 415],
    creates: true,
    decide: enroll,
  }),
  operation({
    ...common,
    id: 'oidcVerifyTotp',
    method: 'POST',
    path: '/login/totp/enroll/verify',
    summary: 'Complete the set-up with a first code',
    errors: [400, 401, 415, 429],
    decide: verify,
  }),
  operation({
    ...common,
    id: 'oidcDeleteTotp',
    method: 'DELETE',
    path: '/login/totp/enroll',
    summary: 'Remove the authenticator app within a login',
    errors: [400, 401, 404, 415, 429],
    decide: remove,
  }),
  operation({
    id: 'oidcAuthQueries',
    oidc: 'login',
    path: '/login/auth-queries',
    answered: 'leader',
    access: 'public',
    summary: 'The factors that a login owes',
    errors: [401],
    decide(context) {
      originOf(context);
      const row = requestOf(context, requestIdIn(context, {}));
      if (row === undefined) throw new ApiError('UNAUTHORIZED');
      return row.record.owed.length === 0
        ? json({ authQueries: null })
        : queriesReply(context, row.record);
    },
  }),
];

/** A request in which somebody has logged in, and the enrollment of that identity. */
interface Subject {
  readonly input: CodeInput;
  readonly row: Row<AuthRequestRecord>;
  readonly enrollment: Row<MfaEnrollmentRecord> | undefined;
}

/** Undefined when there is no such request, or nobody has logged in. */
function subjectOf(context: Context<CodeInput>): Subject | undefined {
  originOf(context);
  const input = codeInputOf(context);
  const row = requestOf(context, requestIdIn(context, input));
  if (row === undefined || row.record.identityId === '') return undefined;
  if (!isOfPage(context, row.record, input.formToken)) return undefined;
  const { store } = context.env;
  const { identityId } = row.record;
  // It may have been disabled since.
  if (admitted(context, store.table(identityKind).find(identityId)) === undefined) return undefined;
  const enrollment = store.table(mfaEnrollmentKind).findBy('identityId', identityId);
  context.tx.actAs(identityId);
  return { input, row, enrollment };
}

/** @throws ApiError UNAUTHORIZED. */
function loggedIn(context: Context<CodeInput>): Subject {
  const subject = subjectOf(context);
  if (subject === undefined) throw new ApiError('UNAUTHORIZED');
  return subject;
}

/** The error for every reason, because clients know it by its status. */
const wrongCode = () => new ApiError('INVALID_TOTP_CODE');

function giveCode(context: Context<CodeInput>): Reply {
  const { env, tx, now } = context;
  const subject = subjectOf(context);
  if (subject === undefined || !isEnrolled({ env }, subject.row.record.identityId)) {
    throw wrongCode();
  }
  const { state, owed } = subject.row.record;
  if (state === 'factorOwed' && !owed.includes(totpFactor)) throw wrongCode();
  const { row, enrollment } = subject;
  const matched = matched429(context, subject, { in: ['verified'], accepts: 'any' });
  if (matched === 'wrong' || matched === undefined) {
    if (matched === 'wrong') refuseGuess(context, enrollment);
    const reply = failed(context, row, wrongCode());
    const isOpen = requestOf(context, row.id) !== undefined;
    return isOpen && wantsPage(context)
      ? askForFactor(context, row.record, 'The code is not right.')
      : reply;
  }
  sendToEnrollment(context, enrollment, {
    type: 'spend',
    now,
    codeValid: true,
    timeStep: usedStep(context, enrollment, matched),
    recoveryCodes:
      enrollment !== undefined && matched.by === 'recoveryCode'
        ? env.mfa.sealRecoveryCodes(enrollment.record.id, matched.left)
        : undefined,
  });
  env.send(tx, kind, row.id, { type: 'passFactor', now, factor: totpFactor });
  return answerTo(context, row.record);
}

function matched429(
  context: Context,
  { input, enrollment }: Subject,
  rules: CodeRules,
): MatchedCode | 'wrong' | undefined {
  return matchCode(context, enrollment, input.code ?? '', { ...rules, barredStatus: 429 });
}

/** A set-up that was interrupted is begun anew, or its user could never log in. */
function enroll(context: Context<CodeInput>): Reply {
  const { env, tx, now } = context;
  const { row, enrollment } = loggedIn(context);
  if (enrollment?.record.state === 'verified') throw new ApiError('MFA_EXISTS');
  if (!row.record.owed.includes(totpFactor)) throw new ApiError('UNAUTHORIZED');
  if (enrollment !== undefined) sendToEnrollment(context, enrollment, { type: 'remove', now });
  const { identityId } = row.record;
  const id = env.ids.entity();
  const fields = { tags: {}, identityId, ...env.mfa.issue(id) };
  env.send(tx, mfaEnrollmentKind.kind, id, { type: 'initiate', now, fields });
  const made = env.store.table(mfaEnrollmentKind).find(id);
  if (made === undefined) throw new Error('the enrollment was not made');
  const secret = secretOf(context, made);
  if (wantsPage(context)) return showSecret(row.record, secret);
  const { createdAt, updatedAt } = made.record;
  const { provisioningUrl, recoveryCodes } = secret;
  return json(
    {
      id,
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      isVerified: false,
      provisioningUrl,
      recoveryCodes,
      _links: null,
    },
    { status: 201 },
  );
}

function secretOf({ env }: Context, made: Row<MfaEnrollmentRecord>): NewSecret {
  const name = env.store.table(identityKind).find(made.record.identityId)?.record.name ?? '';
  return {
    picture: env.mfa.qrCode(made, name),
    provisioningUrl: env.mfa.provisioningUrl(made, name),
    recoveryCodes: env.mfa.recoveryCodes(made),
  };
}

function verify(context: Context<CodeInput>): Reply {
  const { env, tx, now } = context;
  const subject = loggedIn(context);
  const { row, enrollment } = subject;
  const matched = matched429(context, subject, { in: ['pending'], accepts: 'totp' });
  if (enrollment === undefined || matched === 'wrong' || matched === undefined) {
    if (matched === 'wrong') refuseGuess(context, enrollment);
    const reply = failed(context, row, new ApiError('MFA_INVALID_TOKEN', { status: 400 }));
    const isOpen = requestOf(context, row.id) !== undefined;
    return isOpen && enrollment?.record.state === 'pending' && wantsPage(context)
      ? showSecret(row.record, secretOf(context, enrollment), 'The code is not right.')
      : reply;
  }
  const timeStep = usedStep(context, enrollment, matched);
  sendToEnrollment(context, enrollment, { type: 'verify', now, codeValid: true, timeStep });
  env.send(tx, kind, row.id, { type: 'passFactor', now, factor: totpFactor });
  return answerTo(context, row.record);
}

/** A verified one is removed only with a right code. */
function remove(context: Context<CodeInput>): Reply {
  const { now } = context;
  const subject = loggedIn(context);
  const { row, enrollment } = subject;
  const matched = matched429(context, subject, { in: ['verified'], accepts: 'any' });
  const isNeeded = enrollment?.record.state === 'verified';
  if (matched === 'wrong' || (isNeeded && matched === undefined)) {
    if (matched === 'wrong') refuseGuess(context, enrollment);
    return failed(context, row, new ApiError('MFA_INVALID_TOKEN', { status: 400 }));
  }
  sendToEnrollment(context, enrollment, {
    type: 'disable',
    now,
    codeValid: matched !== undefined,
  });
  return json({});
}
