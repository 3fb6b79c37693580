// Follows commits for whoever is attached: which transitions became durable since the last look.

import type { LoggedEvent, Lsn } from '../../snapshots/journal.ts';
import { identityKind } from '../records/identity.ts';
import type { Store } from '../store/store.ts';
import type { ChangeSet, TransactionCause } from '../store/transaction.ts';
import type { Transition } from './contract.ts';

/** What became durable since the last look. */
export interface DurableTransitions {
  /** All up to this frame is in here, or was lost. */
  readonly lsn: Lsn;
  /** How many transitions can be looked at. */
  readonly length: number;
  /** Transitions for which the ring had no room. */
  readonly lost: number;
  /** The n-th one, oldest first; put together when it is first asked for. */
  at(index: number): Transition;
}

/** The part of a commit that is told. */
interface KeptFrame {
  readonly lsn: Lsn;
  readonly timeMs: number;
  readonly cause: TransactionCause;
  readonly events: readonly LoggedEvent[];
}

/**
 * While nobody is attached a commit costs one branch; while somebody is, a bounded ring keeps what
 * frames told until they are durable.
 */
export class TransitionFeed {
  readonly #store: Store;
  readonly #transitionsMax: number;
  /** Told of every change set while the feed is on. */
  readonly #watch: (changes: ChangeSet) => void;
  #isOn = false;
  #toldLsn: Lsn = 0;
  #frames: KeptFrame[] = [];
  #kept = 0;
  /** Frames whose transitions found no room, with how many they were: told when durable. */
  #lost: { lsn: Lsn; count: number }[] = [];

  /** @param watch is called within commits: it must be quick, and neither throw nor write */
  constructor(store: Store, transitionsMax: number, watch: (changes: ChangeSet) => void) {
    this.#store = store;
    this.#transitionsMax = transitionsMax;
    this.#watch = watch;
    store.follow((changes) => {
      if (this.#isOn) this.#take(changes);
    });
  }

  /** Transitions behind this frame will be told; all up to it was told, or was before the start. */
  get toldLsn(): Lsn {
    return this.#toldLsn;
  }

  /** Begins to follow; what was before is nobody's. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#toldLsn = this.#store.journal.lastLsn;
  }

  /** Follows no more and forgets. */
  stop(): void {
    this.#isOn = false;
    this.#frames = [];
    this.#lost = [];
    this.#kept = 0;
  }

  /** Takes out what became durable. */
  flush(): DurableTransitions {
    const lsn = Math.max(this.#toldLsn, this.#store.journal.durableLsn);
    this.#toldLsn = lsn;
    const found = this.#frames.findIndex((frame) => frame.lsn > lsn);
    const count = found < 0 ? this.#frames.length : found;
    const transitions = new Batch(this.#store, this.#frames.splice(0, count), lsn);
    this.#kept -= transitions.length;
    let lost = 0;
    while (this.#lost[0] !== undefined && this.#lost[0].lsn <= lsn) {
      lost += this.#lost.shift()?.count ?? 0;
    }
    transitions.lost = lost;
    return transitions;
  }

  #take(changes: ChangeSet): void {
    this.#watch(changes);
    const { lsn, timeMs, cause, events } = changes;
    const { length } = events;
    if (length === 0) return;
    if (this.#kept + length <= this.#transitionsMax) {
      this.#kept += length;
      // Not the change set: it would keep records.
      this.#frames.push({ lsn, timeMs, cause, events });
      return;
    }
    // A log that stalls lets no frame become durable: one entry must do for all that are lost then.
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
  readonly length: number;
  lost = 0;
  readonly #store: Store;
  readonly #frames: readonly KeptFrame[];
  /** Index of the first transition of each frame. */
  readonly #starts: Uint32Array;
  readonly #made = new Map<number, Transition>();
  readonly #names = new Map<string, string>();

  constructor(store: Store, frames: readonly KeptFrame[], lsn: Lsn) {
    this.#store = store;
    this.#frames = frames;
    this.lsn = lsn;
    this.#starts = new Uint32Array(frames.length);
    let length = 0;
    for (const [index, { events }] of frames.entries()) {
      this.#starts[index] = length;
      length += events.length;
    }
    this.length = length;
  }

  at(index: number): Transition {
    let made = this.#made.get(index);
    if (made === undefined) this.#made.set(index, (made = this.#make(index)));
    return made;
  }

  #make(index: number): Transition {
    const position = this.#frameOf(index);
    const frame = this.#frames[position];
    const event = frame?.events[index - (this.#starts[position] ?? 0)];
    if (frame === undefined || event === undefined) throw new RangeError(`no transition ${index}`);
    const { lsn, timeMs, cause } = frame;
    const [kind, id, type, from, to] = event;
    const { actor, operation, requestId, causeLsn = 0 } = cause;
    const actorName = this.#nameOf(actor);
    return {
      lsn,
      timeMs,
      kind,
      id,
      event: type,
      from,
      to,
      actor,
      actorName,
      operation,
      requestId,
      causeLsn,
    };
  }

  /** The last frame that starts at or before a transition. */
  #frameOf(index: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #nameOf(actor: string): string {
    let name = this.#names.get(actor);
    if (name === undefined) this.#names.set(actor, (name = this.#lookUp(actor)));
    return name;
  }

  /** A name that is not durable yet is none: nobody is told what a crash could undo. */
  #lookUp(actor: string): string {
    const row = this.#store.table(identityKind).peek(actor);
    return row !== undefined && row.lsn <= this.lsn ? (row.record.name ?? '') : '';
  }
}
