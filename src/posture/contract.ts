// The inputs and results of judging posture, and the interface for the rest of the controller.

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

/** Data that were submitted again unchanged: only their times and their order are new. */
export interface Repeats {
  /** Takes `data` that equal the stored record of the identity except for times and order. */
  note(data: PostureDataRecord): void;
}

/**
 * An identity at one of its endpoints, to be judged. All data that verdicts depend on are durable.
 */
export interface Subject {
  /** Undefined before the first response: then every check fails (behaviour/posture#verdicts). */
  readonly data: PostureDataRecord | undefined;
  /** Undefined when an identity is judged without one of its API sessions. */
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

/** The identity and API session whose posture is judged, by id. */
export interface Asker {
  readonly identityId: string;
  /** Undefined for an identity seen from outside: its MFA checks fail. */
  readonly apiSessionId: string | undefined;
}

/** Posture for the rest of the controller. Policies are named by their slots. */
export interface Posture {
  /** Whether there is any posture check at all; if not, nothing below needs to be called. */
  readonly isUsed: boolean;
  /** The checks that a service policy requires, ascending by slot. */
  checksOf(policy: number): readonly PostureCheckRecord[];
  /** The data that the identity's endpoints last submitted; undefined before the first response. */
  dataOf(identityId: string): PostureDataRecord | undefined;
  /** Whether both would pass the same checks, whatever these require. */
  isAlike(before: PostureDataRecord, after: PostureDataRecord): boolean;
  /** Data that were submitted again unchanged; `dataOf` returns them until they are written. */
  readonly repeats: Repeats;
  /** The present data on the asker. */
  subjectOf(asker: Asker): Subject;
  /** Whether all checks of the policy pass; true for a policy without any. */
  passes(policy: number, subject: Subject, now: number): boolean;
  /** The policies that pass, in the order given. */
  passing(policies: readonly number[], subject: Subject, now: number): number[];
  /** The failed checks of policies that don't pass, in the order given. */
  failures(policies: readonly number[], subject: Subject, now: number): PolicyFailure[];
  /** The checks remembered, by policy slot; for the integrity run, and for tests that damage it. */
  readonly known: readonly (readonly PostureCheckRecord[] | undefined)[];
  /** Forgets what is remembered of policies, because the roles they select by were fixed. */
  forget(): void;
}
