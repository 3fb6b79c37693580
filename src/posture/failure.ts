// Failures of posture checks as administrators see them: the actual and the expected values
// (behaviour/posture#failures).

import Type, { type Static } from 'typebox';
import { isoTimeOrZero } from '../declare/resources/view.ts';
import { operatingSystemSchema, systemTypeSchema } from '../records/operating-system.ts';
import type { PostureCheckRecord } from '../records/posture-check.ts';
import {
  type Process,
  type ProcessOfMany,
  processOfManySchema,
  processSchema,
} from '../records/posture-process.ts';
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
import type { Subject } from './subject.ts';

const text = Type.String();
const flag = Type.Boolean();
const moment = Type.String({ format: 'date-time' });

const processFound = Type.Object({
  osType: Type.Optional(systemTypeSchema),
  /** The reported path; otherwise the expected one. */
  path: Type.Optional(text),
  isRunning: flag,
  hash: text,
  signerFingerprints: Type.Array(text),
});
const mfaFound = Type.Object({
  passedMfa: flag,
  passedOnWake: flag,
  passedOnUnlock: flag,
  timedOut: flag,
});
const mfaCriteria = Type.Object({
  passedMfaAt: moment,
  wokenAt: moment,
  unlockedAt: moment,
  timeoutSeconds: Type.Integer(),
  timeoutRemainingSeconds: Type.Integer(),
});

const common = { postureCheckId: text, postureCheckName: text };

/** A `postureCheckFailure` of the API; missing reports show as empty values. */
export const failureSchema = Type.Union([
  Type.Object({
    ...common,
    postureCheckType: Type.Literal('OS'),
    actualValue: Type.Object({ type: text, version: text }),
    expectedValue: Type.Array(operatingSystemSchema),
  }),
  Type.Object({
    ...common,
    postureCheckType: Type.Literal('DOMAIN'),
    actualValue: text,
    expectedValue: Type.Array(text),
  }),
  Type.Object({
    ...common,
    postureCheckType: Type.Literal('MAC'),
    actualValue: Type.Array(text),
    expectedValue: Type.Array(text),
  }),
  Type.Object({
    ...common,
    postureCheckType: Type.Literal('PROCESS'),
    actualValue: processFound,
    expectedValue: processSchema,
  }),
  Type.Object({
    ...common,
    postureCheckType: Type.Literal('PROCESS_MULTI'),
    /** One per expected process, in their order. */
    actualValue: Type.Array(processFound),
    expectedValue: Type.Array(processOfManySchema),
    semantic: Type.Enum(['AllOf', 'AnyOf']),
  }),
  Type.Object({
    ...common,
    postureCheckType: Type.Literal('MFA'),
    actualValue: mfaFound,
    expectedValue: mfaFound,
    criteria: mfaCriteria,
  }),
]);

/** See `failureSchema`. */
type Failure = Static<typeof failureSchema>;

/**
 * The findings of `check` at `now`, wall-clock ms. Meant for a failing check, but works for any.
 */
export function failureOf(check: PostureCheckRecord, subject: Subject, now: number): Failure {
  const { data } = subject;
  const { id, typeId, domains = [], macAddresses = [], operatingSystems = [] } = check;
  const base = { postureCheckId: id, postureCheckName: check.name };
  switch (typeId) {
    case 'OS': {
      const actualValue = { type: data?.os?.type ?? '', version: data?.os?.version ?? '' };
      return { ...base, postureCheckType: typeId, actualValue, expectedValue: operatingSystems };
    }
    case 'DOMAIN': {
      const actualValue = data?.domain?.domain ?? '';
      return { ...base, postureCheckType: typeId, actualValue, expectedValue: domains };
    }
    case 'MAC': {
      const actualValue = data?.mac?.addresses ?? [];
      return { ...base, postureCheckType: typeId, actualValue, expectedValue: macAddresses };
    }
    case 'PROCESS': {
      const { process } = check;
      if (process === undefined) throw new Error(`posture check ${id} is without its process`);
      const actualValue = actualProcess(process, responseToCheck(data, id));
      return { ...base, postureCheckType: typeId, actualValue, expectedValue: process };
    }
    case 'PROCESS_MULTI': {
      const { processes = [], semantic = 'AllOf' } = check;
      const actualValue = processes.map((one) =>
        actualProcess(one, responseOfPath(data, one.path)),
      );
      const values = { actualValue, expectedValue: processes };
      return { ...base, postureCheckType: typeId, semantic, ...values };
    }
    case 'MFA':
      return { ...base, postureCheckType: typeId, ...mfaValues(check, subject, now) };
    default:
      throw new Error(`no posture check type ${typeId}`);
  }
}

function actualProcess(
  wanted: Process | ProcessOfMany,
  reported: ReportedProcess | undefined,
): Static<typeof processFound> {
  const { path = '', isRunning = false, hash = '', signerFingerprints = [] } = reported ?? {};
  return {
    osType: wanted.osType,
    path: path === '' ? wanted.path : path,
    isRunning,
    hash,
    signerFingerprints,
  };
}

function mfaValues(check: PostureCheckRecord, subject: Subject, now: number) {
  const { promptOnWake = false, promptOnUnlock = false } = check;
  return {
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
