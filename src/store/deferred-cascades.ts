// Cascades that are too large for one frame: the deciding frame notes them durably, and slices
// carry them out afterwards.

import { inFrames } from '../containers/walk.ts';
import type { Clock } from '../platform/ports.ts';
import { type NextRun, onceATurn } from '../turns/once-a-turn.ts';
import { NewerRecord, type RecordBase } from './record.ts';
import type { Store } from './store.ts';
import type { RecordCodec, StoredKind, Table, TableOptions } from './table.ts';
import type { Transaction } from './transaction.ts';

/** A cascade that is not yet carried out; its last slice deletes this record. */
export interface DeferredCascade extends RecordBase {
  /** Name of the registered work. */
  readonly work: string;
  /** Strings by which the work finds its rows after a restart. */
  readonly subject: readonly string[];
}

/** How the deferred cascades of one name are carried out. */
export interface DeferredCascadeWork {
  /**
   * Kinds whose rows it deletes, not counting those that are deleted along with these rows. Until
   * it is complete, readers of these kinds check whether each row still counts.
   */
  takes(subject: readonly string[]): readonly string[];
  /**
   * Whether no later grant can bring back what it takes away, because the owner of the rows is
   * deleted. Operations that grant do not wait for it, so a caller cannot make others wait by
   * causing a lot of it.
   */
  readonly isFinal?: boolean;
  /**
   * Carries out one slice of at most `rowsMax` rows and says whether that was the last. It must
   * find its rows from the state alone: for every reader, the cascade is complete from the
   * deciding frame on.
   */
  slice(tx: Transaction, subject: readonly string[], rowsMax: number): 'more' | 'done';
}

/** How long a slice that could not be written waits for its next try. */
const retryDelayMs = 200;

/** The open deferred cascades of the store, and the work that carries them out. */
export class DeferredCascades {
  readonly tableOptions: TableOptions<DeferredCascade> = {
    ...deferredCascadeKind,
    unique: [],
    groups: [],
  };
  /** The most rows per slice, and the most that a cascade may touch in the deciding frame. */
  readonly rowsMax: number;
  readonly #store: Store;
  readonly #work = new Map<string, DeferredCascadeWork>();
  readonly #waiting = new Set<() => void>();
  /** In the order in which they were noted. */
  readonly #open = new Map<string, DeferredCascade>();
  /**
   * Whether an operation that grants could bring back what is still being taken away. Public for
   * tests that damage it.
   */
  holdsGrants = false;
  /** Kinds whose records are deleted along with a record of a kind. */
  #goingWith: (kind: string) => readonly string[] = () => [];
  /** Called each time a slice fails and will be retried. */
  onFailure: ((error: unknown) => void) | undefined;
  /** The turn or the timer that continues them. Public for tests that damage it. */
  readonly nextSlice: NextRun;

  constructor(store: Store, clock: Clock, rowsMax: number) {
    this.#store = store;
    this.nextSlice = onceATurn(clock, () => this.#run());
    this.rowsMax = rowsMax;
  }

  /** Whether some deferred cascade is still being carried out. */
  get isOpen(): boolean {
    return this.#store.fence.cascadesOpen;
  }

  /**
   * Calls `then` once an operation that grants may go on; an operation that waited before may have
   * begun a new deferred cascade. The returned function cancels the wait.
   */
  onceGrantsMayGo(then: () => void): () => void {
    if (!this.holdsGrants) {
      then();
      return () => {};
    }
    // Wrapped in a function of its own, because the same `then` may wait twice.
    const waiting = () => then();
    this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  /** How many operations wait for that. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Must be called once the store has its tables. */
  watch(): void {
    // Also told of a note that is undone, and of those that are found at a start. When it is told
    // of the former, the table still has it.
    this.#table.observe((_, before, after) => {
      if (before !== undefined) this.#open.delete(before.id);
      if (after !== undefined) this.#open.set(after.id, after);
      this.#renew();
    });
  }

  /** Must be called once all records are recovered; readers check owners from then on. */
  recovered(): void {
    this.#renew();
  }

  /** Sets which kinds' records are deleted along with a record of a kind. */
  setGoingWith(goingWith: (kind: string) => readonly string[]): void {
    this.#goingWith = goingWith;
    this.#renew();
  }

  /** Registers the work of deferred cascades with this name. */
  register(name: string, work: DeferredCascadeWork): void {
    this.#work.set(name, work);
    this.#renew();
  }

  /** Notes a cascade within the deciding transaction; its slices start after the commit. */
  note(tx: Transaction, id: string, work: string, subject: readonly string[]): void {
    const { now } = tx;
    tx.put(this.#table, { id, createdAt: now, updatedAt: now, tags: {}, work, subject });
    this.nextSlice.request();
  }

  /**
   * Carries out, synchronously, everything that is open, or everything that takes rows of a kind.
   * Used before a write that needs a key of such a row.
   */
  drain(kind?: string): void {
    for (const _ of this.slices(kind));
  }

  /**
   * Carries out everything that is open, or everything that takes rows of a kind, one slice per
   * step. Used at a start, when nothing else is written.
   */
  *slices(kind?: string): Generator<undefined> {
    for (const deferred of [...this.#open.values()]) {
      if (kind !== undefined && !this.#takenBy(deferred).has(kind)) continue;
      const row = this.#table.peek(deferred.id);
      while (row !== undefined && this.#slice(row.record, row.lsn) === 'more') yield;
    }
    this.#letWaitingGo();
  }

  /** Whether the work of a name is registered. */
  knows(work: string): boolean {
    return this.#work.has(work);
  }

  /**
   * How the bookkeeping of open cascades differs from their records; undefined if it matches.
   */
  findFault(): string | undefined {
    const isThere = this.#table.size > 0;
    const { kindsBeingDeleted } = this.#store.fence;
    const isSeen = [...this.#kindsBeingDeleted()].some((kind) => !kindsBeingDeleted.has(kind));
    if (isThere && (!this.isOpen || isSeen)) {
      return 'readers are shown what an open cascade deletes';
    }
    if (!isThere && this.isOpen) return 'cascades are said to be open, and none is';
    // A node that follows leaves them to the leader.
    if (isThere && this.#store.isAttached && !this.nextSlice.isRequested) {
      return 'an open cascade is carried out by nobody';
    }
    const isWaiting = !this.holdsGrants && this.#waiting.size > 0;
    return isWaiting ? 'somebody waits for a cascade, and none is open' : undefined;
  }

  /** Rebuilds the bookkeeping of open cascades from their records, and continues them. */
  rebuild(): void {
    this.#renew();
    this.#letWaitingGo();
    if (this.isOpen && this.#store.isAttached) this.nextSlice.request();
  }

  get #table(): Table<DeferredCascade> {
    return this.#store.table(deferredCascadeKind);
  }

  #letWaitingGo(): void {
    if (this.holdsGrants) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const then of waiting) then();
  }

  #renew(): void {
    // Before that, the owners that readers would check may not be there yet.
    this.#store.fence.cascadesOpen = this.#store.isRecovered && this.#open.size > 0;
    this.#store.fence.kindsBeingDeleted = this.#kindsBeingDeleted();
    this.holdsGrants = this.#nextHolding() !== undefined;
  }

  #kindsBeingDeleted(): Set<string> {
    const kinds = new Set<string>();
    for (const deferred of this.#open.values()) this.#takenBy(deferred, kinds);
    return kinds;
  }

  /** Adds the kinds whose rows an open deferred cascade takes to `taken`. */
  #takenBy(deferred: DeferredCascade, taken = new Set<string>()): ReadonlySet<string> {
    const add = (kind: string): void => {
      if (taken.has(kind)) return;
      taken.add(kind);
      for (const other of this.#goingWith(kind)) add(other);
    };
    const work = this.#work.get(deferred.work);
    // Unregistered work may concern any kind.
    if (work === undefined) for (const { kind } of this.#store.tables()) add(kind);
    else for (const kind of work.takes(deferred.subject)) add(kind);
    return taken;
  }

  /** The longest-open one among those that operations that grant wait for. */
  #nextHolding(): DeferredCascade | undefined {
    for (const deferred of this.#open.values()) {
      if (this.#work.get(deferred.work)?.isFinal !== true) return deferred;
    }
    return undefined;
  }

  #run(): void {
    // The one that has been open longest: by slot, new ones could overtake it again and again.
    const [oldest] = this.#open.values();
    const next = this.#nextHolding() ?? oldest;
    const row = next && this.#table.peek(next.id);
    try {
      if (row !== undefined) this.#slice(row.record, row.lsn);
    } catch (error) {
      this.onFailure?.(error);
      // The log does not take writes. The cascade is complete for readers all the same, so wait and
      // retry.
      this.nextSlice.requestIn(retryDelayMs);
      return;
    }
    this.#letWaitingGo();
    if (this.isOpen) this.nextSlice.request();
  }

  #slice(deferred: DeferredCascade, causeLsn: number): 'more' | 'done' {
    const work = this.#work.get(deferred.work);
    if (work === undefined) throw new RangeError(`no deferred cascade work named ${deferred.work}`);
    const cause = { actor: 'controller', requestId: '', operation: deferred.work, causeLsn };
    return inFrames(this.rowsMax, (rowsMax) =>
      this.#store.transact(cause, (tx) => {
        const outcome = work.slice(tx, deferred.subject, rowsMax);
        if (outcome === 'done') tx.delete(this.#table, deferred.id);
        return outcome;
      }),
    );
  }
}

/** Bounds of deferred cascades. */
export const cascadeBounds = {
  /** Rows per slice of a deferred cascade; each slice is a frame of its own. @bound */
  cascadeRowsMax: 500,
};

const codec: RecordCodec<DeferredCascade> = {
  version: 1,
  oldestWritten: 1,
  encode: (f) => [f.createdAt, f.work, f.subject],
  decode: (id, version, values) => {
    if (version > 1) throw new NewerRecord(`followUp records of version ${version}, newer than 1`);
    const [createdAt, work, subject] = values as [number, string, string[]];
    return { id, createdAt, updatedAt: createdAt, tags: {}, work, subject };
  },
  compact: (deferred) => deferred,
};

/** The kind of deferred cascades, which no resource shows; its name on disk is an older one. */
export const deferredCascadeKind: StoredKind<DeferredCascade> = { kind: 'followUp', codec };
