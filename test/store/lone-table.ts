// What a table is given that stands outside of any store.

import { ReadFence } from '../../src/store/read-fence.ts';
import type { TableSurroundings } from '../../src/store/table.ts';
import { endProcess } from '../simulated/fatal.ts';

/** Surroundings with a fence of their own and no bound. */
export function loneTable(): TableSurroundings {
  return { fence: new ReadFence(), fatal: endProcess, recordsMax: Number.POSITIVE_INFINITY };
}
