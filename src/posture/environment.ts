// What posture adds to what operations may use of the controller.

import type { Posture } from './contract.ts';
import type { FailedRequests } from './failed-requests.ts';

/** The part of posture. */
export interface PostureEnvironment {
  /** What endpoints must be like, and whether they are. */
  readonly posture: Posture;
  /** What posture refused lately. */
  readonly failedRequests: FailedRequests;
}

declare module '../declare/environment.ts' {
  interface Environment extends PostureEnvironment {}
}
