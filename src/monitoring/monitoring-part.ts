// The part of the environment that observation adds for operations.

import type { Observation } from './observation.ts';

/** The part of observation. */
export interface MonitoringPart {
  /** The health of the controller. */
  readonly observation: Observation;
}

declare module '../declare/operations/environment.ts' {
  interface Environment extends MonitoringPart {}
}
