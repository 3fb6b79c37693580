// The requirements of MFA checks on an API session: a code, a recent code, a code after waking and
// unlocking.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { Subject } from './subject.ts';
import { parseVersion } from './version-range.ts';

/** How long a woken or unlocked endpoint may go on without a code (behaviour/posture#prompts). */
export const promptGraceSeconds = 300;

/** The value of `timeoutSeconds` and similar fields when nothing expires (behaviour/posture). */
export const neverEnds = -1;

/**
 * When the API session last gave a code that counts, wall-clock ms; undefined for never. A code of
 * an enrollment that was deleted or restarted no longer counts (behaviour/mfa#removal).
 */
export function mfaPassedAt({ endpoint, enrolledAt }: Subject): number | undefined {
  const passedAt = endpoint?.mfaPassedAt;
  if (passedAt === undefined || enrolledAt === undefined) return undefined;
  return enrolledAt <= passedAt ? passedAt : undefined;
}

/** Whether the API session gave a code that counts, however long ago. */
export function passedMfa(subject: Subject): boolean {
  return mfaPassedAt(subject) !== undefined;
}

/** Whether a code was given too long ago. Without a code there is nothing to time out. */
export function timedOut(check: PostureCheckRecord, subject: Subject, now: number): boolean {
  return timeoutEndsAt(check, mfaPassedAt(subject)) < now;
}

/**
 * Whether waking does not fail the check: it is not required, was followed by a code, or was just
 * now.
 */
export function passedOnWake(check: PostureCheckRecord, subject: Subject, now: number): boolean {
  if (check.promptOnWake !== true) return true;
  const passedAt = mfaPassedAt(subject);
  return passedAt !== undefined && now <= graceEndsAt(subject.endpoint?.wokenAt, passedAt);
}

/** Whether unlocking does not fail the check; see `passedOnWake`. */
export function passedOnUnlock(check: PostureCheckRecord, subject: Subject, now: number): boolean {
  if (check.promptOnUnlock !== true) return true;
  const passedAt = mfaPassedAt(subject);
  return passedAt !== undefined && now <= graceEndsAt(subject.endpoint?.unlockedAt, passedAt);
}

/**
 * The last ms at which the check still passes, infinite if it does so for ever; undefined when no
 * code was given that counts. Time-out and grace end alike: both still hold at the ms at which they
 * end (behaviour/posture#verdicts).
 */
export function mfaEndsAt(check: PostureCheckRecord, subject: Subject): number | undefined {
  const passedAt = mfaPassedAt(subject);
  if (passedAt === undefined) return undefined;
  return Math.min(timeoutEndsAt(check, passedAt), promptEndsAt(check, subject, passedAt));
}

/**
 * Whole seconds, rounded up, until the check requires a code: `neverEnds` for a check without a
 * time-out, whatever it prompts for, and for legacy clients if the check exempts them; 0 while no
 * code counts (behaviour/posture). This value is for clients; the verdict does not depend on it.
 */
export function timeoutRemainingSeconds(
  check: PostureCheckRecord,
  subject: Subject,
  now: number,
): number {
  if (!isTimed(check)) return neverEnds;
  const endsAt = mfaEndsAt(check, subject);
  if (endsAt === undefined) return 0;
  if (check.ignoreLegacyEndpoints === true && isLegacy(subject.sdk)) return neverEnds;
  return Math.max(0, Math.ceil((endsAt - now) / 1000));
}

/** Seconds for which a code counts; `neverEnds` for ever. */
export function timeoutSecondsOf(check: PostureCheckRecord): number {
  return check.timeoutSeconds ?? neverEnds;
}

/** Whether an event came after the last code: at the same ms it did not (behaviour/posture). */
export function isPrompted(eventAt: number | undefined, passedAt: number): eventAt is number {
  return eventAt !== undefined && eventAt > passedAt;
}

function isTimed(check: PostureCheckRecord): boolean {
  return timeoutSecondsOf(check) > 0;
}

function timeoutEndsAt(check: PostureCheckRecord, passedAt: number | undefined): number {
  if (passedAt === undefined || !isTimed(check)) return Number.POSITIVE_INFINITY;
  return passedAt + timeoutSecondsOf(check) * 1000;
}

function promptEndsAt(check: PostureCheckRecord, { endpoint }: Subject, passedAt: number): number {
  const woken = check.promptOnWake === true ? endpoint?.wokenAt : undefined;
  const unlocked = check.promptOnUnlock === true ? endpoint?.unlockedAt : undefined;
  return Math.min(graceEndsAt(woken, passedAt), graceEndsAt(unlocked, passedAt));
}

function graceEndsAt(eventAt: number | undefined, passedAt: number): number {
  if (!isPrompted(eventAt, passedAt)) return Number.POSITIVE_INFINITY;
  return eventAt + promptGraceSeconds * 1000;
}

/** Whether a client is assumed to be unable to prompt (behaviour/posture#prompts). */
function isLegacy({ type, version }: Subject['sdk']): boolean {
  if (type !== 'ziti-sdk-c') return true;
  const parsed = parseVersion(version.replace(/^v/, ''));
  if (parsed === undefined) return true;
  const [major, minor, patch] = parsed.numbers;
  // A pre-release of 0.25.0 comes before it.
  const isFirst = major === 0 && minor === 25 && patch === 0;
  return (major === 0 && minor < 25) || (isFirst && parsed.prerelease.length > 0);
}
