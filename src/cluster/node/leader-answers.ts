// The answers of a leader to the nodes that follow it (behaviour/cluster#reads).

import type { ReadPosition } from './read-index.ts';
import type { SessionUse } from './session-uses.ts';

/** The answers of this node, as far as it leads. */
export interface LeaderAnswers {
  /**
   * Calls `then` once, with the last LSN that was written at this moment, confirmed or not, when
   * this node may answer; with undefined if it does not lead.
   */
  written(then: (position: ReadPosition | undefined) => void): void;
  /**
   * Notes that API sessions were used elsewhere. @returns the ids of those that it does not have
   * any more; undefined if this node does not lead
   */
  noteUses(uses: readonly SessionUse[]): readonly string[] | undefined;
}
