// The lists of records that belong to one record: those that refer to it, and those that policies
// give it or link with it (behaviour/requests#operations, behaviour/policies#lists).

import Type from 'typebox';
import type { MemberSpace, PolicyFamily } from '../declare/kinds/access-vocabulary.ts';
import { listReply, type RowSource } from '../declare/lists/list.ts';
import type { Resource } from '../declare/resources/resource.ts';
import { subList } from '../declare/resources/sub-list.ts';
import { fieldError } from '../errors/errors.ts';
import { configKind } from '../records/config.ts';
import { servicePolicyKind } from '../records/service-policy.ts';
import { terminatorKind } from '../records/terminator.ts';
import type { Row } from '../store/record.ts';
import { authenticators } from './authenticators/managed-authenticator.ts';
import { configs } from './configs/config.ts';
import { configTypes } from './configs/config-type.ts';
import { type Context, type DefinedResource, type Operation, operation } from './context.ts';
import { enrollments } from './enrollments/outstanding-enrollment.ts';
import { identities } from './identities/identity.ts';
import { selectedRows } from './policies/access-rows.ts';
import { edgeRouterPolicies } from './policies/edge-router-policy.ts';
import { serviceEdgeRouterPolicies } from './policies/service-edge-router-policy.ts';
import { servicePolicies } from './policies/service-policy.ts';
import { postureChecks } from './posture/posture-check.ts';
import { edgeRouters } from './routers/edge-router.ts';
import { services, visibleService } from './services/service.ts';
import { clientTerminators, terminators } from './services/terminator.ts';

/** The query parameter `policyType` (behaviour/identities#lists). */
const policyType = Type.Enum(['dial', 'bind']);
const configTypesRequested = Type.Array(Type.String());

/** Outstanding and expired ones; completed ones are gone (behaviour/enrollment#outstanding). */
export const identityEnrollments = ownedList(
  'getIdentityEnrollments',
  identities,
  enrollments,
  'identityId',
);

/** The operations of both APIs; the client's operation shows fewer fields and fewer services. */
export const serviceTerminators: readonly Operation[] = [
  ownedList('listServiceTerminators', services, terminators, 'service'),
  operation({
    id: 'listServiceTerminators',
    apis: ['client'],
    path: '/services/{id}/terminators',
    answered: 'leader',
    access: 'full',
    summary: 'List the terminators of a service that policies let the caller dial or bind',
    answer: Type.Array(clientTerminators.answerSchema),
    isList: true,
    errors: [400, 401, 404, 429],
    decide(context) {
      const { record } = visibleService(context, context.params['id'] ?? '');
      const rows = context.env.store.table(terminatorKind).members('service', record.id);
      return listReply(context, context.env.registry.of(clientTerminators), { form: 'rows', rows });
    },
  }),
];

/** `/config-types/{id}/configs` and `/configs/{id}/services` */
export const configLists: readonly Operation[] = [
  ownedList('listConfigsForConfigType', configTypes, configs, 'configTypeId'),
  subList({
    id: 'listConfigServices',
    of: configs,
    lists: services,
    summary: 'List the services that a config is attached to',
    query: { configTypes: configTypesRequested },
    rows: ownedRows(services, 'configs'),
  }),
];

/** `/edge-routers/{id}/…` */
export const edgeRouterLists: readonly Operation[] = [
  policyList('listEdgeRouterEdgeRouterPolicies', edgeRouters, edgeRouterPolicies),
  subList({
    id: 'listEdgeRouterIdentities',
    of: edgeRouters,
    lists: identities,
    summary: 'List the identities that may use an edge router',
    rows: linkedRows('router', 'edgeRouterPolicy', 'identity'),
  }),
  subList({
    id: 'listEdgeRouterServices',
    of: edgeRouters,
    lists: services,
    summary: 'List the services that may be reached through an edge router',
    rows: linkedRows('router', 'serviceEdgeRouterPolicy', 'service'),
  }),
  policyList('listEdgeRouterServiceEdgeRouterPolicies', edgeRouters, serviceEdgeRouterPolicies),
  subList({
    id: 'listEdgeRouterServicePolicies',
    of: edgeRouters,
    lists: servicePolicies,
    summary: 'List the service policies whose identities and services meet on an edge router',
    rows: meetingPolicies,
  }),
];

/** `/identities/{id}/…` */
export const identityLists: readonly Operation[] = [
  policyList('listIdentitysEdgeRouterPolicies', identities, edgeRouterPolicies),
  subList({
    id: 'listIdentityEdgeRouters',
    of: identities,
    lists: edgeRouters,
    summary: 'List the edge routers that an identity may use',
    rows: linkedRows('identity', 'edgeRouterPolicy', 'router'),
  }),
  policyList('listIdentityServicePolicies', identities, servicePolicies),
  subList({
    id: 'listIdentityServices',
    of: identities,
    lists: services,
    summary: 'List the services that an identity may dial or bind, as it sees them',
    query: { policyType, configTypes: configTypesRequested },
    rows(context, identity) {
      // With permissions, config and posture of that identity, not of the administrator who calls.
      if (context.caller.isAdmin) context.seeAs(identity.record);
      return linkedRows('identity', 'servicePolicy', 'service')(context, identity);
    },
  }),
  ownedList('getIdentityAuthenticators', identities, authenticators, 'identityId'),
];

/** `/edge-router-policies/{id}/…`, `/service-edge-router-policies/{id}/…` and so on. */
export const policyLists: readonly Operation[] = [
  sideList('listEdgeRouterPolicyEdgeRouters', edgeRouterPolicies, edgeRouters),
  sideList('listEdgeRouterPolicyIdentities', edgeRouterPolicies, identities),
  sideList('listServiceEdgeRouterPolicyEdgeRouters', serviceEdgeRouterPolicies, edgeRouters),
  sideList('listServiceEdgeRouterPolicyServices', serviceEdgeRouterPolicies, services),
  sideList('listServicePolicyIdentities', servicePolicies, identities),
  sideList('listServicePolicyPostureChecks', servicePolicies, postureChecks),
  sideList('listServicePolicyServices', servicePolicies, services),
];

/** `/services/{id}/…` */
export const serviceLists: readonly Operation[] = [
  subList({
    id: 'listServiceConfig',
    of: services,
    lists: configs,
    summary: 'List the configs of a service',
    rows: (context, { record }) => {
      const table = context.env.store.table(configKind);
      const { configs: ids = [] } = record;
      return { form: 'rows', rows: ids.flatMap((id) => table.find(id) ?? []) };
    },
  }),
  subList({
    id: 'listServiceEdgeRouters',
    of: services,
    lists: edgeRouters,
    summary: 'List the edge routers that a service may use',
    rows: linkedRows('service', 'serviceEdgeRouterPolicy', 'router'),
  }),
  subList({
    id: 'listServiceIdentities',
    of: services,
    lists: identities,
    summary: 'List the identities that may dial or bind a service',
    query: { policyType },
    rows: linkedRows('service', 'servicePolicy', 'identity'),
  }),
  policyList('listServiceServiceEdgeRouterPolicies', services, serviceEdgeRouterPolicies),
  policyList('listServiceServicePolicies', services, servicePolicies),
];

/** The records whose field holds the owner's id. */
function ownedList(id: string, of: Resource, lists: DefinedResource, field: string): Operation {
  const summary = `List the ${inWords(lists)} of ${withArticle(of)}`;
  return subList({ id, of, lists, summary, rows: ownedRows(lists, field) });
}

function ownedRows({ kind }: Resource, field: string) {
  return ({ env }: Context, { record }: Row): RowSource => {
    return { form: 'rows', rows: env.store.tableNamed(kind.kind).members(field, record.id) };
  };
}

/** The policies of a family that select the owner. */
function policyList(id: string, of: Resource, lists: DefinedResource): Operation {
  const { family, space } = sideOf(lists, of);
  return subList({
    id,
    of,
    lists,
    summary: `List the ${inWords(lists)} that select ${withArticle(of)}`,
    rows: (context, { slot }) =>
      selectedRows(context, family, context.env.access.policiesOf(space, slot, family)),
  });
}

/** The members that one side of the owner, a policy, selects. */
function sideList(id: string, of: Resource, lists: DefinedResource): Operation {
  const { family, space } = sideOf(of, lists);
  return subList({
    id,
    of,
    lists,
    summary: `List the ${inWords(lists)} that a ${of.title} selects`,
    rows: (context, { slot }) =>
      selectedRows(context, family, context.env.access.membersOf(family, slot, space)),
  });
}

/** Family and space come from the declarations of the two kinds. */
function sideOf(policies: Resource, members: Resource) {
  const { policy } = policies.kind;
  const { member } = members.kind;
  if (policy === undefined || member === undefined) throw new Error('no side of a policy');
  return { family: policy.family, space: member.space };
}

/**
 * The members of a space that any policy of a family links with the owner. For service policies the
 * request may ask for one type.
 */
function linkedRows(from: MemberSpace, family: PolicyFamily, to: MemberSpace) {
  return (context: Context, { slot }: Row) => {
    const { access, store } = context.env;
    const table = store.table(servicePolicyKind);
    const type = family === 'servicePolicy' ? askedPolicyType(context) : undefined;
    const policies = access
      .policiesOf(from, slot, family)
      .filter((at) => type === undefined || table.at(at)?.record.type === type);
    return selectedRows(context, family, access.membersOfAny(family, policies, to));
  };
}

/**
 * The policies that the query parameter `policyType` selects, if it is given.
 * @throws ApiError COULD_NOT_VALIDATE for any word other than dial or bind.
 */
function askedPolicyType(context: Context): string | undefined {
  const text = context.query.get('policyType') ?? '';
  if (text === '') return undefined;
  const type = { dial: 'Dial', bind: 'Bind' }[text.toLowerCase()];
  if (type === undefined) throw fieldError('policyType', 'must be dial or bind', text);
  return type;
}

/**
 * A service policy names no routers. A policy concerns a router when it selects both an identity
 * and a service that may use the router.
 */
function meetingPolicies(context: Context, router: Row): RowSource {
  const { access } = context.env;
  const policiesVia = (family: PolicyFamily, side: 'identity' | 'service'): number[] => {
    const users = linkedRows('router', family, side)(context, router);
    return access.policiesOfAny(side, users.slots, 'servicePolicy');
  };
  const ofServices = new Set(policiesVia('serviceEdgeRouterPolicy', 'service'));
  const both = policiesVia('edgeRouterPolicy', 'identity').filter((at) => ofServices.has(at));
  return selectedRows(context, 'servicePolicy', both);
}

/** `edge router policies` */
function inWords({ path }: Resource): string {
  return path.replaceAll('-', ' ');
}

/** `an identity` */
function withArticle({ title }: Resource): string {
  return /^[aeiou]/.test(title) ? `an ${title}` : `a ${title}`;
}
