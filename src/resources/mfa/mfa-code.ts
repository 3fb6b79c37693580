// The common part of all operations with an MFA code: its owner, whether it is checked, and the
// consequences.

import Type from 'typebox';
import type { MfaEnrollmentEvent } from '../../../machines/mfa-enrollment.ts';
import type { MatchedCode } from '../../auth/second-factor/mfa.ts';
import type { Reply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import { type MfaEnrollmentRecord, mfaEnrollmentKind } from '../../records/mfa-enrollment.ts';
import type { Row } from '../../store/record.ts';
import type { Context } from '../context.ts';

/** The body that carries a code (schema `mfaCode`). */
export const mfaCodeBody = Type.Object({ code: Type.String() }, { title: 'mfaCode' });

/** The header that carries a code if there is no body (behaviour/mfa#code-in-a-header). */
export const mfaCodeHeader = 'mfa-validation-code';

/** The enrollment of the caller's identity, in any state. */
export function ownEnrollment({ env, caller }: Context): Row<MfaEnrollmentRecord> | undefined {
  const table = env.store.table(mfaEnrollmentKind);
  return table.findBy('identityId', caller.identity.id);
}

/** The rules by which an operation accepts a code. */
export interface CodeRules {
  /** States in which it is checked; in others the operation means something else, or nothing. */
  readonly in: readonly ('pending' | 'verified')[];
  /** Whether recovery codes count as well. */
  readonly accepts: 'totp' | 'any';
  /** The error after too many wrong codes (behaviour/mfa#guessing). */
  readonly barredStatus?: 401 | 429;
}

/**
 * The type of a code. Undefined for one that was used before the clock was set back, and if codes
 * are not checked. `wrong` for a guess, which the operation has to answer by `refuseGuess`.
 * @throws ApiError RATE_LIMITED while the identity is barred, even for a right code.
 */
export function matchCode(
  { env, now }: Context,
  row: Row<MfaEnrollmentRecord> | undefined,
  code: string,
  rules: CodeRules,
): MatchedCode | 'wrong' | undefined {
  if (row === undefined || !rules.in.some((state) => state === row.record.state)) return undefined;
  const { mfa } = env;
  if (mfa.isBarred(row, now)) {
    throw new ApiError('RATE_LIMITED', { status: rules.barredStatus ?? 401 });
  }
  // A missing code is not a guess.
  if (code === '') return undefined;
  const matched = mfa.match(row, code, rules.accepts, now);
  if (matched === undefined) return 'wrong';
  // A code that was right before is not a guess.
  return matched.by === 'totp' && mfa.isReplayed(row, matched.timeStep) ? undefined : matched;
}

/**
 * Counts a wrong code in the log and refuses it, so that a restart or a takeover gives no new
 * guesses (behaviour/mfa#guessing). The bar bounds how many frames this makes.
 */
export function refuseGuess(context: Context, row: Row<MfaEnrollmentRecord> | undefined): Reply {
  const { env, now } = context;
  const bounds = env.mfa.guessBounds;
  sendToEnrollment(context, row, { type: 'noteWrongCode', now, bounds });
  return { form: 'refused', error: new ApiError('MFA_INVALID_TOKEN') };
}

/**
 * The time step of an accepted code for its event; 0 for a recovery code. The time in which the
 * code may serve other operations begins at the commit.
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
 * Sends an event to the enrollment, or for a missing one: the machine decides what that means.
 * @throws ApiError when it refuses.
 */
export function sendToEnrollment(
  { env, tx }: Context,
  row: Row<MfaEnrollmentRecord> | undefined,
  event: MfaEnrollmentEvent,
): void {
  env.send(tx, 'mfaEnrollment', row?.record.id ?? env.ids.entity(), event);
}
