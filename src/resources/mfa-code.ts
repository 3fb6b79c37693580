// What all operations that take an MFA code share: whose it is, whether it is looked at, what
// follows from it.

import Type from 'typebox';
import type { MfaEnrollmentEvent } from '../../machines/mfa-enrollment.ts';
import type { MatchedCode } from '../auth/mfa.ts';
import type { Context } from '../declare/operation.ts';
import { ApiError } from '../errors.ts';
import type { MfaEnrollmentRecord } from '../records/mfa-enrollment.ts';
import { mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import type { Row } from '../store/record.ts';

/** The body that carries a code (schema `mfaCode`). */
export const mfaCodeBody = Type.Object({ code: Type.String() }, { title: 'mfaCode' });

/** The header that carries one where there is no body (behaviour/mfa#code-in-a-header). */
export const mfaCodeHeader = 'mfa-validation-code';

/** The enrollment of the caller's identity, in whatever state. */
export function ownEnrollment({ env, caller }: Context): Row<MfaEnrollmentRecord> | undefined {
  const table = env.store.table(mfaEnrollmentKind);
  return table.findBy('identityId', caller.identity.id);
}

/** Where a code counts. */
export interface CodeRules {
  /** States in which it is looked at; in others the operation means something else, or nothing. */
  readonly in: readonly ('pending' | 'verified')[];
  /** Whether recovery codes count as well. */
  readonly accepts: 'totp' | 'any';
  /** What callers are told who gave too many wrong ones (behaviour/mfa#guessing). */
  readonly barredStatus?: 401 | 429;
}

/**
 * What a code is; undefined for a wrong one, which is counted, for one that was used before the
 * clock was set back, and where it is not looked at.
 * @throws ApiError RATE_LIMITED while the identity is barred, whatever the code.
 */
export function matchCode(
  { env, now, caller }: Context,
  row: Row<MfaEnrollmentRecord> | undefined,
  code: string,
  rules: CodeRules,
): MatchedCode | undefined {
  if (row === undefined || !rules.in.some((state) => state === row.record.state)) return undefined;
  const { mfa } = env;
  const { id } = caller.identity;
  if (mfa.attempts.isBarred(id)) {
    throw new ApiError('RATE_LIMITED', { status: rules.barredStatus ?? 401 });
  }
  // No code at all is no guess.
  if (code === '') return undefined;
  const matched = mfa.match(row, code, rules.accepts, now);
  if (matched === undefined) mfa.attempts.wrong(id);
  // What was right once is no guess.
  return matched?.by === 'totp' && mfa.isReplayed(row, matched.timeStep) ? undefined : matched;
}

/**
 * The time step of an accepted code for the event that tells of it; 0 for a recovery code. How long
 * the code may still serve other operations counts from the commit.
 */
export function usedStep(
  { env, tx }: Context,
  row: Row<MfaEnrollmentRecord> | undefined,
  matched: MatchedCode | undefined,
): number {
  if (row === undefined || matched?.by !== 'totp') return 0;
  const { timeStep } = matched;
  if (timeStep > row.record.lastUsedStep) tx.afterCommit(() => env.mfa.noteStep(row));
  return timeStep;
}

/**
 * Sends an event to the enrollment, or to the one that is not there: what that means is for the
 * machine to say. @throws ApiError when it refuses.
 */
export function sendToEnrollment(
  { env, tx }: Context,
  row: Row<MfaEnrollmentRecord> | undefined,
  event: MfaEnrollmentEvent,
): void {
  env.send(tx, 'mfaEnrollment', row?.record.id ?? env.ids.entity(), event);
}

/** Wrong codes of the identity count from none again, unless the transaction is taken back. */
export function forgetWrongCodes(
  { env, tx }: Pick<Context, 'env' | 'tx'>,
  identityId: string,
): void {
  tx.afterCommit(() => env.mfa.attempts.clear(identityId));
}
