// What the events of commits are found with.

import type { Addresses } from '../../declare/operations/environment.ts';
import type { EventFields, EventType } from '../../observe/events.ts';
import type { Store } from '../../store/store.ts';
import type { ChangeSet } from '../../store/transaction.ts';
import type { TerminatorCounts } from './terminator-counts.ts';

/** Fields of an event, or a function that makes them later. */
export type LateFields = EventFields | (() => EventFields);

/** What the events of commits are made with besides the commit. */
export interface CommitSurroundings {
  readonly store: Store;
  /** Id of the controller, or of the node of a cluster. */
  sourceId(): string;
  /** Where clients and routers reach it. */
  readonly addresses: Pick<Addresses, 'authority' | 'control'>;
  /** As `TerminatorCosts.dynamicCost`. */
  dynamicCost(terminatorId: string): number;
  readonly terminatorCounts: Pick<TerminatorCounts, 'of'>;
}

/** Finds the events of one type in a commit. */
export interface CommitSource {
  readonly type: EventType;
  /**
   * Called within the commit, so it neither throws nor writes; the functions that it returns are
   * called when the commit is durable.
   */
  eventsOf(changes: ChangeSet, around: CommitSurroundings): readonly LateFields[];
}
