// The policies in an explanation: those that select identity, service or both, and the matching
// roles.

import type { AccessType, PolicyFamily } from '../declare/kinds/access-vocabulary.ts';
import { edgeRouterPolicyKind } from '../records/edge-router-policy.ts';
import { serviceEdgeRouterPolicyKind } from '../records/service-edge-router-policy.ts';
import { servicePolicyKind } from '../records/service-policy.ts';
import type { Context } from '../resources/context.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import type { EvaluatedChecks } from './posture.ts';
import type { ExplainedRouterPolicies, ExplainedServicePolicy } from './schema.ts';
import { explainBounds, linkInWords } from './sentence-parts.ts';

/** The identity and the service of an explanation. */
export interface Pair {
  readonly identity: Row;
  readonly service: Row;
}

/** Slots of service policies, by the members of the pair that they select. */
export interface PolicyMatches {
  readonly linking: Readonly<Record<AccessType, readonly number[]>>;
  /** Policies that select one of the two. */
  readonly identityOnly: Readonly<Record<AccessType, readonly number[]>>;
  readonly serviceOnly: Readonly<Record<AccessType, readonly number[]>>;
  readonly neitherTotal: number;
}

/** Groups the service policies by the members that they select. */
export function policyMatches({ env }: Context, { identity, service }: Pair): PolicyMatches {
  const { access, store } = env;
  const own = access.policiesOf('identity', identity.slot, 'servicePolicy');
  const others = access.policiesOf('service', service.slot, 'servicePolicy');
  const table = store.table(servicePolicyKind);
  const byType = (slots: readonly number[]) => {
    const sorted: Record<AccessType, number[]> = { Dial: [], Bind: [] };
    for (const slot of slots) sorted[table.at(slot)?.record.type ?? 'Dial'].push(slot);
    return sorted;
  };
  const isOwn = new Set(own);
  const isOther = new Set(others);
  const both = own.filter((slot) => isOther.has(slot));
  const selecting = own.length + others.length - both.length;
  return {
    linking: byType(both),
    identityOnly: byType(own.filter((slot) => !isOther.has(slot))),
    serviceOnly: byType(others.filter((slot) => !isOwn.has(slot))),
    neitherTotal: table.count() - selecting,
  };
}

/** The slots of `lists`, a first one of each, then a second one, `most` in all. */
function inTurns(lists: readonly (readonly number[])[], most: number): number[] {
  const taken: number[] = [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let at = 0; at < longest && taken.length < most; at++) {
    for (const list of lists) {
      const slot = list[at];
      if (slot !== undefined && taken.length < most) taken.push(slot);
    }
  }
  return taken;
}

/** The service policies to show, in full: those that link the two come first. */
export function shownPolicies(
  context: Context,
  pair: Pair,
  matches: PolicyMatches,
  evaluated: EvaluatedChecks,
): ExplainedServicePolicy[] {
  const { explainPoliciesMax } = boundsOf(explainBounds, context.env.bounds);
  const { linking, identityOnly, serviceOnly } = matches;
  const first = inTurns([linking.Dial, linking.Bind], explainPoliciesMax);
  const nearest = inTurns(
    [serviceOnly.Dial, identityOnly.Dial, serviceOnly.Bind, identityOnly.Bind],
    explainPoliciesMax - first.length,
  );
  return [...first, ...nearest].flatMap((slot) => explained(context, pair, slot, evaluated) ?? []);
}

function explained(
  { env }: Context,
  { identity, service }: Pair,
  slot: number,
  evaluated: EvaluatedChecks,
): ExplainedServicePolicy | undefined {
  const { access, store, bounds } = env;
  const row = store.table(servicePolicyKind).at(slot);
  const { explainEntriesMax: most } = boundsOf(explainBounds, bounds);
  const ofIdentity = access.matchOf('servicePolicy', slot, 'identity', identity.slot, most);
  const ofService = access.matchOf('servicePolicy', slot, 'service', service.slot, most);
  if (row === undefined || ofIdentity === undefined || ofService === undefined) return undefined;
  const { id, name, type, semantic } = row.record;
  const sides = { semantic, identity: ofIdentity, service: ofService };
  return {
    id,
    name,
    type,
    ...sides,
    isLinking: ofIdentity.isMatching && ofService.isMatching,
    inWords: linkInWords(sides),
    ...evaluated.ofPolicy(slot),
  };
}

/** The policies that give routers to an identity or a service. */
export function routerPolicies(
  { env }: Context,
  family: Exclude<PolicyFamily, 'servicePolicy'>,
  side: 'identity' | 'service',
  member: number,
): ExplainedRouterPolicies {
  const { access, store, bounds } = env;
  const { explainEntriesMax: most, explainPoliciesMax } = boundsOf(explainBounds, bounds);
  const table =
    family === 'edgeRouterPolicy'
      ? store.table(edgeRouterPolicyKind)
      : store.table(serviceEdgeRouterPolicyKind);
  const slots = access.policiesOf(side, member, family);
  const shown = slots.slice(0, explainPoliciesMax).flatMap((slot) => {
    const record = table.at(slot)?.record;
    const match = access.matchOf(family, slot, side, member, most);
    const routers = access.matchOf(family, slot, 'router', noMember, most);
    if (record === undefined || match === undefined || routers === undefined) return [];
    const { id, name, semantic } = record;
    const routerCount = access.membersOf(family, slot, 'router').length;
    return [{ id, name, semantic, matchedBy: match.matchedBy, routerCount, gone: routers.gone }];
  });
  return { selecting: { total: slots.length, shown }, othersTotal: table.count() - slots.length };
}

/** Not a slot; for questions about a list alone. */
const noMember = -1;

/** The policy of this type that is nearest to linking identity and service, if none links them. */
export function nearestPolicy(
  policies: readonly ExplainedServicePolicy[],
  type: AccessType,
): ExplainedServicePolicy | undefined {
  return policies
    .filter((policy) => policy.type === type && !policy.isLinking)
    .reduce<ExplainedServicePolicy | undefined>(
      (best, policy) => (best === undefined || distance(policy) < distance(best) ? policy : best),
      undefined,
    );
}

/** The number of attributes that are missing for the policy to link the two. */
function distance({ semantic, identity, service }: ExplainedServicePolicy): number {
  const { lacks } = identity.isMatching ? service : identity;
  // A list without attributes needs an id, which ranks after attributes.
  if (lacks.total === 0) return Number.MAX_SAFE_INTEGER;
  return semantic === 'AllOf' ? lacks.total : 1;
}
