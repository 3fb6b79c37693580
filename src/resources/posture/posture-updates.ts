// The effects of a change of posture on others: clients whose services look different
// (behaviour/api-sessions#service-updates) and sessions that may have to end
// (behaviour/sessions#endings).

import type { Access } from '../../access/access.ts';
import { type UpdateSource, updateSource } from '../../access/service-updates.ts';
import { type EndingSource, endingSource } from '../../access/store-access.ts';
import { roleAll } from '../../declare/kinds/access-vocabulary.ts';
import type { Posture } from '../../posture/posture.ts';
import type { EndpointState } from '../../posture/subject.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { identityKind } from '../../records/identity.ts';
import { type MfaEnrollmentRecord, mfaEnrollmentKind } from '../../records/mfa-enrollment.ts';
import { type PostureCheckRecord, postureCheckKind } from '../../records/posture-check.ts';
import { postureDataKind } from '../../records/posture-data.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../../records/service-policy.ts';
import type { Store } from '../../store/store.ts';

/**
 * Sources of updates: posture queries are part of a service in the view of SDKs. A posture response
 * stamps its identity itself, whether or not it changes a record.
 */
export function postureSources(store: Store, access: Access): readonly UpdateSource[] {
  return [
    updateSource({
      kind: postureCheckKind,
      identities(_row, before, after) {
        const checks = [before, after].filter((one) => one !== undefined);
        const policies = policiesAsking(store, checks);
        return policies.length === 0 ? [] : [access.identitiesUnder(policies)];
      },
    }),
    updateSource({
      kind: servicePolicyKind,
      identities(row, before, after) {
        // Access handles the creation and deletion of policies.
        if (before === undefined || after === undefined) return [];
        if (asksAlike(before, after)) return [];
        return [access.identitiesUnder([row.slot])];
      },
    }),
    updateSource({
      kind: apiSessionKind,
      identities: (_row, before, after) =>
        isStampedAnew(before, after) ? slotOf(store, after) : [],
    }),
    updateSource({
      kind: mfaEnrollmentKind,
      identities: (_row, before, after) =>
        isVerified(before) === isVerified(after) ? [] : slotOf(store, after ?? before),
    }),
  ];
}

/** Changes of posture that may end sessions; access handles those of roles and members. */
export function postureEndings(
  store: Store,
  access: Access,
  posture: Posture,
): readonly EndingSource[] {
  const ofIdentity = (owner: { readonly identityId: string } | undefined) => [
    { kind: 'identity', owners: slotOf(store, owner) },
  ];
  return [
    endingSource({
      kind: postureCheckKind,
      endangered(_row, before, after) {
        const checks = [before, after].filter((one) => one !== undefined);
        return access.pairsUnder(policiesAsking(store, checks));
      },
    }),
    endingSource({
      kind: servicePolicyKind,
      endangered(row, before, after) {
        if (before === undefined || after === undefined) return [];
        if (asksAlike(before, after)) return [];
        return access.pairsUnder([row.slot]);
      },
    }),
    endingSource({
      kind: postureDataKind,
      endangered(_row, before, after) {
        // In most delayed writes of submissions, only the time is new.
        if (before !== undefined && after !== undefined && posture.isAlike(before, after))
          return [];
        return ofIdentity(after ?? before);
      },
    }),
    endingSource({
      kind: apiSessionKind,
      endangered: (row, before, after) =>
        before !== undefined && isStampedAnew(before, after)
          ? [{ kind: 'apiSession', owners: [row.slot] }]
          : [],
    }),
    endingSource({
      kind: mfaEnrollmentKind,
      endangered: (_row, before, after) =>
        isVerified(before) && !isVerified(after) ? ofIdentity(before) : [],
    }),
  ];
}

/** The slot of an owner's identity; none if it is gone, or there is no owner. */
function slotOf(store: Store, owner: { readonly identityId: string } | undefined): number[] {
  const slot = owner && store.table(identityKind).peek(owner.identityId)?.slot;
  return slot === undefined ? [] : [slot];
}

/** Whether the endpoint proved or reported something. */
function isStampedAnew(
  before: EndpointState | undefined,
  after: EndpointState | undefined,
): boolean {
  if (after === undefined) return false;
  return (
    before?.mfaPassedAt !== after.mfaPassedAt ||
    before?.wokenAt !== after.wokenAt ||
    before?.unlockedAt !== after.unlockedAt
  );
}

function isVerified(enrollment: MfaEnrollmentRecord | undefined): boolean {
  return enrollment?.state === 'verified';
}

/** Whether a policy asks for the same checks as before. */
function asksAlike(before: ServicePolicyRecord, after: ServicePolicyRecord): boolean {
  const [was = [], is = []] = [before.postureCheckRoles, after.postureCheckRoles];
  if (was.length !== is.length || was.some((role, at) => role !== is[at])) return false;
  return before.semantic === after.semantic || attributesIn(is).length < 2;
}

/**
 * Slots of the policies that ask for a check as it was or is. All policies are examined: checks
 * change seldom, and access no longer knows the previous state of a check.
 */
function policiesAsking(store: Store, checks: readonly PostureCheckRecord[]): number[] {
  const held = checks.map(({ id, roleAttributes }) => ({
    id,
    attributes: new Set(roleAttributes),
  }));
  const slots: number[] = [];
  for (const { slot, record } of store.table(servicePolicyKind).all()) {
    if (held.some((check) => asksFor(record, check))) slots.push(slot);
  }
  return slots;
}

/** Whether a policy asks for a check (behaviour/policies#matching). */
function asksFor(
  { semantic, postureCheckRoles: roles = [] }: ServicePolicyRecord,
  check: { readonly id: string; readonly attributes: ReadonlySet<string> },
): boolean {
  if (roles.includes(roleAll) || roles.includes(`@${check.id}`)) return true;
  const attributes = attributesIn(roles);
  const isHeld = (attribute: string) => check.attributes.has(attribute);
  if (semantic === 'AnyOf') return attributes.some(isHeld);
  return attributes.length > 0 && attributes.every(isHeld);
}

/** The attributes that a role list names. */
function attributesIn(roles: readonly string[]): string[] {
  return roles
    .filter((role) => role.startsWith('#') && role !== roleAll)
    .map((role) => role.slice(1));
}
