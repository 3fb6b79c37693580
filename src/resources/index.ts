// The only registry of kinds, resources and operations.

import { operationsOf } from '../declare/crud.ts';
import type { Kind } from '../declare/kind.ts';
import type { Operation } from '../declare/operation.ts';
import type { Resource } from '../declare/resource.ts';
import { accessibleEdgeRouterOperations, accessibleEdgeRouters } from './accessible-edge-router.ts';
import { apiSessionKind, apiSessions } from './api-session.ts';
import { authPolicies, authPolicyKind } from './auth-policy.ts';
import { authenticateMfa } from './authenticate-mfa.ts';
import { authenticate } from './authentication.ts';
import { authenticatorKind } from './authenticator.ts';
import { revertAuthenticator } from './authenticator-revert.ts';
import { caKind, cas } from './ca.ts';
import { configKind, configs } from './config.ts';
import { configLists } from './config-lists.ts';
import { configTypeKind, configTypes } from './config-type.ts';
import { controllers } from './controllers.ts';
import { databaseSnapshot, dataIntegrity } from './database.ts';
import { edgeRouters } from './edge-router.ts';
import { edgeRouterLists } from './edge-router-lists.ts';
import { edgeRouterPolicies, edgeRouterPolicyKind } from './edge-router-policy.ts';
import { enroll } from './enroll.ts';
import { extendRouter } from './enroll-router.ts';
import { enrollmentKind } from './enrollment.ts';
import { enrollmentKeys } from './enrollment-keys.ts';
import { explain } from './explain.ts';
import {
  clientExternalJwtSigners,
  externalJwtSignerKind,
  externalJwtSigners,
} from './external-jwt-signer.ts';
import { failedServiceRequests } from './failed-service-requests.ts';
import { identities, identityKind } from './identity.ts';
import { identityEnrollments } from './identity-enrollments.ts';
import { identityLists } from './identity-lists.ts';
import { removeIdentityMfa } from './identity-mfa.ts';
import { identityServiceConfigs } from './identity-service-config.ts';
import { identityTrace } from './identity-trace.ts';
import { identityTypeKind, identityTypes } from './identity-type.ts';
import { information } from './information.ts';
import { authenticators } from './managed-authenticator.ts';
import { mfaEnrollmentKind } from './mfa-enrollment.ts';
import { network } from './network.ts';
import { enrollments } from './outstanding-enrollment.ts';
import { ownAuthenticators } from './own-authenticator.ts';
import { ownCertificateExtension } from './own-certificate-extension.ts';
import { ownMfa } from './own-mfa.ts';
import { ownRecoveryCodes } from './own-recovery-codes.ts';
import { ownSessionCertificates } from './own-session-certificate.ts';
import { policyAdvice } from './policy-advice.ts';
import { policyLists } from './policy-lists.ts';
import { postureCheckKind, postureChecks } from './posture-check.ts';
import { postureCheckTypeKind, postureCheckTypes } from './posture-check-type.ts';
import { postureDataKind } from './posture-data.ts';
import { postureResponses } from './posture-response.ts';
import { postureDataOfIdentity } from './posture-view.ts';
import { roleAttributes } from './role-attributes.ts';
import { routerKind } from './router.ts';
import { serviceKind, services } from './service.ts';
import {
  serviceEdgeRouterPolicies,
  serviceEdgeRouterPolicyKind,
} from './service-edge-router-policy.ts';
import { serviceLists } from './service-lists.ts';
import { servicePolicies, servicePolicyKind } from './service-policy.ts';
import { serviceTerminators } from './service-terminators.ts';
import { sessionKind, sessions } from './session.ts';
import { sessionCertificateKind } from './session-certificate.ts';
import { summary } from './summary.ts';
import { clientTerminators, terminatorKind, terminators } from './terminator.ts';
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
  // A further face of a path comes behind its first one.
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
