// The only registry of kinds, resources and operations.

import { operationsOf } from '../declare/crud.ts';
import type { Kind } from '../declare/kind.ts';
import type { Operation } from '../declare/operation.ts';
import type { Resource } from '../declare/resource.ts';
import { apiSessionKind, apiSessions } from './api-session.ts';
import { authPolicies, authPolicyKind } from './auth-policy.ts';
import { authenticate } from './authentication.ts';
import { authenticatorKind, authenticators } from './authenticator.ts';
import { caKind } from './ca.ts';
import { configKind, configs } from './config.ts';
import { configTypeKind, configTypes } from './config-type.ts';
import { edgeRouters } from './edge-router.ts';
import { edgeRouterPolicies, edgeRouterPolicyKind } from './edge-router-policy.ts';
import { enrollmentKind } from './enrollment.ts';
import { externalJwtSignerKind } from './external-jwt-signer.ts';
import { identities, identityKind } from './identity.ts';
import { identityTypeKind, identityTypes } from './identity-type.ts';
import { information } from './information.ts';
import { mfaEnrollmentKind } from './mfa-enrollment.ts';
import { postureCheckKind } from './posture-check.ts';
import { postureCheckTypeKind, postureCheckTypes } from './posture-check-type.ts';
import { routerKind } from './router.ts';
import { serviceKind, services } from './service.ts';
import {
  serviceEdgeRouterPolicies,
  serviceEdgeRouterPolicyKind,
} from './service-edge-router-policy.ts';
import { servicePolicies, servicePolicyKind } from './service-policy.ts';
import { sessionKind, sessions } from './session.ts';
import { sessionCertificateKind } from './session-certificate.ts';
import { terminatorKind } from './terminator.ts';

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
  configs,
  configTypes,
  edgeRouterPolicies,
  edgeRouters,
  identities,
  identityTypes,
  postureCheckTypes,
  serviceEdgeRouterPolicies,
  servicePolicies,
  services,
  sessions,
];

/** Every operation of both APIs. */
export const operations: readonly Operation[] = [
  ...information,
  authenticate,
  ...resources.flatMap(operationsOf),
];
