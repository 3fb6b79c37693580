// All parts of a controller. Only this folder and tests know them together; each layer names what
// it may use in its own `context.ts`.

import type { AccessPart } from '../access/access-part.ts';
import type { AuthPart } from '../auth/auth-part.ts';
import type { Environment } from '../declare/operations/environment.ts';
import type { InspectPart } from '../inspect/server/inspect-part.ts';
import type { IntegrityPart } from '../integrity/integrity-part.ts';
import type { MonitoringPart } from '../monitoring/monitoring-part.ts';
import type { OidcPart } from '../oidc/oidc-part.ts';
import type { PkiPart } from '../pki/pki-part.ts';
import type { PosturePart } from '../posture/posture-part.ts';
import type { RoutersPart } from '../routers/routers-part.ts';

/** A running controller as all its operations together see it: one per controller. */
export type ControllerEnvironment = Environment &
  AccessPart &
  AuthPart &
  InspectPart &
  IntegrityPart &
  MonitoringPart &
  OidcPart &
  PkiPart &
  PosturePart &
  RoutersPart;
