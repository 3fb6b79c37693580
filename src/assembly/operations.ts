// Lists every operation of all APIs: the published ones, and our own for explanations and for
// inspecting the controller.

import type { Operation } from '../declare/operations/operation.ts';
import { operationsOf } from '../declare/resources/crud.ts';
import { explain } from '../explain/explain.ts';
import { inspections } from '../inspect/server/inspections/inspect-operation.ts';
import { instanceAccess } from '../inspect/server/instances/access-groups.ts';
import { instanceTransitions } from '../inspect/server/instances/instance-transitions.ts';
import { recordSearch } from '../inspect/server/instances/record-search.ts';
import { auditFeed } from '../inspect/server/log/audit.ts';
import { logOperations } from '../inspect/server/log/log-operations.ts';
import { figuresOperations } from '../inspect/server/machines/figures.ts';
import { machineOperations } from '../inspect/server/machines/machine-operations.ts';
import { createInspectTicket } from '../inspect/server/stream/ticket-operation.ts';
import { dataIntegrity } from '../integrity/operations.ts';
import { oidcOperations } from '../oidc/index.ts';
import { authenticateMfa } from '../resources/authentication/authenticate-mfa.ts';
import { authenticate } from '../resources/authentication/authentication.ts';
import { revertAuthenticator } from '../resources/authenticators/authenticator-revert.ts';
import { ownCertificateExtension } from '../resources/authenticators/own-certificate-extension.ts';
import { cluster } from '../resources/controller/cluster.ts';
import { clusterInvitations } from '../resources/controller/cluster-invitations.ts';
import { controllers } from '../resources/controller/controllers.ts';
import { databaseSnapshots } from '../resources/controller/database.ts';
import { enrollmentKeys } from '../resources/controller/enrollment-keys.ts';
import { information } from '../resources/controller/information.ts';
import { network } from '../resources/controller/network.ts';
import { summary } from '../resources/controller/summary.ts';
import { enroll } from '../resources/enrollments/enroll.ts';
import { extendRouter } from '../resources/enrollments/enroll-router.ts';
import { fabricTerminatorLists } from '../resources/fabric/terminators.ts';
import { identityServiceConfigs } from '../resources/identities/identity-service-config.ts';
import { identityTrace } from '../resources/identities/identity-trace.ts';
import { fabricResources, resources } from '../resources/index.ts';
import { removeIdentityMfa } from '../resources/mfa/identity-mfa.ts';
import { ownMfa, ownRecoveryCodes } from '../resources/mfa/own-mfa.ts';
import { totpToken } from '../resources/mfa/totp-token.ts';
import { policyAdvice } from '../resources/policies/policy-advice.ts';
import { roleAttributeUsage } from '../resources/policies/role-attribute-usage.ts';
import { roleAttributes } from '../resources/policies/role-attributes.ts';
import { failedServiceRequests } from '../resources/posture/failed-service-requests.ts';
import { postureResponses } from '../resources/posture/posture-response.ts';
import { postureDataOfIdentity } from '../resources/posture/posture-view.ts';
import { accessibleEdgeRouterOperations } from '../resources/routers/accessible-edge-router.ts';
import { routerModelOperations } from '../resources/routers/router-model.ts';
import { serviceFailures } from '../resources/services/failed-dials.ts';
import {
  configLists,
  edgeRouterLists,
  identityEnrollments,
  identityLists,
  policyLists,
  serviceLists,
  serviceTerminators,
} from '../resources/sub-lists.ts';
import { usage } from '../resources/usage/usage.ts';
import type { ControllerEnvironment } from './controller-environment.ts';

/** In the order of the API description. */
export const operations: readonly Operation<ControllerEnvironment>[] = [
  ...information,
  ...network,
  ...controllers,
  summary,
  ...databaseSnapshots,
  ...cluster,
  ...clusterInvitations,
  ...dataIntegrity,
  authenticate,
  authenticateMfa,
  ...enroll,
  extendRouter,
  ...enrollmentKeys,
  identityEnrollments,
  revertAuthenticator,
  ...serviceTerminators,
  ...resources.flatMap(operationsOf),
  ...fabricResources.flatMap(operationsOf),
  ...fabricTerminatorLists,
  ...accessibleEdgeRouterOperations,
  ...routerModelOperations,
  ...configLists,
  ...edgeRouterLists,
  ...identityLists,
  ...identityServiceConfigs,
  identityTrace,
  failedServiceRequests,
  serviceFailures,
  postureDataOfIdentity,
  ...postureResponses,
  removeIdentityMfa,
  ...ownCertificateExtension,
  ...ownMfa,
  ...ownRecoveryCodes,
  totpToken,
  policyAdvice,
  explain,
  ...policyLists,
  ...roleAttributes,
  ...roleAttributeUsage,
  ...serviceLists,
  ...usage,
  inspections,
  ...machineOperations,
  instanceTransitions,
  instanceAccess,
  recordSearch,
  ...logOperations,
  ...figuresOperations,
  createInspectTicket,
  auditFeed,
  ...oidcOperations,
];
