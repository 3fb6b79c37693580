// Describes the findings of an MFA check: which code or which event, and how long ago.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { Subject } from './contract.ts';
import {
  isPrompted,
  mfaEndsAt,
  mfaPassedAt,
  passedOnUnlock,
  passedOnWake,
  promptGraceSeconds,
  timedOut,
  timeoutSecondsOf,
} from './mfa.ts';

/** One or two sentences on the findings of an MFA check at `now`, wall-clock ms. */
export function mfaReason(check: PostureCheckRecord, subject: Subject, now: number): string {
  const passedAt = mfaPassedAt(subject);
  if (passedAt === undefined) return withoutCode(subject);
  const passed = `Passed MFA ${ago(passedAt, now)}`;
  if (timedOut(check, subject, now)) return `${passed}, which is too long: ${asksEvery(check)}.`;
  const { wokenAt, unlockedAt } = subject.endpoint ?? {};
  if (!passedOnWake(check, subject, now)) return `${passed}; ${missed('woke', wokenAt, now)}.`;
  if (!passedOnUnlock(check, subject, now)) {
    return `${passed}; ${missed('was unlocked', unlockedAt, now)}.`;
  }
  const timeout = timeoutSecondsOf(check) > 0 ? `; ${asksEvery(check)}` : '';
  const isWoken = check.promptOnWake === true && isPrompted(wokenAt, passedAt);
  const isUnlocked = check.promptOnUnlock === true && isPrompted(unlockedAt, passedAt);
  if (!isWoken && !isUnlocked) return `${passed}${timeout}.`;
  const event = isWoken ? (isUnlocked ? 'woke and was unlocked' : 'woke') : 'was unlocked';
  const endsAt = mfaEndsAt(check, subject) ?? now;
  const left = endsAt - now < 1000 ? 'now' : `within ${duration(endsAt - now)}`;
  return `${passed}${timeout}. It ${event} since: a code is wanted ${left}.`;
}

function withoutCode({ endpoint, enrolledAt }: Subject): string {
  if (enrolledAt === undefined) return 'The identity has not set up MFA.';
  if (endpoint === undefined) return 'MFA counts by API session, and none is looked at.';
  if (endpoint.mfaPassedAt === undefined) return 'No MFA code was given in this API session.';
  return 'MFA was set up anew after the last code: a new one is wanted.';
}

function asksEvery(check: PostureCheckRecord): string {
  return `the check asks for a code every ${duration(timeoutSecondsOf(check) * 1000)}`;
}

function missed(what: string, at: number | undefined, now: number): string {
  const grace = duration(promptGraceSeconds * 1000);
  return `it ${what} ${ago(at ?? now, now)}, and no code came within ${grace}`;
}

function ago(at: number, now: number): string {
  return now - at < 1000 ? 'just now' : `${duration(now - at)} ago`;
}

/** The two largest units that are not zero: `1 hour 5 minutes`, `15 minutes`, `3 seconds`. */
function duration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000));
  const words: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    // Once a unit is found, a zero unit ends the text: smaller units no longer matter.
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.length === 0 ? '0 seconds' : words.join(' ');
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;
