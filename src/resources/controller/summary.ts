// The number of records of each kind (behaviour/information#summary).

import Type from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import type { Store } from '../../store/store.ts';
import { operation } from '../context.ts';

/** The kind whose records each name counts. */
const counted = {
  apiSessions: 'apiSession',
  apiSessionCertificates: 'sessionCertificate',
  authPolicies: 'authPolicy',
  authenticators: 'authenticator',
  cas: 'ca',
  configs: 'config',
  configTypes: 'configType',
  edgeRouterPolicies: 'edgeRouterPolicy',
  enrollments: 'enrollment',
  externalJwtSigners: 'externalJwtSigner',
  identities: 'identity',
  identityTypes: 'identityType',
  mfas: 'mfaEnrollment',
  postureChecks: 'postureCheck',
  postureCheckTypes: 'postureCheckType',
  revocations: 'revocation',
  routers: 'router',
  serviceEdgeRouterPolicies: 'serviceEdgeRouterPolicy',
  servicePolicies: 'servicePolicy',
  services: 'service',
  sessions: 'session',
  terminators: 'terminator',
} as const;

/** The operation. */
export const summary = operation({
  id: 'listSummary',
  path: '/summary',
  answered: 'leader',
  permission: 'admin',
  summary: 'Count the records of each kind',
  answer: Type.Record(Type.String(), Type.Integer()),
  errors: [401, 429],
  decide: ({ env }) => detail([JSON.stringify(countsOf(env.store))]),
});

/** How many services the edge APIs do not show. */
function fabricServicesOf(store: Store): number {
  return store.table(serviceKind).group('isFabricOnly').count('true');
}

/** How many records there are, by the names of the summary. */
export function countsOf(store: Store): Record<string, number> {
  const counts: Record<string, number> = {
    // Counts this controller, and kinds that only exist in other controllers.
    controllers: 1,
    eventualEvents: 0,
    'routers.edge': 0,
  };
  for (const [name, kind] of Object.entries(counted)) {
    const table = store.tableNamed(kind);
    counts[name] = table.count();
  }
  counts['services'] = (counts['services'] ?? 0) - fabricServicesOf(store);
  store.table(routerKind).each(({ record }) => {
    if (record.isEdge) counts['routers.edge'] = (counts['routers.edge'] ?? 0) + 1;
  });
  return counts;
}
