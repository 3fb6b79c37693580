// Transitions and changes of one record as the rows of one history.

import type { RecordChange, Transition } from '../messages.ts';

/** What a frame did: a transition with the change beside it, or a change alone. */
export interface HistoryRow extends Omit<RecordChange, 'change' | 'fields'> {
  /** Unique among the rows. */
  readonly key: string;
  /** Of a transition. */
  readonly kind?: string;
  readonly transition: Transition | undefined;
  readonly change: RecordChange | undefined;
}

/** Newest first. A change stands beside the newest transition of its frame. */
export function historyRows(
  transitions: readonly Transition[],
  changes: readonly RecordChange[],
): readonly HistoryRow[] {
  const left = new Map(changes.map((change) => [change.lsn, change]));
  const rows: HistoryRow[] = transitions.map((transition, index) => {
    const change = left.get(transition.lsn);
    left.delete(transition.lsn);
    const { lsn, timeMs, kind, actor, actorName, operation, requestId, causeLsn } = transition;
    const cause = { lsn, timeMs, kind, actor, actorName, operation, requestId, causeLsn };
    const key = `${lsn} ${transitions.length - index}`;
    return { ...cause, key, transition, change };
  });
  for (const change of left.values()) {
    rows.push({ ...change, key: `${change.lsn}`, transition: undefined, change });
  }
  return rows.sort((a, b) => b.lsn - a.lsn);
}

/** Fields that change with every write, or that the states beside them tell. */
const implied = new Set(['updatedAt', 'createdAt', 'state']);

/** A field that a change has set, with its values. */
export interface ChangedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields of an update that are worth telling; a creation sets all, and a deletion none. */
export function changedFields({ change, fields }: RecordChange): readonly ChangedField[] {
  if (change !== 'updated') return [];
  return Object.entries(fields)
    .filter(([field]) => !implied.has(field))
    .map(([field, { before, after }]) => ({ field, before, after }));
}
