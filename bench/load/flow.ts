// Flows: requests over one connection of which later ones hold what earlier ones were answered, as
// in a login by OIDC. Plain data between two processes.

import type { Job, RequestTemplate } from './job.ts';

/** A text of an answer, in its head or body, which later requests hold. */
export interface Capture {
  /** The slot of later requests that it fills. */
  readonly name: string;
  /** The text stands between these two. */
  readonly after: string;
  readonly until: string;
}

/** One request of a flow. Its slots count flows; their lists start again at their end. */
export interface FlowStep {
  readonly request: RequestTemplate;
  readonly status: number;
  readonly captures: readonly Capture[];
}

/** A run of flows in a closed loop: what a job counts as a request is a whole flow. */
export interface FlowJob extends Omit<Job, 'request' | 'expect' | 'collectIds' | 'rate'> {
  /** Each connection does them once, before the window; what they capture stays known. */
  readonly first: readonly FlowStep[];
  readonly steps: readonly FlowStep[];
  /**
   * The capture that the result holds as ids, in the order of the flows; none if absent. All must
   * be different.
   */
  readonly keeps?: string;
}
