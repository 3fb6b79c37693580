// Services of the peer. Below schema 47 the fields of an edge service stand in a bucket of their
// own, and a service without it is one of the fabric alone.

import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import type { PeerFields } from '../peer/entity.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, sortedSetIfAny, textIn } from './entity-values.ts';
import type { EntityNotes } from './notes.ts';
import { quoted } from './quoted.ts';

const derived = [
  'bindIdentities',
  'dialIdentities',
  'edgeRouters',
  'identityServices',
  'serviceEdgeRouterPolicies',
  'servicePolicies',
  'terminators',
];

/** The first schema in which edge services have no bucket of their own. */
const flatSchema = 47;

/** Services, those of the fabric alone included: no role of a policy selects these. */
export const services = defineConversion({
  bucket: 'services',
  kind: serviceKind,
  derived,
  convert(entity, { network }, notes) {
    const edge = network.schema < flatSchema ? entity.below('edge') : entity;
    // Both have the name in schemas that know the bucket.
    if (edge !== entity) edge?.pass('name', ...derived);
    const isFabricOnly = edge === undefined || (edge === entity && entity.flag('isFabricOnly'));
    const values = {
      name: nameOf(entity, notes),
      maxIdleTimeMillis: idleTimeOf(entity),
      terminatorStrategy: strategyOf(entity, notes),
      isFabricOnly,
    };
    if (!isFabricOnly) return { ...values, ...edgeValuesOf(edge) };
    entity.pass('encryptionRequired', 'configs', 'roleAttributes');
    return { ...values, encryptionRequired: false };
  },
});

function edgeValuesOf(edge: PeerFields) {
  const configs = edge.set('configs');
  return {
    encryptionRequired: edge.flag('encryptionRequired'),
    configs: configs.length === 0 ? undefined : configs,
    roleAttributes: sortedSetIfAny(edge, 'roleAttributes'),
  };
}

const nsPerMs = 1_000_000;

/** Rounded up, so that a short time does not become none. */
function idleTimeOf(fields: PeerFields): number {
  return Math.max(0, Math.ceil((fields.integer('maxIdleTime') ?? 0) / nsPerMs));
}

const strategies: readonly ServiceRecord['terminatorStrategy'][] = [
  'smartrouting',
  'weighted',
  'random',
  'sticky',
];

function strategyOf(fields: PeerFields, notes: EntityNotes): ServiceRecord['terminatorStrategy'] {
  const given = textIn(fields, 'terminatorStrategy') ?? 'smartrouting';
  const known = strategies.find((strategy) => strategy === given);
  if (known !== undefined) return known;
  notes.changed(`Its terminator strategy ${quoted(given)} is not known, and becomes smartrouting.`);
  return 'smartrouting';
}
