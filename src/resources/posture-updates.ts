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
        const was = (before as ServicePolicyRecord | undefined)?.postureCheckRoles;
        const is = (after as ServicePolicyRecord | undefined)?.postureCheckRoles;
        // What making and deleting a policy does, access says.
        if (was === undefined || is === undefined || String(was) === String(is)) return [];
        return [access.identitiesUnder([row.slot])];
      },
    },
  ];
}

/**
 * Slots of the policies that may ask for a check as it was or is. All of them are looked at: checks
 * change seldom, and one that is gone no longer belongs to a class that access knows.
 */
function policiesAsking(store: Store, checks: readonly PostureCheckRecord[]): number[] {
  const roles = new Set<string>([ROLE_ALL]);
  for (const { id, roleAttributes } of checks) {
    roles.add(`@${id}`);
    for (const attribute of roleAttributes) roles.add(`#${attribute}`);
  }
  const slots: number[] = [];
  for (const { slot, record } of store.table<ServicePolicyRecord>('servicePolicy').all()) {
    if (record.postureCheckRoles.some((role) => roles.has(role))) slots.push(slot);
  }
  return slots;
}
