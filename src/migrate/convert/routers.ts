// Routers of the peer: edge routers have a bucket `edge`, those that enroll without one have a
// bucket `transitRouter`, and those of the fabric API have neither.

import { routerKind } from '../../records/router.ts';
import type { PeerEntity, PeerFields, PeerJson } from '../peer/entity.ts';
import { type ConversionContext, defineConversion } from './conversion.ts';
import { costOf, dropBucket, nameOf, sortedSetIfAny, textIn } from './entity-values.ts';
import type { EntityNotes } from './notes.ts';

const derivedOfEdge = ['edgeRouterPolicies', 'identities', 'serviceEdgeRouterPolicies', 'services'];

/** Every router. */
export const routers = defineConversion({
  bucket: 'routers',
  kind: routerKind,
  derived: ['terminators'],
  convert(entity, context, notes) {
    dropBucket(entity, 'interfaces', notes);
    const edge = entity.below('edge');
    // A router of the fabric API counts by its fingerprint alone.
    const transit = edge === undefined ? entity.below('transitRouter') : undefined;
    for (const fields of [edge, transit]) fields?.pass('enrollments', 'name');
    const configs = entity.set('configs');
    return {
      name: nameOf(entity, notes),
      isEdge: edge !== undefined,
      cost: costOf(entity.integer('cost'), 'cost', notes),
      noTraversal: entity.flag('noTraversal'),
      disabled: entity.flag('disabled'),
      configs: configs.length === 0 ? undefined : configs,
      ctrlChanListeners: listenersOf(entity, notes),
      ...certificatesOf(textIn(entity, 'fingerprint'), edge ?? transit, notes),
      ...(edge && edgeValuesOf(entity, edge, context, notes)),
    };
  },
});

function edgeValuesOf(
  { id }: PeerEntity,
  edge: PeerFields,
  { has }: ConversionContext,
  notes: EntityNotes,
) {
  // A router says them at its hello.
  edge.pass('version', 'capabilitiesMask', ...derivedOfEdge);
  const wanted = edge.flag('isTunnelerEnabled');
  const isTunnelerEnabled = wanted && has('identity', id);
  if (wanted && !isTunnelerEnabled) {
    notes.changed('Its tunneler has no identity, and is switched off.');
  }
  return {
    isTunnelerEnabled,
    roleAttributes: sortedSetIfAny(edge, 'roleAttributes'),
    appData: edge.map('appData'),
  };
}

/** Only a router that is verified has a certificate, and only by its fingerprint is it accepted. */
function certificatesOf(
  stated: string | undefined,
  fields: PeerFields | undefined,
  notes: EntityNotes,
) {
  const isVerified = fields === undefined || fields.flag('isVerified');
  const certPem = fields && textIn(fields, 'certPem');
  const unverifiedCertPem = fields && textIn(fields, 'unverifiedCertPem');
  const unverifiedFingerprint = fields && textIn(fields, 'unverifiedFingerprint')?.toLowerCase();
  const fingerprint = stated?.toLowerCase();
  if (!isVerified || fingerprint === undefined) {
    if (fields !== undefined && isVerified) {
      notes.changed('It has no fingerprint, counts as unverified, and has to enroll again.');
    } else if (fingerprint !== undefined || certPem !== undefined) {
      notes.changed('It is not verified, and its certificate is dropped.');
    }
    return { state: 'unverified' };
  }
  const current = { state: 'verified', fingerprint, certPem };
  if (unverifiedCertPem === undefined && unverifiedFingerprint === undefined) return current;
  if (unverifiedCertPem !== undefined && unverifiedFingerprint !== undefined) {
    return { ...current, unverifiedCertPem, unverifiedFingerprint };
  }
  notes.changed('Half of its unverified certificate is missing, and the other half is dropped.');
  return current;
}

function listenersOf(entity: PeerEntity, notes: EntityNotes): Record<string, string[]> {
  const listeners = Object.entries(entity.map('ctrlChanListeners')).map(([address, groups]) => {
    const texts = textsIn(groups);
    if (texts === undefined) {
      notes.changed('An entry of ctrlChanListeners has no list of groups, and gets an empty one.');
    }
    return [address, texts ?? []] as const;
  });
  return Object.fromEntries(listeners);
}

function textsIn(value: PeerJson): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((one): one is string => typeof one === 'string');
  return texts.length === value.length ? texts : undefined;
}
