// The inputs and results of evaluating posture.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { PostureDataRecord } from '../records/posture-data.ts';

/**
 * What one API session reported or proved: wall-clock ms, undefined for never
 * (behaviour/posture#data).
 */
export interface EndpointState {
  /** When it last gave an accepted TOTP or recovery code. */
  readonly mfaPassedAt: number | undefined;
  readonly wokenAt: number | undefined;
  readonly unlockedAt: number | undefined;
}

/**
 * An identity at one of its endpoints, to be evaluated. All data that verdicts depend on are
 * durable.
 */
export interface Subject {
  /** Undefined before the first response: then every check fails (behaviour/posture#verdicts). */
  readonly data: PostureDataRecord | undefined;
  /** Undefined when an identity is evaluated without one of its API sessions. */
  readonly endpoint: EndpointState | undefined;
  /**
   * When the identity began its MFA enrollment, wall-clock ms; undefined while it has no verified
   * one. A code that passed earlier belonged to another enrollment and no longer counts
   * (behaviour/mfa#removal).
   */
  readonly enrolledAt: number | undefined;
  /** `type` and `version` of the client's SDK; both empty until it has reported them. */
  readonly sdk: { readonly type: string; readonly version: string };
}

/** The verdict of one check on a subject (behaviour/posture#verdicts). */
export interface Verdict {
  readonly isPassing: boolean;
  /**
   * Wall-clock ms from which on the check fails by itself, because of a time-out or the end of a
   * grace period; undefined when it doesn't, or fails already.
   */
  readonly failsAt: number | undefined;
}

/** The checks of one service policy that failed. */
export interface PolicyFailure {
  readonly policyId: string;
  readonly policyName: string;
  readonly checks: readonly PostureCheckRecord[];
}

/** The identity and API session whose posture is evaluated, by id. */
export interface Asker {
  readonly identityId: string;
  /** Undefined for an identity seen from outside: its MFA checks fail. */
  readonly apiSessionId: string | undefined;
}
