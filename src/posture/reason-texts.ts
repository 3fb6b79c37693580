// Why a posture check passes or fails, in words that an administrator can act on.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { Process, ProcessOfMany } from '../records/posture-process.ts';
import { evaluate } from './evaluate-check.ts';
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
import { systemsOf, versionOf } from './operating-systems.ts';
import {
  lackOf,
  type ReportedProcess,
  responseOfPath,
  responseToCheck,
  signersOf,
} from './processes.ts';
import type { Subject } from './subject.ts';

/** One or two sentences on the findings of `check` at `now`, wall-clock ms; passing or not. */
export function reasonInWords(check: PostureCheckRecord, subject: Subject, now: number): string {
  switch (check.typeId) {
    case 'OS':
      return systemReason(check, subject, now);
    case 'DOMAIN':
      return domainReason(check, subject, now);
    case 'MAC':
      return addressReason(check, subject, now);
    case 'PROCESS':
      return check.process === undefined
        ? 'The check names no process.'
        : sentence(processWords(check.process, responseToCheck(subject.data, check.id)));
    case 'PROCESS_MULTI':
      return processesReason(check, subject, now);
    case 'MFA':
      return mfaReason(check, subject, now);
    default:
      return `The check is of unknown type ${check.typeId}.`;
  }
}

function systemReason(check: PostureCheckRecord, subject: Subject, now: number): string {
  const wanted = [...systemsOf(check).values()].flatMap(({ type, versions }) =>
    versions.length === 0 ? [`any ${type}`] : versions.map((range) => `${type} ${shown(range)}`),
  );
  const os = subject.data?.os;
  if (os === undefined) {
    return `The operating system was not reported yet; wanted ${listed(wanted)}.`;
  }
  const runs = `Runs ${shown(`${os.type} ${os.version}`.trim())}`;
  if (evaluate(check, subject, now).isPassing) return `${runs}, as wanted.`;
  const isRead = versionOf(os) !== undefined || !systemsOf(check).has(os.type.toLowerCase());
  const unread = isRead ? '' : ', whose version is not of three numbers';
  return `${runs}${unread}; wanted ${listed(wanted)}.`;
}

function domainReason(check: PostureCheckRecord, subject: Subject, now: number): string {
  const wanted = listed((check.domains ?? []).map(shown));
  const domain = subject.data?.domain?.domain;
  if (domain === undefined) return `The domain was not reported yet; wanted ${wanted}.`;
  const is = domain === '' ? 'Is in no domain' : `Is in the domain ${shown(domain)}`;
  return evaluate(check, subject, now).isPassing ? `${is}, as wanted.` : `${is}; wanted ${wanted}.`;
}

function addressReason(check: PostureCheckRecord, subject: Subject, now: number): string {
  const wanted = check.macAddresses ?? [];
  const addresses = subject.data?.mac?.addresses;
  if (addresses === undefined) {
    return `MAC addresses were not reported yet; wanted ${listed(wanted)}.`;
  }
  if (evaluate(check, subject, now).isPassing) {
    const known = new Set(wanted);
    return `Has the MAC address ${addresses.find((one) => known.has(one))}, as wanted.`;
  }
  if (addresses.length === 0) return `Has no MAC address; wanted ${listed(wanted)}.`;
  const has = addresses.length === 1 ? 'address' : 'addresses';
  return `Has the MAC ${has} ${listed(addresses, 'and')}; wanted ${listed(wanted)}.`;
}

function processesReason(check: PostureCheckRecord, subject: Subject, now: number): string {
  const { processes = [], semantic } = check;
  const isAny = semantic === 'AnyOf';
  const asked = `${isAny ? 'One' : 'Each'} of ${processes.length} processes must pass`;
  const { isPassing } = evaluate(check, subject, now);
  const told: string[] = [];
  let passing = 0;
  for (const wanted of processes) {
    const reported = responseOfPath(subject.data, wanted.path);
    const passes = lackOf(wanted, reported) === undefined;
    if (passes) passing++;
    if (passes === isPassing && told.length < listedItemsMax)
      told.push(processWords(wanted, reported));
  }
  // A passing check of any names the first that passes; one of all only says that they pass.
  if (isPassing) return isAny ? `${asked}, and ${told[0]}.` : `${asked}, and they do.`;
  const others = passing > 0 ? `${passing} of them ${passing === 1 ? 'does' : 'do'}` : 'none does';
  return `${asked}; ${others}: ${listed(told, 'and', processes.length - passing)}.`;
}

/** One or two sentences on the findings of an MFA check at `now`, wall-clock ms. */
function mfaReason(check: PostureCheckRecord, subject: Subject, now: number): string {
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

function processWords(
  wanted: Process | ProcessOfMany,
  reported: ReportedProcess | undefined,
): string {
  const path = wanted.path === '' ? 'the process without a path' : shown(wanted.path);
  switch (lackOf(wanted, reported)) {
    case 'response':
      return `${path} was not reported yet`;
    case 'running':
      return `${path} is not running`;
    case 'hash': {
      const hash = reported?.hash ?? '';
      const has = hash === '' ? 'without a hash' : `with hash ${shown(hash)}`;
      return `${path} runs ${has}, wanted ${listed((wanted.hashes ?? []).map(shown))}`;
    }
    case 'signer': {
      const signers = reported?.signerFingerprints ?? [];
      const by = signers.length === 0 ? 'unsigned' : `signed by ${listed(signers.map(shown))}`;
      return `${path} runs ${by}, wanted ${listed(signersOf(wanted).map(shown))}`;
    }
    default:
      return `${path} runs as wanted`;
  }
}

/** A path may begin the sentence, so only our own words are capitalized. */
function sentence(words: string): string {
  return words.startsWith('the ') ? `T${words.slice(1)}.` : `${words}.`;
}

/** Items that a sentence about a posture check lists; the views show all. @bound */
const listedItemsMax = 5;
/** Characters of a text in such a sentence. @bound */
const listedCharactersMax = 200;

/** @param total how many there are; `items` has at least as many as are listed. */
function listed(
  items: readonly string[],
  and: 'or' | 'and' = 'or',
  total: number = items.length,
): string {
  const named = total > listedItemsMax ? items.slice(0, listedItemsMax - 1) : items;
  const all = total > listedItemsMax ? [...named, `${total - named.length} others`] : named;
  const last = all.at(-1) ?? 'nothing';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} ${and} ${last}`;
}

function shown(text: string): string {
  return text.length > listedCharactersMax ? `${text.slice(0, listedCharactersMax)}…` : text;
}
