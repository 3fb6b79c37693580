// The parts of the controller that the inspector may use, and the requests, operations and lists of
// records that are bound to them.

import {
  type Context as ContextFor,
  type Operation as OperationFor,
  operationFor,
} from '../../declare/operations/operation.ts';
import { defineResourceFor } from '../../declare/resources/crud.ts';
import type { MonitoringPart } from '../../monitoring/monitoring-part.ts';
import type { ResourceEnvironment } from '../../resources/context.ts';
import type { InspectPart } from './inspect-part.ts';

/** The parts of the controller that the inspector may use. */
export type InspectEnvironment = ResourceEnvironment & InspectPart & MonitoringPart;

/** A request as the inspector sees it. */
export type Context<Body = unknown> = ContextFor<Body, InspectEnvironment>;

/** An operation that uses nothing above the inspector. */
export type Operation = OperationFor<InspectEnvironment>;

/** Declares an operation. */
export const operation = operationFor<InspectEnvironment>();

/** Declares a list of records. */
export const defineResource = defineResourceFor<InspectEnvironment>();
