// What posture is judged by, what comes of it, and what the rest of the controller asks it.

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
  /** Takes `data`, which say the same as the stored record of the identity. */
  note(data: PostureDataRecord): void;
}

/** Who is judged: an identity at one of its endpoints. All that verdicts rest on is durable. */
export interface Subject {
  /** Undefined before the first response: then every check fails (behaviour/posture#verdicts). */
  readonly data: PostureDataRecord | undefined;
  /** Undefined where an identity is looked at without one of its API sessions. */
  readonly endpoint: EndpointState | undefined;
  /**
   * When the identity began its MFA enrollment, wall-clock ms; undefined while it has no verified
   * one. A code that passed earlier was another enrollment's and counts no more
   * (behaviour/mfa#removal).
   */
  readonly enrolledAt: number | undefined;
  /** `type` and `version` of the client's SDK; both empty while it has not told. */
  readonly sdk: { readonly type: string; readonly version: string };
}

/** What one check says of a subject (behaviour/posture#verdicts). */
export interface Verdict {
  readonly isPassing: boolean;
  /**
   * Wall-clock ms from which on the check fails by itself, be it a time-out or the end of a grace
   * period; undefined when it doesn't, or fails already.
   */
  readonly failsAt: number | undefined;
}

/** The checks of one service policy that failed. */
export interface PolicyFailure {
  readonly policyId: string;
  readonly policyName: string;
  readonly checks: readonly PostureCheckRecord[];
}

/** The identity and API session whose posture is asked for, by id. */
export interface Asker {
  readonly identityId: string;
  /** Undefined for an identity seen from outside: its MFA checks fail. */
  readonly apiSessionId: string | undefined;
}

/** Posture as the rest of the controller asks for it. Policies are named by their slots. */
export interface Posture {
  /** Whether there is any posture check at all; without one nothing below needs to be asked. */
  readonly isUsed: boolean;
  /** The checks that a service policy asks for, ascending by slot. */
  checksOf(policy: number): readonly PostureCheckRecord[];
  /** What the identity's endpoints last submitted; undefined before the first response. */
  dataOf(identityId: string): PostureDataRecord | undefined;
  /** Whether both would pass the same checks, whatever these ask for. */
  isAlike(before: PostureDataRecord, after: PostureDataRecord): boolean;
  /** Data that were submitted again unchanged, which `dataOf` answers until they are written. */
  readonly repeats: Repeats;
  /** What is known of the asker now. */
  subjectOf(asker: Asker): Subject;
  /** Whether all checks of the policy pass; true for a policy without any. */
  passes(policy: number, subject: Subject, now: number): boolean;
  /** The policies that pass, in the order given. */
  passing(policies: readonly number[], subject: Subject, now: number): number[];
  /** What failed of policies that don't pass, in the order given. */
  failures(policies: readonly number[], subject: Subject, now: number): PolicyFailure[];
  /** The checks remembered, by policy slot; for the integrity run, and for tests that damage it. */
  readonly known: readonly (readonly PostureCheckRecord[] | undefined)[];
  /** What is remembered of policies is read again: the roles they select by were put right. */
  forget(): void;
}
