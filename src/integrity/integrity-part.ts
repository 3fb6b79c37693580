// The part of the controller that integrity runs provide.

import type { IntegrityRuns } from './run.ts';

/** The part of integrity runs. */
export interface IntegrityPart {
  /** Integrity checks on demand of administrators. */
  readonly integrity: Pick<IntegrityRuns, 'create' | 'results' | 'start'>;
}
