// The operations by which the controller is looked into, beside the published API.

import type { Operation } from '../declare/operation.ts';

/** In the order of the API description. */
export const inspectOperations: readonly Operation[] = [];
