// Lists all kinds, resources and operations.

import { operationsOf } from '../declare/crud.ts';
import type { Kind } from '../declare/kind.ts';
import type { Operation } from '../declare/operation.ts';
import type { Resource } from '../declare/resource.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { authPolicyKind } from '../records/auth-policy.ts';
import { authenticatorKind } from '../records/authenticator.ts';
import { caKind } from '../records/ca.ts';
import { configKind } from '../records/config.ts';
import { configTypeKind } from '../records/config-type.ts';
import { edgeRouterPolicyKind } from '../records/edge-router-policy.ts';
import { enrollmentKind } from '../records/enrollment.ts';
import { externalJwtSignerKind } from '../records/external-jwt-signer.ts';
import { identityKind } from '../records/identity.ts';
import { identityTypeKind } from '../records/identity-type.ts';
import { mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import { postureCheckKind } from '../records/posture-check.ts';
import { postureCheckTypeKind } from '../records/posture-check-type.ts';
import { postureDataKind } from '../records/posture-data.ts';
import { routerKind } from '../records/router.ts';
import { serviceKind } from '../records/service.ts';
import { serviceEdgeRouterPolicyKind } from '../records/service-edge-router-policy.ts';
import { servicePolicyKind } from '../records/service-policy.ts';
import { sessionKind } from '../records/session.ts';
import { sessionCertificateKind } from '../records/session-certificate.ts';
import { terminatorKind } from '../records/terminator.ts';
import { accessibleEdgeRouterOperations, accessibleEdgeRouters } from './accessible-edge-router.ts';
import { apiSessions } from './api-session.ts';
import { authPolicies } from './auth-policy.ts';
import { authenticateMfa } from './authenticate-mfa.ts';
import { authenticate } from './authentication.ts';
import { revertAuthenticator } from './authenticator-revert.ts';
import { cas } from './ca.ts';
import { configs } from './config.ts';
import { configLists } from './config-lists.ts';
import { configTypes } from './config-type.ts';
import { controllers } from './controllers.ts';
import { databaseSnapshot, dataIntegrity } from './database.ts';
import { edgeRouters } from './edge-router.ts';
import { edgeRouterLists } from './edge-router-lists.ts';
import { edgeRouterPolicies } from './edge-router-policy.ts';
import { enroll } from './enroll.ts';
import { extendRouter } from './enroll-router.ts';
import { enrollmentKeys } from './enrollment-keys.ts';
import { explain } from './explain.ts';
import { clientExternalJwtSigners, externalJwtSigners } from './external-jwt-signer.ts';
import { failedServiceRequests } from './failed-service-requests.ts';
import { identities } from './identity.ts';
import { identityEnrollments } from './identity-enrollments.ts';
import { identityLists } from './identity-lists.ts';
import { removeIdentityMfa } from './identity-mfa.ts';
import { identityServiceConfigs } from './identity-service-config.ts';
import { identityTrace } from './identity-trace.ts';
import { identityTypes } from './identity-type.ts';
import { information } from './information.ts';
import { authenticators } from './managed-authenticator.ts';
import { network } from './network.ts';
import { enrollments } from './outstanding-enrollment.ts';
import { ownAuthenticators } from './own-authenticator.ts';
import { ownCertificateExtension } from './own-certificate-extension.ts';
import { ownMfa } from './own-mfa.ts';
import { ownRecoveryCodes } from './own-recovery-codes.ts';
import { ownSessionCertificates } from './own-session-certificate.ts';
import { policyAdvice } from './policy-advice.ts';
import { policyLists } from './policy-lists.ts';
import { postureChecks } from './posture-check.ts';
import { postureCheckTypes } from './posture-check-type.ts';
import { postureResponses } from './posture-response.ts';
import { postureDataOfIdentity } from './posture-view.ts';
import { roleAttributes } from './role-attributes.ts';
import { services } from './service.ts';
import { serviceEdgeRouterPolicies } from './service-edge-router-policy.ts';
import { serviceLists } from './service-lists.ts';
import { servicePolicies } from './service-policy.ts';
import { serviceTerminators } from './service-terminators.ts';
import { sessions } from './session.ts';
import { summary } from './summary.ts';
import { clientTerminators, terminators } from './terminator.ts';
import { routers, transitRouters } from './transit-router.ts';

/** Every kind. */
export const kinds = [
  apiSessionKind,
  authenticatorKind,
  authPolicyKind,
  caKind,
  configKind,
  configTypeKind,
  edgeRouterPolicyKind,
  enrollmentKind,
  externalJwtSignerKind,
  identityKind,
  identityTypeKind,
  mfaEnrollmentKind,
  postureCheckKind,
  postureCheckTypeKind,
  postureDataKind,
  routerKind,
  serviceEdgeRouterPolicyKind,
  serviceKind,
  servicePolicyKind,
  sessionCertificateKind,
  sessionKind,
  terminatorKind,
] as unknown as readonly Kind[];

/** Every resource that the APIs show. */
export const resources: readonly Resource[] = [
  apiSessions,
  authenticators,
  authPolicies,
  cas,
  configs,
  configTypes,
  edgeRouterPolicies,
  edgeRouters,
  enrollments,
  externalJwtSigners,
  clientExternalJwtSigners,
  identities,
  identityTypes,
  postureChecks,
  postureCheckTypes,
  routers,
  serviceEdgeRouterPolicies,
  servicePolicies,
  services,
  sessions,
  terminators,
  clientTerminators,
  transitRouters,
  // A further resource of a path comes after its first one.
  accessibleEdgeRouters,
  ownAuthenticators,
  ownSessionCertificates,
];

/** Every operation of both APIs. */
export const operations: readonly Operation[] = [
  ...information,
  ...network,
  ...controllers,
  summary,
  databaseSnapshot,
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
  ...accessibleEdgeRouterOperations,
  ...configLists,
  ...edgeRouterLists,
  ...identityLists,
  ...identityServiceConfigs,
  identityTrace,
  failedServiceRequests,
  postureDataOfIdentity,
  ...postureResponses,
  removeIdentityMfa,
  ...ownCertificateExtension,
  ...ownMfa,
  ...ownRecoveryCodes,
  policyAdvice,
  explain,
  ...policyLists,
  ...roleAttributes,
  ...serviceLists,
];
