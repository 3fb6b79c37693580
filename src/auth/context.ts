// The parts of the controller that authentication may use, and requests bound to them.

import type { Environment } from '../declare/operations/environment.ts';
import type { Context as ContextFor } from '../declare/operations/operation.ts';
import type { AuthPart } from './auth-part.ts';

/** The parts of the controller that authentication may use. */
export type AuthEnvironment = Environment & AuthPart;

/** A request as authentication sees it. */
export type Context<Body = unknown> = ContextFor<Body, AuthEnvironment>;
