// Posture over the tables: the checks that a policy requires, the data on a subject, and what
// passes.

import type { Access } from '../access/access.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { type MfaEnrollmentRecord, mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import { type PostureCheckRecord, postureCheckKind } from '../records/posture-check.ts';
import { type PostureDataRecord, postureDataKind } from '../records/posture-data.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../records/service-policy.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { evaluate } from './evaluate-check.ts';
import { RepeatedSubmissions } from './repeated-submissions.ts';
import { saysTheSame } from './same-answers.ts';
import type { Asker, PolicyFailure, Subject } from './subject.ts';

/**
 * Posture of the records in a store. Policies are named by their slots. Every answer notes what it
 * depends on as read.
 */
export class Posture {
  readonly #store: Store;
  readonly #access: Access;
  readonly #policies: Table<ServicePolicyRecord>;
  readonly #checks: Table<PostureCheckRecord>;
  readonly #data: Table<PostureDataRecord>;
  readonly #identities: Table<IdentityRecord>;
  readonly #apiSessions: Table<ApiSessionRecord>;
  readonly #enrollments: Table<MfaEnrollmentRecord>;
  /** Data that were submitted again unchanged; `dataOf` returns them until they are written. */
  readonly repeats: RepeatedSubmissions;
  /**
   * The checks remembered, by policy slot; forgotten with each write that affects them, including
   * writes that are undone. Public for the integrity run, and for tests that damage it.
   */
  known: (readonly PostureCheckRecord[] | undefined)[] = [];

  constructor(store: Store, access: Access) {
    this.#store = store;
    this.#access = access;
    this.#policies = store.table(servicePolicyKind);
    this.#checks = store.table(postureCheckKind);
    this.#data = store.table(postureDataKind);
    this.#identities = store.table(identityKind);
    this.#apiSessions = store.table(apiSessionKind);
    this.#enrollments = store.table(mfaEnrollmentKind);
    this.repeats = new RepeatedSubmissions(store);
    this.#checks.observe(() => {
      if (this.known.length > 0) this.known = [];
    });
    this.#policies.observe(({ slot }) => {
      if (slot < this.known.length) this.known[slot] = undefined;
    });
  }

  /** Forgets what is remembered of policies, because the roles they select by were fixed. */
  forget(): void {
    this.known = [];
  }

  /** Whether there is any posture check at all; if not, nothing below needs to be called. */
  get isUsed(): boolean {
    this.#store.fence.note(this.#checks.lastLsn);
    return this.#checks.size > 0;
  }

  /** The checks that a service policy requires, ascending by slot. */
  checksOf(policy: number): readonly PostureCheckRecord[] {
    if (!this.isUsed) return none;
    // Noted as read, because the checks that it requires depend on the policy too.
    this.#policies.at(policy);
    return (this.known[policy] ??= this.#find(policy));
  }

  /** The data that the identity's endpoints last submitted; undefined before the first response. */
  dataOf(identityId: string): PostureDataRecord | undefined {
    const stored = this.#data.findBy('identityId', identityId)?.record;
    return stored && this.repeats.latestOf(stored);
  }

  /** Whether both would pass the same checks, whatever these require. */
  isAlike(before: PostureDataRecord, after: PostureDataRecord): boolean {
    return saysTheSame(before, after, (id) => this.#checks.find(id)?.record.typeId === 'PROCESS');
  }

  /** The present data on the asker. */
  subjectOf({ identityId, apiSessionId }: Asker): Subject {
    const { type, version } = this.#identities.find(identityId)?.record.sdkInfo ?? {};
    const enrollment = this.#enrollments.findBy('identityId', identityId)?.record;
    return {
      data: this.dataOf(identityId),
      endpoint:
        apiSessionId === undefined ? undefined : this.#apiSessions.find(apiSessionId)?.record,
      enrolledAt: enrollment?.state === 'verified' ? enrollment.createdAt : undefined,
      sdk: { type: type ?? '', version: version ?? '' },
    };
  }

  /**
   * Whether the routers judge the posture of this client, and not the controller: it logged in by
   * OIDC, and since then nothing was reported here (behaviour/oidc#posture).
   */
  isLeftToRouters({ identityId, apiSessionId }: Asker): boolean {
    if (apiSessionId === undefined) return false;
    const session = this.#apiSessions.find(apiSessionId)?.record;
    if (session?.jwt === undefined) return false;
    const data = this.dataOf(identityId);
    return data === undefined || data.updatedAt < session.createdAt;
  }

  /** Whether all checks of the policy pass; true for a policy without any. */
  passes(policy: number, subject: Subject, now: number): boolean {
    for (const check of this.checksOf(policy)) {
      if (!evaluate(check, subject, now).isPassing) return false;
    }
    return true;
  }

  /** The policies that pass, in the order given. */
  passing(policies: readonly number[], subject: Subject, now: number): number[] {
    return policies.filter((policy) => this.passes(policy, subject, now));
  }

  /** The failed checks of policies that don't pass, in the order given. */
  failures(policies: readonly number[], subject: Subject, now: number): PolicyFailure[] {
    return policies.flatMap((policy) => {
      const checks = this.checksOf(policy).filter(
        (check) => !evaluate(check, subject, now).isPassing,
      );
      const record = this.#policies.at(policy)?.record;
      if (record === undefined || checks.length === 0) return [];
      return [{ policyId: record.id, policyName: record.name, checks }];
    });
  }

  #find(policy: number): readonly PostureCheckRecord[] {
    const slots = this.#access.membersOf('servicePolicy', policy, 'postureCheck');
    return Array.from(slots).flatMap((slot) => this.#checks.at(slot)?.record ?? []);
  }
}

const none: readonly PostureCheckRecord[] = Object.freeze([]);
