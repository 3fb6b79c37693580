// Posture queries tell a client about a check, so that it knows what to report and when to ask for
// a code (behaviour/posture#queries).

import { isoTime } from '../declare/resources/view.ts';
import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { Process, ProcessOfMany } from '../records/posture-process.ts';
import { evaluate } from './evaluate-check.ts';
import {
  mfaEndsAt,
  neverEnds,
  promptGraceSeconds,
  timeoutRemainingSeconds,
  timeoutSecondsOf,
} from './mfa.ts';
import type { Subject } from './subject.ts';

/** The JSON text of the query of `check` for `subject` at `now`, wall-clock ms. */
export function queryText(check: PostureCheckRecord, subject: Subject, now: number): string {
  const { isPassing } = evaluate(check, subject, now);
  if (check.typeId !== 'MFA') return isPassing ? textsOf(check).passing : textsOf(check).failing;
  const remaining = timeoutRemainingSeconds(check, subject, now);
  let text =
    `${textsOf(check).start},"updatedAt":"${isoTime(updatedAt(check, subject))}"` +
    `,"isPassing":${isPassing},"timeoutRemaining":${remaining}`;
  if (remaining !== neverEnds) {
    // If no code was given, nothing ends later than now.
    text += `,"timeoutAt":"${isoTime(mfaEndsAt(check, subject) ?? now)}"`;
  }
  return `${text}}`;
}

/** Waking and unlocking change it if the check prompts for them, so that clients look again. */
function updatedAt(check: PostureCheckRecord, { endpoint }: Subject): number {
  let at = check.updatedAt;
  if (check.promptOnWake === true) at = Math.max(at, endpoint?.wokenAt ?? 0);
  if (check.promptOnUnlock === true) at = Math.max(at, endpoint?.unlockedAt ?? 0);
  return at;
}

/** The texts of a query that depend on the check alone. */
interface QueryTexts {
  /** Everything but the closing brace and what a subject changes of an MFA query. */
  readonly start: string;
  /** Whole queries of every other type. */
  readonly passing: string;
  readonly failing: string;
}

const known = new WeakMap<PostureCheckRecord, QueryTexts>();

function textsOf(check: PostureCheckRecord): QueryTexts {
  let texts = known.get(check);
  if (texts === undefined) {
    const start = constantText(check);
    const rest = `,"updatedAt":"${isoTime(check.updatedAt)}","timeoutRemaining":${neverEnds}`;
    texts = {
      start,
      passing: `${start}${rest},"isPassing":true}`,
      failing: `${start}${rest},"isPassing":false}`,
    };
    known.set(check, texts);
  }
  return texts;
}

function constantText(check: PostureCheckRecord): string {
  const { id, createdAt, tags, typeId } = check;
  const text = JSON.stringify({
    // The clients that queries are for cannot get the check itself.
    _links: {},
    createdAt: isoTime(createdAt),
    id,
    tags,
    queryType: typeId,
    ...ownFields(check),
    timeout: typeId === 'MFA' ? timeoutSecondsOf(check) : neverEnds,
  });
  return text.slice(0, -1);
}

function ownFields(check: PostureCheckRecord): object {
  switch (check.typeId) {
    case 'PROCESS':
      return { process: check.process === undefined ? undefined : asked(check.process) };
    case 'PROCESS_MULTI':
      return { processes: check.processes?.map(asked) };
    case 'MFA': {
      const { promptOnWake = false, promptOnUnlock = false } = check;
      const prompts = promptOnWake || promptOnUnlock;
      return {
        promptOnWake,
        promptOnUnlock,
        promptGracePeriodSeconds: prompts ? promptGraceSeconds : undefined,
      };
    }
    default:
      return {};
  }
}

/** Hashes and signers are only shown to administrators. */
function asked({ osType, path }: Process | ProcessOfMany): object {
  return { osType, path };
}
