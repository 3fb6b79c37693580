// Follows commits for attached inspectors: which transitions became durable since the last flush.

import type { LoggedEvent, Lsn } from '../../../../snapshots/journal.ts';
import { identityKind } from '../../../records/identity.ts';
import type { Store } from '../../../store/store.ts';
import type { ChangeSet, TransactionCause } from '../../../store/transaction.ts';
import type { Transition } from '../../messages.ts';
import { transitionOf } from '../log/log-lines.ts';

/** The transitions that became durable since the last flush. */
export interface DurableTransitions {
  /** Everything up to this frame is contained, or was lost. */
  readonly lsn: Lsn;
  /** The number of transitions that can be read. */
  readonly length: number;
  /** Transitions for which the ring had no room. */
  readonly lost: number;
  /** The n-th transition, oldest first; built when it is first read. */
  at(index: number): Transition;
}

/** The part of a commit that one transition shows. */
interface KeptTransition {
  readonly lsn: Lsn;
  readonly timeMs: number;
  readonly cause: TransactionCause;
  readonly event: LoggedEvent;
}

/**
 * A commit costs one branch while no inspector is attached. Otherwise a bounded ring keeps the
 * transitions of frames until these are durable.
 */
export class TransitionFeed {
  readonly #store: Store;
  readonly #transitionsMax: number;
  /** Called with every change set while the feed is on. */
  readonly #watch: (changes: ChangeSet) => void;
  #isOn = false;
  #reportedLsn: Lsn = 0;
  #kept: KeptTransition[] = [];
  /** Frames whose transitions found no room, with their number; reported when durable. */
  #lost: { lsn: Lsn; count: number }[] = [];

  /** @param watch is called within commits, so it must be quick, and neither throw nor write */
  constructor(store: Store, transitionsMax: number, watch: (changes: ChangeSet) => void) {
    this.#store = store;
    this.#transitionsMax = transitionsMax;
    this.#watch = watch;
    store.follow((changes) => {
      if (this.#isOn) this.#take(changes);
    });
  }

  /**
   * Transitions after this frame will be reported; earlier ones were reported, or are older than
   * the start.
   */
  get reportedLsn(): Lsn {
    return this.#reportedLsn;
  }

  /** Begins to follow. Earlier transitions are not reported. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#reportedLsn = this.#store.journal.lastLsn;
  }

  /** Stops following and forgets everything. */
  stop(): void {
    this.#isOn = false;
    this.#kept = [];
    this.#lost = [];
  }

  /** Takes out the transitions that became durable. */
  flush(): DurableTransitions {
    const lsn = Math.max(this.#reportedLsn, this.#store.journal.durableLsn);
    this.#reportedLsn = lsn;
    const found = this.#kept.findIndex((transition) => transition.lsn > lsn);
    const durable = this.#kept.splice(0, found < 0 ? this.#kept.length : found);
    let lost = 0;
    while (this.#lost[0] !== undefined && this.#lost[0].lsn <= lsn) {
      lost += this.#lost.shift()?.count ?? 0;
    }
    return new Batch(this.#store, durable, lsn, lost);
  }

  #take(changes: ChangeSet): void {
    this.#watch(changes);
    const { lsn, timeMs, cause, events } = changes;
    const { length } = events;
    if (length === 0) return;
    if (this.#kept.length + length <= this.#transitionsMax) {
      // The change set is not kept, because it would keep records in memory.
      for (const event of events) this.#kept.push({ lsn, timeMs, cause, event });
      return;
    }
    // While the log is stalled no frame becomes durable, so one entry counts all transitions that
    // are lost then.
    const last = this.#lost.at(-1);
    if (last === undefined || this.#lost.length < lostFramesMax) {
      this.#lost.push({ lsn, count: length });
    } else {
      last.lsn = lsn;
      last.count += length;
    }
  }
}

/** Frames whose dropped transitions are counted one by one. @bound per controller */
const lostFramesMax = 1000;

class Batch implements DurableTransitions {
  readonly lsn: Lsn;
  readonly lost: number;
  readonly #store: Store;
  readonly #kept: readonly KeptTransition[];
  readonly #made = new Map<number, Transition>();
  readonly #names = new Map<string, string>();

  constructor(store: Store, kept: readonly KeptTransition[], lsn: Lsn, lost: number) {
    this.#store = store;
    this.#kept = kept;
    this.lsn = lsn;
    this.lost = lost;
  }

  get length(): number {
    return this.#kept.length;
  }

  at(index: number): Transition {
    let made = this.#made.get(index);
    if (made === undefined) this.#made.set(index, (made = this.#make(index)));
    return made;
  }

  #make(index: number): Transition {
    const kept = this.#kept[index];
    if (kept === undefined) throw new RangeError(`no transition ${index}`);
    const { lsn, timeMs, cause } = kept;
    const { causeLsn = 0 } = cause;
    return transitionOf({ ...cause, lsn, timeMs, causeLsn }, kept.event, this.#nameOf(cause.actor));
  }

  #nameOf(actor: string): string {
    let name = this.#names.get(actor);
    if (name === undefined) this.#names.set(actor, (name = this.#lookUp(actor)));
    return name;
  }

  /** A name that is not durable yet is not shown, because a crash could undo it. */
  #lookUp(actor: string): string {
    const row = this.#store.table(identityKind).peek(actor);
    return row !== undefined && row.lsn <= this.lsn ? (row.record.name ?? '') : '';
  }
}
