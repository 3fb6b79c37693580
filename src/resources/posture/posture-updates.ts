// The effects of a change of posture on others: clients whose services look different
// (behaviour/api-sessions#service-updates) and sessions that may have to end
// (behaviour/sessions#endings).

import type { Access } from '../../access/access.ts';
import type { UpdateSource } from '../../access/service-updates.ts';
import type { EndingSource } from '../../access/store-access.ts';
import { roleAll } from '../../declare/access-vocabulary.ts';
import type { EndpointState } from '../../posture/contract.ts';
import type { Posture } from '../../posture/posture.ts';
import { identityKind } from '../../records/identity.ts';
import type { PostureCheckRecord } from '../../records/posture-check.ts';
import type { PostureDataRecord } from '../../records/posture-data.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../../records/service-policy.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';

type ApiSession = RecordBase & EndpointState & { readonly identityId: string };
type MfaEnrollment = RecordBase & { readonly state: string; readonly identityId: string };

/**
 * Sources of updates: posture queries are part of a service in the view of SDKs. A posture response
 * stamps its identity itself, whether or not it changes a record.
 */
export function postureSources(store: Store, access: Access): readonly UpdateSource[] {
  return [
    {
      kind: 'postureCheck',
      identities(_row, before, after) {
        const checks = [before, after].filter((one) => one !== undefined);
        const policies = policiesAsking(store, checks as PostureCheckRecord[]);
        return policies.length === 0 ? [] : [access.identitiesUnder(policies)];
      },
    },
    {
      kind: 'servicePolicy',
      identities(row, before, after) {
        // Access handles the creation and deletion of policies.
        if (before === undefined || after === undefined) return [];
        if (asksAlike(before as ServicePolicyRecord, after as ServicePolicyRecord)) return [];
        return [access.identitiesUnder([row.slot])];
      },
    },
    {
      kind: 'apiSession',
      identities: (_row, before, after) =>
        isStampedAnew(before as ApiSession, after as ApiSession)
          ? slotOf(store, after as ApiSession)
          : [],
    },
    {
      kind: 'mfaEnrollment',
      identities: (_row, before, after) =>
        isVerified(before) === isVerified(after)
          ? []
          : slotOf(store, (after ?? before) as MfaEnrollment),
    },
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
    {
      kind: 'postureCheck',
      suspects(_row, before, after) {
        const checks = [before, after].filter((one) => one !== undefined);
        return access.pairsUnder(policiesAsking(store, checks as PostureCheckRecord[]));
      },
    },
    {
      kind: 'servicePolicy',
      suspects(row, before, after) {
        if (before === undefined || after === undefined) return [];
        if (asksAlike(before as ServicePolicyRecord, after as ServicePolicyRecord)) return [];
        return access.pairsUnder([row.slot]);
      },
    },
    {
      kind: 'postureData',
      suspects(_row, before, after) {
        const [was, is] = [before, after] as (PostureDataRecord | undefined)[];
        // In most delayed writes of submissions, only the time is new.
        if (was !== undefined && is !== undefined && posture.isAlike(was, is)) return [];
        return ofIdentity(is ?? was);
      },
    },
    {
      kind: 'apiSession',
      suspects: (row, before, after) =>
        before !== undefined && isStampedAnew(before as ApiSession, after as ApiSession)
          ? [{ kind: 'apiSession', owners: [row.slot] }]
          : [],
    },
    {
      kind: 'mfaEnrollment',
      suspects: (_row, before, after) =>
        isVerified(before) && !isVerified(after) ? ofIdentity(before as MfaEnrollment) : [],
    },
  ];
}

/** The slot of an owner's identity; none if it is gone, or there is no owner. */
function slotOf(store: Store, owner: { readonly identityId: string } | undefined): number[] {
  const slot = owner && store.table(identityKind).peek(owner.identityId)?.slot;
  return slot === undefined ? [] : [slot];
}

/** Whether the endpoint proved or reported something. */
function isStampedAnew(before: ApiSession | undefined, after: ApiSession | undefined): boolean {
  if (after === undefined) return false;
  return (
    before?.mfaPassedAt !== after.mfaPassedAt ||
    before?.wokenAt !== after.wokenAt ||
    before?.unlockedAt !== after.unlockedAt
  );
}

function isVerified(enrollment: RecordBase | undefined): boolean {
  return (enrollment as MfaEnrollment | undefined)?.state === 'verified';
}

/** Whether a policy asks for the same checks as before. */
function asksAlike(before: ServicePolicyRecord, after: ServicePolicyRecord): boolean {
  const [was, is] = [before.postureCheckRoles, after.postureCheckRoles];
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
  { semantic, postureCheckRoles: roles }: ServicePolicyRecord,
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
