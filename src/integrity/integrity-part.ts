// The part of the environment that integrity runs adds for operations.

import type { IntegrityRuns } from './run.ts';

/** The part of integrity runs. */
export interface IntegrityPart {
  /** Integrity checks on demand of administrators. */
  readonly integrity: Pick<IntegrityRuns, 'create' | 'results' | 'start'>;
}

declare module '../declare/operations/environment.ts' {
  interface Environment extends IntegrityPart {}
}
