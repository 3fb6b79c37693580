// Every operation of both APIs: the published ones, and our own for inspecting the controller.

import type { Operation } from './declare/operation.ts';
import { inspectOperations } from './inspect/operations.ts';
import { operations as resourceOperations } from './resources/index.ts';

/** In the order of the API description. */
export const operations: readonly Operation[] = [...resourceOperations, ...inspectOperations];
