// The operations for inspecting the controller, besides the published API.

import type { Operation } from '../../declare/operation.ts';
import { auditFeed } from './audit.ts';
import { figuresOperations } from './figures.ts';
import { instanceTransitions } from './instance-transitions.ts';
import { machineOperations } from './machine-operations.ts';
import { createInspectTicket } from './tickets.ts';

/** In the order of the API description. */
export const inspectOperations: readonly Operation[] = [
  ...machineOperations,
  instanceTransitions,
  ...figuresOperations,
  createInspectTicket,
  auditFeed,
];
