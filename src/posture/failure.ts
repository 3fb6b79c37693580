// Failures of posture checks as administrators see them: the actual and the expected values
// (behaviour/posture#failures).

import { isoTimeOrZero } from '../declare/view.ts';
import type { OperatingSystem } from '../records/operating-system.ts';
import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { PostureDataRecord } from '../records/posture-data.ts';
import type { Process, ProcessOfMany } from '../records/posture-process.ts';
import type { Subject } from './contract.ts';
import {
  mfaPassedAt,
  passedMfa,
  passedOnUnlock,
  passedOnWake,
  timedOut,
  timeoutRemainingSeconds,
  timeoutSecondsOf,
} from './mfa.ts';
import { type ReportedProcess, responseOfPath, responseToCheck } from './processes.ts';

/** A `postureCheckFailure` of the API. */
export type PostureCheckFailure = {
  readonly postureCheckId: string;
  readonly postureCheckName: string;
} & FailureValues;

/** The values that its types show; missing reports show as empty values. */
type FailureValues =
  | {
      readonly postureCheckType: 'OS';
      readonly actualValue: { readonly type: string; readonly version: string };
      readonly expectedValue: readonly OperatingSystem[];
    }
  | {
      readonly postureCheckType: 'DOMAIN';
      readonly actualValue: string;
      readonly expectedValue: readonly string[];
    }
  | {
      readonly postureCheckType: 'MAC';
      readonly actualValue: readonly string[];
      readonly expectedValue: readonly string[];
    }
  | {
      readonly postureCheckType: 'PROCESS';
      readonly actualValue: ActualProcess;
      readonly expectedValue: Process;
    }
  | {
      readonly postureCheckType: 'PROCESS_MULTI';
      readonly semantic: 'AllOf' | 'AnyOf';
      /** One per expected process, in their order. */
      readonly actualValue: readonly ActualProcess[];
      readonly expectedValue: readonly ProcessOfMany[];
    }
  | {
      readonly postureCheckType: 'MFA';
      readonly actualValue: MfaValues;
      readonly expectedValue: MfaValues;
      readonly criteria: MfaCriteria;
    };

interface ActualProcess {
  readonly osType: Process['osType'];
  /** The reported path; otherwise the expected one. */
  readonly path: string;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

interface MfaValues {
  readonly passedMfa: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
  readonly timedOut: boolean;
}

/** Times are RFC 3339, the zero time for never. */
interface MfaCriteria {
  readonly passedMfaAt: string;
  readonly wokenAt: string;
  readonly unlockedAt: string;
  readonly timeoutSeconds: number;
  readonly timeoutRemainingSeconds: number;
}

/**
 * The findings of `check` at `now`, wall-clock ms. Meant for a failing check, but works for any.
 */
export function failureOf(
  check: PostureCheckRecord,
  subject: Subject,
  now: number,
): PostureCheckFailure {
  return {
    postureCheckId: check.id,
    postureCheckName: check.name,
    ...valuesOf(check, subject, now),
  };
}

function valuesOf(check: PostureCheckRecord, subject: Subject, now: number): FailureValues {
  const { data } = subject;
  const { typeId, domains = [], macAddresses = [], operatingSystems = [] } = check;
  switch (typeId) {
    case 'OS': {
      const actualValue = { type: data?.os?.type ?? '', version: data?.os?.version ?? '' };
      return { postureCheckType: typeId, actualValue, expectedValue: operatingSystems };
    }
    case 'DOMAIN': {
      const actualValue = data?.domain?.domain ?? '';
      return { postureCheckType: typeId, actualValue, expectedValue: domains };
    }
    case 'MAC': {
      const actualValue = data?.mac?.addresses ?? [];
      return { postureCheckType: typeId, actualValue, expectedValue: macAddresses };
    }
    case 'PROCESS':
      return processValues(check, data);
    case 'PROCESS_MULTI':
      return processMultiValues(check, data);
    case 'MFA':
      return mfaValues(check, subject, now);
    default:
      throw new Error(`no posture check type ${typeId}`);
  }
}

function processValues(
  { id, process }: PostureCheckRecord,
  data: PostureDataRecord | undefined,
): FailureValues {
  if (process === undefined) throw new Error(`posture check ${id} is without its process`);
  return {
    postureCheckType: 'PROCESS',
    actualValue: actualProcess(process, responseToCheck(data, id)),
    expectedValue: process,
  };
}

function processMultiValues(
  { processes = [], semantic = 'AllOf' }: PostureCheckRecord,
  data: PostureDataRecord | undefined,
): FailureValues {
  return {
    postureCheckType: 'PROCESS_MULTI',
    semantic,
    actualValue: processes.map((one) => actualProcess(one, responseOfPath(data, one.path))),
    expectedValue: processes,
  };
}

function actualProcess(
  wanted: Process | ProcessOfMany,
  reported: ReportedProcess | undefined,
): ActualProcess {
  const { path = '', isRunning = false, hash = '', signerFingerprints = [] } = reported ?? {};
  return {
    osType: wanted.osType,
    path: path === '' ? wanted.path : path,
    isRunning,
    hash,
    signerFingerprints,
  };
}

function mfaValues(check: PostureCheckRecord, subject: Subject, now: number): FailureValues {
  const { promptOnWake = false, promptOnUnlock = false } = check;
  return {
    postureCheckType: 'MFA',
    actualValue: {
      passedMfa: passedMfa(subject),
      passedOnWake: passedOnWake(check, subject, now),
      passedOnUnlock: passedOnUnlock(check, subject, now),
      timedOut: timedOut(check, subject, now),
    },
    expectedValue: {
      passedMfa: true,
      passedOnWake: promptOnWake,
      passedOnUnlock: promptOnUnlock,
      timedOut: false,
    },
    criteria: {
      passedMfaAt: isoTimeOrZero(mfaPassedAt(subject)),
      wokenAt: isoTimeOrZero(subject.endpoint?.wokenAt),
      unlockedAt: isoTimeOrZero(subject.endpoint?.unlockedAt),
      timeoutSeconds: timeoutSecondsOf(check),
      timeoutRemainingSeconds: timeoutRemainingSeconds(check, subject, now),
    },
  };
}
