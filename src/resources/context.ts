// The parts of the controller that resources and explanations may use, and the requests, operations
// and resources that are bound to them.

import type { AccessPart } from '../access/access-part.ts';
import type { AuthPart } from '../auth/auth-part.ts';
import type { Fields } from '../declare/kinds/field.ts';
import type { Environment } from '../declare/operations/environment.ts';
import {
  type Context as ContextFor,
  type Operation as OperationFor,
  operationFor,
} from '../declare/operations/operation.ts';
import { defineResourceFor } from '../declare/resources/crud.ts';
import type { DefinedResource as DefinedResourceFor } from '../declare/resources/resource.ts';
import type { PkiPart } from '../pki/pki-part.ts';
import type { PosturePart } from '../posture/posture-part.ts';
import type { RoutersPart } from '../routers/routers-part.ts';

/** The parts of the controller that resources may use. */
export type ResourceEnvironment = Environment &
  AccessPart &
  AuthPart &
  PkiPart &
  PosturePart &
  RoutersPart;

/** A request as resources see it. */
export type Context<Body = unknown> = ContextFor<Body, ResourceEnvironment>;

/** An operation that uses nothing above resources. */
export type Operation = OperationFor<ResourceEnvironment>;

/** Declares an operation. */
export const operation = operationFor<ResourceEnvironment>();

/** A declared resource. */
export type DefinedResource<F extends Fields = Fields> = DefinedResourceFor<F, ResourceEnvironment>;

/** Declares a resource. */
export const defineResource = defineResourceFor<ResourceEnvironment>();
