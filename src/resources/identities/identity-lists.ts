// Lists of records that belong to an identity, and of those that policies give it
// (behaviour/identities#lists).

import Type from 'typebox';
import { bindBit, dialBit } from '../../declare/access-vocabulary.ts';
import type { RowSource } from '../../declare/list.ts';
import type { Context, Operation } from '../../declare/operation.ts';
import { subList } from '../../declare/sub-list.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import type { Row } from '../../store/record.ts';
import { authenticators } from '../authenticators/managed-authenticator.ts';
import { policiesOf, selectedRows } from '../policies/access-rows.ts';
import { edgeRouterPolicies } from '../policies/edge-router-policy.ts';
import { askedPolicyType, policyTypeSchema } from '../policies/policy-fields.ts';
import { servicePolicies } from '../policies/service-policy.ts';
import { edgeRouters } from '../routers/edge-router.ts';
import { services } from '../services/service.ts';
import { identities } from './identity.ts';

/** `/identities/{id}/…` */
export const identityLists: readonly Operation[] = [
  subList({
    id: 'listIdentitysEdgeRouterPolicies',
    of: identities,
    lists: edgeRouterPolicies,
    summary: 'List the edge router policies that select an identity',
    rows: (context, { slot }) => policiesOf(context, 'edgeRouterPolicy', 'identity', slot),
  }),
  subList({
    id: 'listIdentityEdgeRouters',
    of: identities,
    lists: edgeRouters,
    summary: 'List the edge routers that an identity may use',
    rows: (context, { slot }) =>
      selectedRows(context, 'edgeRouterPolicy', context.env.access.routersOfIdentity(slot)),
  }),
  subList({
    id: 'listIdentityServicePolicies',
    of: identities,
    lists: servicePolicies,
    summary: 'List the service policies that select an identity',
    rows: (context, { slot }) => policiesOf(context, 'servicePolicy', 'identity', slot),
  }),
  subList({
    id: 'listIdentityServices',
    of: identities,
    lists: services,
    summary: 'List the services that an identity may dial or bind, as it sees them',
    query: { policyType: policyTypeSchema, configTypes: Type.Array(Type.String()) },
    rows: servicesOf,
  }),
  subList({
    id: 'getIdentityAuthenticators',
    of: identities,
    lists: authenticators,
    summary: 'List the authenticators of an identity',
    rows: (context, { record }) => ({
      form: 'rows',
      rows: context.env.store.table(authenticatorKind).members('identityId', record.id),
    }),
  }),
];

/** With permissions, config and posture of that identity, not of the administrator who calls. */
function servicesOf(context: Context, { record, slot }: Row): RowSource {
  context.seeAs(record);
  const type = askedPolicyType(context);
  const { slots, bits } = context.env.access.visibleServices(slot);
  if (type === undefined) return selectedRows(context, 'servicePolicy', slots);
  const bit = type === 'Dial' ? dialBit : bindBit;
  const chosen = slots.filter((_, i) => ((bits[i] ?? 0) & bit) !== 0);
  return selectedRows(context, 'servicePolicy', chosen);
}
