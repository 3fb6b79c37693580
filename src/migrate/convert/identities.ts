// Identities of the peer.

import { permissionNames } from '../../declare/resources/permission-names.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { defineConversion } from './conversion.ts';
import {
  costOf,
  dropBucket,
  isMap,
  nameOf,
  precedenceOf,
  sortedSet,
  textIn,
} from './entity-values.ts';
import type { EntityNotes } from './notes.ts';
import { quotedList } from './quoted.ts';

/** Identities, without their credentials. */
export const identities = defineConversion({
  bucket: 'identities',
  kind: identityKind,
  derived: [
    'apiSessions',
    'bindServices',
    'dialServices',
    'edgeRouterPolicies',
    'enrollments',
    'routers',
    'servicePolicies',
  ],
  convert(entity, { nowMs, found }, notes) {
    found.secondAuthenticators.note(entity.set('authenticators'));
    dropBucket(entity, 'interfaces', notes);
    const externalId = textIn(entity, 'externalId');
    return {
      ...periodOf(entity, nowMs),
      name: nameOf(entity, notes),
      typeId: typeOf(entity, notes),
      isAdmin: entity.flag('isAdmin'),
      isDefaultAdmin: entity.flag('isDefaultAdmin'),
      authPolicyId: textIn(entity, 'authPolicyId') ?? identityKind.fields.authPolicyId.fallback,
      externalId,
      roleAttributes: sortedSet(entity, 'roleAttributes'),
      appData: entity.map('appData'),
      ...hostingOf(entity, notes),
      serviceConfigs: serviceConfigsOf(entity, notes),
      envInfo: infoOf(entity, environmentFields, notes),
      sdkInfo: infoOf(entity, sdkFields, notes),
      permissions: permissionsOf(entity, notes),
    };
  },
  taken: (record, { logins }) => logins.noteIdentity(record),
});

/** A period that is over counts for nothing. Lock-outs of the peer are such periods, too. */
function periodOf(entity: PeerEntity, nowMs: number) {
  const [disabledAt, disabledUntil] = [entity.time('disabledAt'), entity.time('disabledUntil')];
  const isOver = disabledUntil !== undefined && disabledUntil <= nowMs;
  if (disabledAt === undefined || isOver) return { state: 'enabled' };
  return { state: 'disabled', disabledAt, disabledUntil };
}

function typeOf(entity: PeerEntity, notes: EntityNotes): string {
  const type = textIn(entity, 'type') ?? 'Default';
  if (type === 'Router' || type === 'Default') return type;
  // Former releases of the peer told apart users, devices and services.
  notes.changed('Its type has no counterpart, and becomes Default.');
  return 'Default';
}

function hostingOf(entity: PeerEntity, notes: EntityNotes) {
  const costs = Object.entries(entity.map('serviceHostingCosts'));
  const precedences = Object.entries(entity.map('serviceHostingPrecedences'));
  const fieldCost = 'defaultHostingCost';
  const fieldPrecedence = 'defaultHostingPrecedence';
  return {
    defaultHostingCost: costOf(entity.integer(fieldCost), fieldCost, notes),
    defaultHostingPrecedence: precedenceOf(entity.integer(fieldPrecedence), fieldPrecedence, notes),
    serviceHostingCosts: Object.fromEntries(
      costs.map(([service, cost]) => [service, costOf(cost, 'serviceHostingCosts', notes)]),
    ),
    serviceHostingPrecedences: Object.fromEntries(
      precedences.map(([service, precedence]) => [
        service,
        precedenceOf(precedence, 'serviceHostingPrecedences', notes),
      ]),
    ),
  };
}

/** From config by type by service to pairs: a config has one type. */
function serviceConfigsOf(
  entity: PeerEntity,
  notes: EntityNotes,
): IdentityRecord['serviceConfigs'] {
  const pairs: { serviceId: string; configId: string }[] = [];
  for (const [serviceId, configs] of Object.entries(entity.map('serviceConfigs'))) {
    for (const configId of isMap(configs) ? Object.values(configs) : [configs]) {
      if (typeof configId === 'string') pairs.push({ serviceId, configId });
      else notes.changed('An entry of serviceConfigs names no config, and is dropped.');
    }
  }
  return pairs;
}

function permissionsOf(entity: PeerEntity, notes: EntityNotes): string[] {
  const names = sortedSet(entity, 'permissions');
  const unknown = names.filter((name) => !permissionNames.includes(name));
  if (unknown.length > 0) {
    notes.changed(
      `These permissions have no counterpart, and are dropped: ${quotedList(unknown)}.`,
    );
  }
  return names.filter((name) => permissionNames.includes(name));
}

/** Characters of each text about a client, as records bound them. */
const infoCharacters = 1000;

const environmentFields = {
  arch: 'envInfoArch',
  domain: 'envInfoDomain',
  hostname: 'envInfoHostname',
  os: 'envInfoOs',
  osRelease: 'envInfoRelease',
  osVersion: 'envInfoVersion',
} as const;

const sdkFields = {
  appId: 'sdkInfoAppId',
  appVersion: 'sdkInfoAppVersion',
  branch: 'sdkInfoBranch',
  revision: 'sdkInfoRevision',
  type: 'sdkInfoType',
  version: 'sdkInfoVersion',
} as const;

function infoOf<Name extends string>(
  entity: PeerEntity,
  fields: Readonly<Record<Name, string>>,
  notes: EntityNotes,
): Partial<Record<Name, string>> {
  const info: Partial<Record<Name, string>> = {};
  for (const name in fields) {
    const text = textIn(entity, fields[name]);
    if (text === undefined) continue;
    if (text.length > infoCharacters) notes.dropped(fields[name]);
    info[name] = text.slice(0, infoCharacters);
  }
  return info;
}
