// How the application of a node of a cluster answers while the node follows: what it may answer
// itself, and what only the leader answers (behaviour/cluster#reads).

import type { ReadStanding } from '../../cluster/node/read-index.ts';
import type { Environment } from '../../declare/operations/environment.ts';
import type { AnyOperation } from '../../declare/operations/operation.ts';
import type { FoundCaller } from './authorization.ts';

/** The questions that the application asks its node before it answers a request. */
export interface FollowingReads<Env extends Environment> {
  /** Whether the node follows now. It is false for good once the node leads. */
  readonly isFollowing: boolean;
  /** The environment of answers while it follows; parts that only the leader has throw. */
  readonly env: Env;
  /**
   * Calls `then` with `current` once everything is applied that was confirmed at this moment;
   * otherwise the leader has to answer.
   */
  onceSettled(then: (standing: ReadStanding) => void): void;
  /**
   * Whether only the leader knows enough of a caller, or of why nobody is the caller, to answer
   * this operation.
   */
  needsLeader(found: FoundCaller, operation: Pick<AnyOperation, 'answered'>): boolean;
}

/**
 * The answer of a node that follows to a request for the leader (RFC 9110 §15.5.20). Its front
 * sends the request on.
 */
export const misdirected = 421;
