// Lists of records that belong to a service, and of those that policies link with it
// (behaviour/requests#operations).

import type { RowSource } from '../../declare/list.ts';
import type { Context, Operation } from '../../declare/operation.ts';
import { subList } from '../../declare/sub-list.ts';
import { configKind } from '../../records/config.ts';
import type { ServiceRecord } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { Row } from '../../store/record.ts';
import { configs } from '../configs/config.ts';
import { identities } from '../identities/identity.ts';
import { policiesOf, selectedRows } from '../policies/access-rows.ts';
import { askedPolicyType, policyTypeSchema } from '../policies/policy-fields.ts';
import { serviceEdgeRouterPolicies } from '../policies/service-edge-router-policy.ts';
import { servicePolicies } from '../policies/service-policy.ts';
import { edgeRouters } from '../routers/edge-router.ts';
import { services } from './service.ts';

/** `/services/{id}/…` */
export const serviceLists: readonly Operation[] = [
  subList({
    id: 'listServiceConfig',
    of: services,
    lists: configs,
    summary: 'List the configs of a service',
    rows: (context, { record }) => {
      const table = context.env.store.table(configKind);
      const ids = (record as ServiceRecord).configs;
      return { form: 'rows', rows: ids.flatMap((id) => table.find(id) ?? []) };
    },
  }),
  subList({
    id: 'listServiceEdgeRouters',
    of: services,
    lists: edgeRouters,
    summary: 'List the edge routers that a service may use',
    rows: (context, { slot }) =>
      selectedRows(context, 'serviceEdgeRouterPolicy', context.env.access.routersOfService(slot)),
  }),
  subList({
    id: 'listServiceIdentities',
    of: services,
    lists: identities,
    summary: 'List the identities that may dial or bind a service',
    query: { policyType: policyTypeSchema },
    rows: identitiesOf,
  }),
  subList({
    id: 'listServiceServiceEdgeRouterPolicies',
    of: services,
    lists: serviceEdgeRouterPolicies,
    summary: 'List the service edge router policies that select a service',
    rows: (context, { slot }) => policiesOf(context, 'serviceEdgeRouterPolicy', 'service', slot),
  }),
  subList({
    id: 'listServiceServicePolicies',
    of: services,
    lists: servicePolicies,
    summary: 'List the service policies that select a service',
    rows: (context, { slot }) => policiesOf(context, 'servicePolicy', 'service', slot),
  }),
];

function identitiesOf(context: Context, { slot }: Row): RowSource {
  const { access, store } = context.env;
  const type = askedPolicyType(context);
  const policies = access.policiesOf('service', slot, 'servicePolicy');
  const table = store.table(servicePolicyKind);
  const chosen =
    type === undefined ? policies : policies.filter((at) => table.at(at)?.record.type === type);
  const slots = access.membersOfAny('servicePolicy', chosen, 'identity');
  return selectedRows(context, 'servicePolicy', slots);
}
