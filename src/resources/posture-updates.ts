// Whose services look different when a posture check or what asks for it changes (behaviour §4.9.2,
// §12.1).

import type { Access } from '../access/access.ts';
import type { UpdateSource } from '../access/service-updates.ts';
import { ROLE_ALL } from '../access/vocabulary.ts';
import type { Store } from '../store/store.ts';
import type { PostureCheckRecord } from './posture-check.ts';
import type { ServicePolicyRecord } from './service-policy.ts';

/** Sources of updates: what SDKs are asked for is part of a service as they see it. */
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
        // What making and deleting a policy does, access says.
        if (before === undefined || after === undefined) return [];
        if (asksAlike(before as ServicePolicyRecord, after as ServicePolicyRecord)) return [];
        return [access.identitiesUnder([row.slot])];
      },
    },
  ];
}

/** Whether a policy asks for the same checks as before. */
function asksAlike(before: ServicePolicyRecord, after: ServicePolicyRecord): boolean {
  const [was, is] = [before.postureCheckRoles, after.postureCheckRoles];
  if (was.length !== is.length || was.some((role, at) => role !== is[at])) return false;
  return before.semantic === after.semantic || attributesIn(is).length < 2;
}

/**
 * Slots of the policies that ask for a check as it was or is. All of them are looked at: checks
 * change seldom, and of one that is gone, or was another, access knows nothing any more.
 */
function policiesAsking(store: Store, checks: readonly PostureCheckRecord[]): number[] {
  const held = checks.map(({ id, roleAttributes }) => ({
    id,
    attributes: new Set(roleAttributes),
  }));
  const slots: number[] = [];
  for (const { slot, record } of store.table<ServicePolicyRecord>('servicePolicy').all()) {
    if (held.some((check) => asksFor(record, check))) slots.push(slot);
  }
  return slots;
}

/** Whether a policy asks for a check (behaviour §3.2). */
function asksFor(
  { semantic, postureCheckRoles: roles }: ServicePolicyRecord,
  check: { readonly id: string; readonly attributes: ReadonlySet<string> },
): boolean {
  if (roles.includes(ROLE_ALL) || roles.includes(`@${check.id}`)) return true;
  const attributes = attributesIn(roles);
  const isHeld = (attribute: string) => check.attributes.has(attribute);
  if (semantic === 'AnyOf') return attributes.some(isHeld);
  return attributes.length > 0 && attributes.every(isHeld);
}

/** The attributes that a role list names. */
function attributesIn(roles: readonly string[]): string[] {
  return roles
    .filter((role) => role.startsWith('#') && role !== ROLE_ALL)
    .map((role) => role.slice(1));
}
