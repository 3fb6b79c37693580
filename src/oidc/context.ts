// The parts of the controller that the OIDC provider may use, and requests bound to them.

import {
  type Context as ContextFor,
  type Operation as OperationFor,
  operationFor,
} from '../declare/operations/operation.ts';
import type { ResourceEnvironment } from '../resources/context.ts';
import type { OidcPart } from './oidc-part.ts';

/** The parts of the controller that the provider may use. */
export type OidcEnvironment = ResourceEnvironment & OidcPart;

/** A request as the provider sees it. */
export type Context<Body = unknown> = ContextFor<Body, OidcEnvironment>;

/** An operation of the provider. */
export type Operation = OperationFor<OidcEnvironment>;

/** Declares an operation. */
export const operation = operationFor<OidcEnvironment>();
