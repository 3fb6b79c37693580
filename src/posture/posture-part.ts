// The part of the controller that posture provides.

import type { FailedRequests } from './failed-requests.ts';
import type { Posture } from './posture.ts';

/** The part of posture. */
export interface PosturePart {
  /** Posture checks and their results. */
  readonly posture: Posture;
  /** Recent refusals by posture. */
  readonly failedRequests: FailedRequests;
}
