// The parts of the controller that the control plane of routers may use, and those of the plane
// itself.

import type { AccessPart } from '../access/access-part.ts';
import type { AuthPart } from '../auth/auth-part.ts';
import type { Environment } from '../declare/operations/environment.ts';
import type { Log } from '../observe/logs.ts';
import type { PkiPart } from '../pki/pki-part.ts';
import type { Random } from '../platform/ports.ts';
import type { PosturePart } from '../posture/posture-part.ts';
import type { DurableFrames } from '../store/durable-frames.ts';
import type { ConnectedRouters } from './router-feature.ts';
import type { RoutersPart } from './routers-part.ts';

/** The parts of the controller that the control plane may use. */
export type RoutersEnvironment = Environment &
  AccessPart &
  AuthPart &
  PkiPart &
  PosturePart &
  RoutersPart;

/** What the parts of the control plane of routers work with. */
export interface RoutersContext {
  readonly env: RoutersEnvironment;
  readonly durable: DurableFrames;
  readonly log: Log;
  readonly random: Random;
  readonly connected: ConnectedRouters;
}
