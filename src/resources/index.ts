// Lists all kinds and resources.

import type { Kind } from '../declare/kinds/kind.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { authPolicyKind } from '../records/auth-policy.ts';
import { authRequestKind } from '../records/auth-request.ts';
import { authenticatorKind } from '../records/authenticator.ts';
import { caKind } from '../records/ca.ts';
import { circuitKind, circuitPathKind } from '../records/circuit.ts';
import { clusterInvitationKind } from '../records/cluster-invitation.ts';
import { configKind } from '../records/config.ts';
import { configTypeKind } from '../records/config-type.ts';
import { edgeRouterPolicyKind } from '../records/edge-router-policy.ts';
import { enrollmentKind } from '../records/enrollment.ts';
import { externalJwtSignerKind } from '../records/external-jwt-signer.ts';
import { identityKind } from '../records/identity.ts';
import { identityTypeKind } from '../records/identity-type.ts';
import { integrityRunKind } from '../records/integrity-run.ts';
import { linkKind } from '../records/link.ts';
import { mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import { postureCheckKind } from '../records/posture-check.ts';
import { postureCheckTypeKind } from '../records/posture-check-type.ts';
import { postureDataKind } from '../records/posture-data.ts';
import { revocationKind } from '../records/revocation.ts';
import { routerKind } from '../records/router.ts';
import { routerModelKind } from '../records/router-model.ts';
import { routerPresenceKind } from '../records/router-presence.ts';
import { serviceKind } from '../records/service.ts';
import { serviceEdgeRouterPolicyKind } from '../records/service-edge-router-policy.ts';
import { servicePolicyKind } from '../records/service-policy.ts';
import { sessionKind } from '../records/session.ts';
import { sessionCertificateKind } from '../records/session-certificate.ts';
import { terminatorKind } from '../records/terminator.ts';
import { tokenKeyKind } from '../records/token-key.ts';
import { usageKind, usagePairKind } from '../records/usage.ts';
import { wrongPasswordsKind } from '../records/wrong-passwords.ts';
import { apiSessions } from './api-sessions/api-session.ts';
import { ownSessionCertificates } from './api-sessions/own-session-certificate.ts';
import { authPolicies } from './authentication/auth-policy.ts';
import { revocations } from './authentication/revocations.ts';
import { authenticators } from './authenticators/managed-authenticator.ts';
import { ownAuthenticators } from './authenticators/own-authenticator.ts';
import { cas } from './cas/ca.ts';
import { configs } from './configs/config.ts';
import { configTypes } from './configs/config-type.ts';
import type { DefinedResource } from './context.ts';
import { enrollments } from './enrollments/outstanding-enrollment.ts';
import {
  clientExternalJwtSigners,
  externalJwtSigners,
} from './external-jwt-signers/external-jwt-signer.ts';
import { fabricCircuits } from './fabric/circuits.ts';
import { fabricLinks } from './fabric/links.ts';
import { fabricRouters } from './fabric/routers.ts';
import { fabricServices } from './fabric/services.ts';
import { fabricTerminators } from './fabric/terminators.ts';
import { identities } from './identities/identity.ts';
import { identityTypes } from './identities/identity-type.ts';
import { edgeRouterPolicies } from './policies/edge-router-policy.ts';
import { serviceEdgeRouterPolicies } from './policies/service-edge-router-policy.ts';
import { servicePolicies } from './policies/service-policy.ts';
import { postureChecks } from './posture/posture-check.ts';
import { postureCheckTypes } from './posture/posture-check-type.ts';
import { accessibleEdgeRouters } from './routers/accessible-edge-router.ts';
import { edgeRouters } from './routers/edge-router.ts';
import { routers, transitRouters } from './routers/transit-router.ts';
import { services } from './services/service.ts';
import { clientTerminators, terminators } from './services/terminator.ts';
import { sessions } from './sessions/session.ts';

/** Every kind. */
export const kinds: readonly Kind[] = [
  apiSessionKind,
  authenticatorKind,
  authPolicyKind,
  authRequestKind,
  caKind,
  circuitKind,
  circuitPathKind,
  clusterInvitationKind,
  configKind,
  configTypeKind,
  edgeRouterPolicyKind,
  enrollmentKind,
  externalJwtSignerKind,
  identityKind,
  identityTypeKind,
  integrityRunKind,
  linkKind,
  mfaEnrollmentKind,
  postureCheckKind,
  postureCheckTypeKind,
  postureDataKind,
  revocationKind,
  routerKind,
  routerModelKind,
  routerPresenceKind,
  serviceEdgeRouterPolicyKind,
  serviceKind,
  servicePolicyKind,
  sessionCertificateKind,
  sessionKind,
  terminatorKind,
  tokenKeyKind,
  usageKind,
  usagePairKind,
  wrongPasswordsKind,
];

/** Every resource that the edge APIs show. */
export const resources: readonly DefinedResource[] = [
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
  revocations,
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

/** Every resource that the fabric API shows: records of the same kinds in another view. */
export const fabricResources: readonly DefinedResource[] = [
  fabricCircuits,
  fabricLinks,
  fabricRouters,
  fabricServices,
  fabricTerminators,
];
