// Lists of the policies that concern an edge router, and of the identities and services that may
// use it (behaviour/policies#lists).

import type { RowSource } from '../../declare/list.ts';
import type { Context, Operation } from '../../declare/operation.ts';
import { subList } from '../../declare/sub-list.ts';
import type { Row } from '../../store/record.ts';
import { identities } from '../identities/identity.ts';
import { linkedRows, noteFamily, policiesOf, selectedRows } from '../policies/access-rows.ts';
import { edgeRouterPolicies } from '../policies/edge-router-policy.ts';
import { serviceEdgeRouterPolicies } from '../policies/service-edge-router-policy.ts';
import { servicePolicies } from '../policies/service-policy.ts';
import { services } from '../services/service.ts';
import { edgeRouters } from './edge-router.ts';

/** `/edge-routers/{id}/…` */
export const edgeRouterLists: readonly Operation[] = [
  subList({
    id: 'listEdgeRouterEdgeRouterPolicies',
    of: edgeRouters,
    lists: edgeRouterPolicies,
    summary: 'List the edge router policies that select an edge router',
    rows: (context, { slot }) => policiesOf(context, 'edgeRouterPolicy', 'router', slot),
  }),
  subList({
    id: 'listEdgeRouterIdentities',
    of: edgeRouters,
    lists: identities,
    summary: 'List the identities that may use an edge router',
    rows: (context, { slot }) =>
      linkedRows(context, 'edgeRouterPolicy', { space: 'router', slot }, 'identity'),
  }),
  subList({
    id: 'listEdgeRouterServices',
    of: edgeRouters,
    lists: services,
    summary: 'List the services that may be reached through an edge router',
    rows: (context, { slot }) =>
      linkedRows(context, 'serviceEdgeRouterPolicy', { space: 'router', slot }, 'service'),
  }),
  subList({
    id: 'listEdgeRouterServiceEdgeRouterPolicies',
    of: edgeRouters,
    lists: serviceEdgeRouterPolicies,
    summary: 'List the service edge router policies that select an edge router',
    rows: (context, { slot }) => policiesOf(context, 'serviceEdgeRouterPolicy', 'router', slot),
  }),
  subList({
    id: 'listEdgeRouterServicePolicies',
    of: edgeRouters,
    lists: servicePolicies,
    summary: 'List the service policies whose identities and services meet on an edge router',
    rows: meetingPolicies,
  }),
];

/**
 * A service policy names no routers. A policy concerns a router when it selects both an identity
 * and a service that may use the router.
 */
function meetingPolicies(context: Context, { slot }: Row): RowSource {
  const { access } = context.env;
  const policiesVia = (
    side: 'identity' | 'service',
    family: 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy',
  ): readonly number[] => {
    noteFamily(context, family);
    const links = access.policiesOf('router', slot, family);
    const users = access.membersOfAny(family, links, side);
    return access.policiesOfAny(side, users, 'servicePolicy');
  };
  const ofServices = new Set(policiesVia('service', 'serviceEdgeRouterPolicy'));
  const both = policiesVia('identity', 'edgeRouterPolicy').filter((at) => ofServices.has(at));
  return selectedRows(context, 'servicePolicy', both);
}
