// What MFA checks ask of an API session: a code, a code not too old, a code after waking and
// unlocking.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { Subject } from './contract.ts';
import { parseVersion } from './version-range.ts';

/** How long a woken or unlocked endpoint may go on without a code (behaviour/posture#prompts). */
export const promptGraceSeconds = 300;

/** What `timeoutSeconds` and the like say where nothing ends by itself (behaviour/posture). */
export const neverEnds = -1;

/**
 * When the API session last gave a code that counts, wall-clock ms; undefined for never. A code of
 * an enrollment that was deleted or begun anew counts no more (behaviour/mfa#removal).
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

/** Whether a code was given, and too long ago. Without one there is nothing to time out. */
export function timedOut(check: PostureCheckRecord, subject: Subject, now: number): boolean {
  return timeoutEndsAt(check, mfaPassedAt(subject)) < now;
}

/** Whether waking is no reason to fail: not asked about, answered by a code, or just now. */
export function passedOnWake(check: PostureCheckRecord, subject: Subject, now: number): boolean {
  if (check.promptOnWake !== true) return true;
  const passedAt = mfaPassedAt(subject);
  return passedAt !== undefined && now <= graceEndsAt(subject.endpoint?.wokenAt, passedAt);
}

/** Whether unlocking is no reason to fail; see `passedOnWake`. */
export function passedOnUnlock(check: PostureCheckRecord, subject: Subject, now: number): boolean {
  if (check.promptOnUnlock !== true) return true;
  const passedAt = mfaPassedAt(subject);
  return passedAt !== undefined && now <= graceEndsAt(subject.endpoint?.unlockedAt, passedAt);
}

/**
 * The last ms at which the check still passes, infinite where it does so for ever; undefined where
 * no code was given that counts. Time-out and grace end alike: what ends at some ms holds at it
 * (behaviour/posture#verdicts).
 */
export function mfaEndsAt(check: PostureCheckRecord, subject: Subject): number | undefined {
  const passedAt = mfaPassedAt(subject);
  if (passedAt === undefined) return undefined;
  return Math.min(timeoutEndsAt(check, passedAt), promptEndsAt(check, subject, passedAt));
}

/**
 * Whole seconds, a begun one counted as one, until the check asks for a code: `neverEnds` for a
 * check without a time-out, whatever it prompts for, and for legacy clients where the check spares
 * them; 0 while no code counts (behaviour/posture). What clients are told; the verdict does not
 * rest on it.
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

/** Whether a client is believed to be unable to prompt (behaviour/posture#prompts). */
function isLegacy({ type, version }: Subject['sdk']): boolean {
  if (type !== 'ziti-sdk-c') return true;
  const parsed = parseVersion(version.replace(/^v/, ''));
  if (parsed === undefined) return true;
  const [major, minor, patch] = parsed.numbers;
  // A pre-release of 0.25.0 comes before it.
  const isFirst = major === 0 && minor === 25 && patch === 0;
  return (major === 0 && minor < 25) || (isFirst && parsed.prerelease.length > 0);
}
