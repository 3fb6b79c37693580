// All conversions, in an order in which references lead back.

import { apiSessionCertificates } from './api-session-certificates.ts';
import { apiSessions } from './api-sessions.ts';
import { authPolicies } from './auth-policies.ts';
import { authenticators } from './authenticators.ts';
import { cas } from './cas.ts';
import { configTypes } from './config-types.ts';
import { configs } from './configs.ts';
import type { Conversion } from './conversion.ts';
import { enrollments } from './enrollments.ts';
import { externalJwtSigners } from './external-jwt-signers.ts';
import { identities } from './identities.ts';
import { mfas } from './mfas.ts';
import { edgeRouterPolicies, serviceEdgeRouterPolicies, servicePolicies } from './policies.ts';
import { postureChecks } from './posture-checks.ts';
import { routers } from './routers.ts';
import { services } from './services.ts';
import { terminators } from './terminators.ts';

/** The conversions. What a record refers to is converted before it. */
export const conversions: readonly Conversion[] = [
  configTypes,
  configs,
  services,
  cas,
  externalJwtSigners,
  authPolicies,
  identities,
  authenticators,
  mfas,
  routers,
  enrollments,
  terminators,
  postureChecks,
  servicePolicies,
  edgeRouterPolicies,
  serviceEdgeRouterPolicies,
];

/** Those of API sessions come when the times of all other entities are known. */
export const sessionConversions: readonly Conversion[] = [apiSessions, apiSessionCertificates];
