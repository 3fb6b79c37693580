// Evaluates whether a subject passes a posture check, and until when (behaviour/posture).

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { PostureDataRecord } from '../records/posture-data.ts';
import type { ProcessOfMany } from '../records/posture-process.ts';
import { mfaEndsAt } from './mfa.ts';
import { isSystemWanted, systemsOf } from './operating-systems.ts';
import { lackOf, responseOfPath, responseToCheck } from './processes.ts';
import type { Subject, Verdict } from './subject.ts';

/**
 * The verdict of `check` on `subject` at `now`, wall-clock ms. MFA checks depend on the API session
 * alone, all others on the data that the identity reported: without a response they fail.
 */
export function evaluate(check: PostureCheckRecord, subject: Subject, now: number): Verdict {
  if (check.typeId === 'MFA') return evaluateMfa(check, subject, now);
  const { data } = subject;
  return data !== undefined && knownByData(check, data) ? passes : fails;
}

/** The data evaluated last, and the result: an identity's sessions are evaluated in a row. */
let evaluated: PostureDataRecord | undefined;
const outcomes = new Map<PostureCheckRecord, boolean>();

function knownByData(check: PostureCheckRecord, data: PostureDataRecord): boolean {
  if (data !== evaluated) {
    evaluated = data;
    outcomes.clear();
  }
  let outcome = outcomes.get(check);
  if (outcome === undefined) outcomes.set(check, (outcome = passesByData(check, data)));
  return outcome;
}

const passes: Verdict = { isPassing: true, failsAt: undefined };
const fails: Verdict = { isPassing: false, failsAt: undefined };

function evaluateMfa(check: PostureCheckRecord, subject: Subject, now: number): Verdict {
  const endsAt = mfaEndsAt(check, subject);
  if (endsAt === undefined || endsAt < now) return fails;
  return endsAt === Number.POSITIVE_INFINITY ? passes : { isPassing: true, failsAt: endsAt + 1 };
}

function passesByData(check: PostureCheckRecord, data: PostureDataRecord): boolean {
  switch (check.typeId) {
    case 'OS':
      return isSystemWanted(systemsOf(check), data.os);
    case 'DOMAIN':
      return data.domain !== undefined && wantedOf(check).has(data.domain.domain.toLowerCase());
    case 'MAC':
      return hasWantedAddress(check, data);
    case 'PROCESS':
      return (
        check.process !== undefined &&
        lackOf(check.process, responseToCheck(data, check.id)) === undefined
      );
    case 'PROCESS_MULTI':
      return runsWanted(check, data);
    default:
      return false;
  }
}

function hasWantedAddress(check: PostureCheckRecord, { mac }: PostureDataRecord): boolean {
  if (mac === undefined) return false;
  const wanted = wantedOf(check);
  for (const address of mac.addresses) if (wanted.has(address)) return true;
  return false;
}

/** The domains of a check in lower case, or its MAC addresses, computed once per record. */
function wantedOf(check: PostureCheckRecord): ReadonlySet<string> {
  let known = wanted.get(check);
  if (known === undefined) {
    const { domains, macAddresses } = check;
    known = new Set(domains?.map((domain) => domain.toLowerCase()) ?? macAddresses);
    wanted.set(check, known);
  }
  return known;
}

const wanted = new WeakMap<PostureCheckRecord, ReadonlySet<string>>();

function runsWanted({ processes = [], semantic }: PostureCheckRecord, data: PostureDataRecord) {
  const runs = (one: ProcessOfMany) => lackOf(one, responseOfPath(data, one.path)) === undefined;
  if (semantic === 'AnyOf') return processes.some(runs);
  return processes.length > 0 && processes.every(runs);
}
