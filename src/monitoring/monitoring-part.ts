// The part of the controller that observation provides.

import type { Observation } from './observation.ts';

/** The part of observation. */
export interface MonitoringPart {
  /** The health of the controller. */
  readonly observation: Observation;
}
