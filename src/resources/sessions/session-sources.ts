// The names of kinds and fields of sessions and services that access needs for its consequences.

import { isDeepStrictEqual } from 'node:util';
import type { Access } from '../../access/access.ts';
import { type UpdateSource, updateSource } from '../../access/service-updates.ts';
import type { SessionSource } from '../../access/session-endings.ts';
import { type EndingSource, endingSource } from '../../access/store-access.ts';
import { isAdministrator } from '../../auth/privileged-identities.ts';
import type { Posture } from '../../posture/posture.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import { serviceKind } from '../../records/service.ts';
import type { SessionRecord } from '../../records/session.ts';
import type { Store } from '../../store/store.ts';
import { postureEndings, postureSources } from '../posture/posture-updates.ts';

/**
 * Sessions end with the access that permitted them; those of administrators don't
 * (behaviour/sessions#endings).
 */
export const sessionSource: SessionSource = {
  kind: 'session',
  indexes: { identity: 'identityId', service: 'serviceId', apiSession: 'apiSessionId' },
  identityKind: 'identity',
  serviceKind: 'service',
  identityId: ({ identityId }: SessionRecord) => identityId,
  serviceId: ({ serviceId }: SessionRecord) => serviceId,
  type: ({ type }: SessionRecord) => type,
  isExempt: (identity: IdentityRecord) => isAdministrator(identity),
};

/** Changes besides those of access that may end sessions. */
export function endingSources(
  store: Store,
  access: Access,
  posture: Posture,
): readonly EndingSource[] {
  return [
    endingSource({
      kind: identityKind,
      endangered: (row, before, after) =>
        before !== undefined &&
        after !== undefined &&
        isAdministrator(before) &&
        !isAdministrator(after)
          ? [{ kind: 'identity', owners: [row.slot] }]
          : [],
    }),
    ...postureEndings(store, access, posture),
  ];
}

/**
 * Changes besides those of access that change a client's view of its services
 * (behaviour/api-sessions#service-updates).
 */
export function updateSources(store: Store, access: Access): readonly UpdateSource[] {
  return [
    updateSource({
      kind: serviceKind,
      identities: (row, before, after) =>
        before !== undefined && after !== undefined ? [access.identitiesOf(row.slot)] : [],
    }),
    updateSource({
      kind: configKind,
      identities: (_row, before) =>
        before === undefined ? [] : usersOf(store, access, [before.id]),
    }),
    updateSource({
      kind: configTypeKind,
      identities: (_row, before, after) => {
        // Clients see configs by the names of their types.
        return before === undefined || before.name === after?.name
          ? []
          : usersOfType(store, access, before.id);
      },
    }),
    updateSource({
      kind: identityKind,
      identities: (row, before, after) => {
        const was = before?.serviceConfigs;
        const is = after?.serviceConfigs;
        // A record that comes in a frame has new objects for all its fields, changed or not.
        const isChanged = was !== is && before !== undefined && after !== undefined;
        return isChanged && !isDeepStrictEqual(was, is) ? [row.slot] : [];
      },
    }),
    ...postureSources(store, access),
  ];
}

function usersOfType(store: Store, access: Access, configTypeId: string) {
  const configs = store.table(configKind).group('configTypeId').rows(configTypeId);
  return usersOf(
    store,
    access,
    [...configs].map(({ id }) => id),
  );
}

/**
 * Identities that see a service with one of these configs, and those with one of them as an
 * override.
 */
function usersOf(store: Store, access: Access, configIds: readonly string[]) {
  const attached = store.table(serviceKind).group('configs');
  const overriding = store.table(identityKind).group('serviceConfigs:config');
  const services = new Set<number>();
  const identities = new Set<number>();
  for (const id of configIds) {
    for (const { slot } of attached.rows(id)) services.add(slot);
    for (const { slot } of overriding.rows(id)) identities.add(slot);
  }
  const policies = access.policiesOfAny('service', services, 'servicePolicy');
  return [access.identitiesUnder(policies), ...identities];
}
