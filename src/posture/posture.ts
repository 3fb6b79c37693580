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
import type { Asker, PolicyFailure, Posture, Subject } from './contract.ts';
import { judge } from './judge.ts';
import { RepeatedSubmissions } from './repeated-submissions.ts';
import { saysTheSame } from './same-answers.ts';

/** Posture of the records in `store`. Every answer notes what it depends on as read. */
export function createPosture(store: Store, access: Access): StoredPosture {
  return new StoredPosture(store, access);
}

/** See `createPosture`. */
class StoredPosture implements Posture {
  readonly #store: Store;
  readonly #access: Access;
  readonly #policies: Table<ServicePolicyRecord>;
  readonly #checks: Table<PostureCheckRecord>;
  readonly #data: Table<PostureDataRecord>;
  readonly #identities: Table<IdentityRecord>;
  readonly #apiSessions: Table<ApiSessionRecord>;
  readonly #enrollments: Table<MfaEnrollmentRecord>;
  readonly repeats: RepeatedSubmissions;
  /**
   * By policy slot; forgotten with each write that affects it, including writes that are undone.
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

  forget(): void {
    this.known = [];
  }

  get isUsed(): boolean {
    this.#store.fence.note(this.#checks.lastLsn);
    return this.#checks.size > 0;
  }

  checksOf(policy: number): readonly PostureCheckRecord[] {
    if (!this.isUsed) return none;
    // Noted as read, because the checks that it requires depend on the policy too.
    this.#policies.at(policy);
    return (this.known[policy] ??= this.#find(policy));
  }

  dataOf(identityId: string): PostureDataRecord | undefined {
    const stored = this.#data.findBy('identityId', identityId)?.record;
    return stored && this.repeats.latestOf(stored);
  }

  isAlike(before: PostureDataRecord, after: PostureDataRecord): boolean {
    return saysTheSame(before, after, (id) => this.#checks.find(id)?.record.typeId === 'PROCESS');
  }

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

  passes(policy: number, subject: Subject, now: number): boolean {
    for (const check of this.checksOf(policy)) {
      if (!judge(check, subject, now).isPassing) return false;
    }
    return true;
  }

  passing(policies: readonly number[], subject: Subject, now: number): number[] {
    return policies.filter((policy) => this.passes(policy, subject, now));
  }

  failures(policies: readonly number[], subject: Subject, now: number): PolicyFailure[] {
    return policies.flatMap((policy) => {
      const checks = this.checksOf(policy).filter((check) => !judge(check, subject, now).isPassing);
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
