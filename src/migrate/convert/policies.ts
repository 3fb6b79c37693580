// The three kinds of policies of the peer.

import { checkRoles, parseSemantic } from '../../access/roles.ts';
import type { AccessType, Semantic } from '../../declare/kinds/access-vocabulary.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { serviceEdgeRouterPolicyKind } from '../../records/service-edge-router-policy.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, sortedSetIfAny, textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';
import { quoted } from './quoted.ts';

/** Which identities may dial or bind which services. */
export const servicePolicies = defineConversion({
  bucket: 'servicePolicies',
  kind: servicePolicyKind,
  derived: ['identities', 'postureChecks', 'services'],
  convert(entity, _context, notes) {
    const type = typeOf(entity.integer('type'));
    const values = {
      ...policyOf(entity, notes),
      identityRoles: rolesOf(entity, 'identityRoles', notes),
      serviceRoles: rolesOf(entity, 'serviceRoles', notes),
      postureCheckRoles: rolesOf(entity, 'postureCheckRoles', notes),
    };
    return type === undefined ? new LeftOut('Its type is not known.') : { ...values, type };
  },
});

/** Which identities may use which edge routers. */
export const edgeRouterPolicies = defineConversion({
  bucket: 'edgeRouterPolicies',
  kind: edgeRouterPolicyKind,
  derived: ['identities', 'routers'],
  convert: (entity, _context, notes) => ({
    ...policyOf(entity, notes),
    identityRoles: rolesOf(entity, 'identityRoles', notes),
    edgeRouterRoles: rolesOf(entity, 'edgeRouterRoles', notes),
  }),
});

/** Which services may be reached through which edge routers. */
export const serviceEdgeRouterPolicies = defineConversion({
  bucket: 'serviceEdgeRouterPolicies',
  kind: serviceEdgeRouterPolicyKind,
  derived: ['routers', 'services'],
  convert: (entity, _context, notes) => ({
    ...policyOf(entity, notes),
    serviceRoles: rolesOf(entity, 'serviceRoles', notes),
    edgeRouterRoles: rolesOf(entity, 'edgeRouterRoles', notes),
  }),
});

function policyOf(entity: PeerEntity, notes: EntityNotes) {
  return { name: nameOf(entity, notes), semantic: semanticOf(entity, notes) };
}

/** The peer reads a missing semantic as the stricter one. */
function semanticOf(entity: PeerEntity, notes: EntityNotes): Semantic {
  const text = textIn(entity, 'semantic') ?? 'AllOf';
  const semantic = parseSemantic(text);
  if (semantic !== undefined) return semantic;
  notes.changed(`Its semantic ${quoted(text)} is not known, and becomes AllOf, the stricter one.`);
  return 'AllOf';
}

function typeOf(type: number | undefined): AccessType | undefined {
  if (type === 1) return 'Dial';
  return type === 2 ? 'Bind' : undefined;
}

function rolesOf(entity: PeerEntity, field: string, notes: EntityNotes): string[] | undefined {
  const roles = sortedSetIfAny(entity, field);
  // What the roles name is checked together with all other references.
  const problem = checkRoles(roles ?? [], () => true);
  if (problem !== undefined) {
    notes.kept(`Its ${field} are kept, although they are refused at a write: ${problem.reason}.`);
  }
  return roles;
}
