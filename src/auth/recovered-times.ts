// Times that recovered records wait for, noted as each record is recovered, because a pass over a
// million of them afterwards takes longer.

import type { Deadline } from '../actors/deadlines.ts';
import type { Kind } from '../declare/kinds/kind.ts';
import { apiSessionKind } from '../records/api-session.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Activity } from './activity.ts';

/** The observed kinds and the target of activity stamps. The store has no journal yet. */
export interface RecoveredTimesOptions {
  readonly store: Store;
  readonly kinds: readonly Kind[];
  /** Receives the last activity of each API session. */
  readonly activity: Activity;
}

/** The records that had a deadline of their machine when they were recovered. */
export class RecoveredTimes {
  readonly #store: Store;
  #waiting: { readonly row: Row; readonly kind: Kind }[] = [];
  /** Whether they were handed out: later frames are followed elsewhere. */
  #isOver = false;

  constructor({ store, kinds, activity }: RecoveredTimesOptions) {
    this.#store = store;
    for (const kind of kinds) {
      if (kind.machine?.declaration.deadline === undefined) continue;
      store.tableNamed(kind.kind).observe((row, _before, after) => {
        if (this.#isOver || store.isAttached || after === undefined) return;
        if (deadlineOf(kind, after) !== undefined) this.#waiting.push({ row, kind });
      });
    }
    const sessions = store.table(apiSessionKind);
    sessions.observe(({ slot }, _before, after) => {
      // On a node that follows, a stamp may come after one that is later.
      if (!store.isAttached && after !== undefined)
        activity.advance(slot, after.lastActivityAt ?? after.createdAt);
    });
  }

  /** The present deadlines of the records that still exist. Can be called once. */
  *deadlines(): Generator<Deadline> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isOver = true;
    for (const { row, kind } of waiting) {
      if (this.#store.tableNamed(kind.kind).peek(row.id) !== row) continue;
      const at = deadlineOf(kind, row.record);
      if (at !== undefined) yield { kind: kind.kind, id: row.id, at };
    }
  }
}

function deadlineOf({ machine }: Kind, record: RecordBase): number | undefined {
  return machine?.declaration.deadline?.at(record);
}
