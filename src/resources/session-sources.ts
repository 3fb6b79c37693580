// What access must know of sessions and services to draw its consequences: names of kinds and
// fields.

import type { Access } from '../access/access.ts';
import type { UpdateSource } from '../access/service-updates.ts';
import type { SessionSource } from '../access/store-access.ts';
import type { Store } from '../store/store.ts';
import type { IdentityRecord } from './identity.ts';
import { postureSources } from './posture-updates.ts';
import type { SessionRecord } from './session.ts';

/**
 * Sessions end with the access they were made by; those of administrators don't (behaviour §8.6).
 */
export const sessionSource: SessionSource = {
  kind: 'session',
  byIdentity: 'identityId',
  byService: 'serviceId',
  identityKind: 'identity',
  serviceKind: 'service',
  identityId: (record) => (record as SessionRecord).identityId,
  serviceId: (record) => (record as SessionRecord).serviceId,
  type: (record) => (record as SessionRecord).type,
  isExempt: (identity) => {
    const { isAdmin, isDefaultAdmin } = identity as IdentityRecord;
    return isAdmin || isDefaultAdmin;
  },
};

/**
 * Changes beside those of access by which a client's services look different (behaviour §4.9.2).
 */
export function updateSources(store: Store, access: Access): readonly UpdateSource[] {
  return [
    {
      kind: 'service',
      identities: (row, before, after) =>
        before !== undefined && after !== undefined ? [access.identitiesOf(row.slot)] : [],
    },
    {
      kind: 'config',
      *identities(_row, before) {
        if (before === undefined) return;
        for (const service of store.table('service').group('configs').rows(before.id)) {
          yield access.identitiesOf(service.slot);
        }
        const overriding = store.table('identity').group('serviceConfigs:config');
        for (const identity of overriding.rows(before.id)) yield identity.slot;
      },
    },
    {
      kind: 'identity',
      identities: (row, before, after) => {
        const was = (before as IdentityRecord | undefined)?.serviceConfigs;
        const is = (after as IdentityRecord | undefined)?.serviceConfigs;
        return was !== undefined && is !== undefined && was !== is ? [row.slot] : [];
      },
    },
    ...postureSources(store, access),
  ];
}
