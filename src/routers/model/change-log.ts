// What the last frames have changed in the model, so that a router that was away gets what it has
// missed instead of the whole model.

import { routerModelId, routerModelKind } from '../../records/router-model.ts';
import type { Store } from '../../store/store.ts';
import type { ChangeSet } from '../../store/transaction.ts';
import { idsIn, type Touches } from './touches.ts';

/** Bounds of the change log. */
export const changeLogBounds = {
  /** Indexes that it reaches back, as in the peer. @bound per controller */
  modelChangesMax: 10_000,
};

/** One index of the model. */
export interface ModelChange {
  readonly index: number;
  readonly touches: Touches;
}

interface Kept extends ModelChange {
  readonly bytes: number;
}

/** The newest changes of the model, oldest first. A node that follows keeps them, too. */
export class ChangeLog {
  readonly #store: Store;
  readonly #changesMax: number;
  readonly #bytesMax: number;
  #changes: Kept[] = [];
  /** Changes that were dropped at the front of the list, which is cut from time to time. */
  #first = 0;
  #bytes = 0;
  /** It knows all changes of later indexes. */
  #base: number;

  /** The store must have recovered. */
  constructor(
    store: Store,
    { modelChangesMax, bytesMax }: typeof changeLogBounds & { readonly bytesMax: number },
  ) {
    this.#store = store;
    this.#changesMax = modelChangesMax;
    this.#bytesMax = bytesMax;
    this.#base = this.index;
  }

  /** The present index of the model; 0 before it has one. */
  get index(): number {
    return this.#store.table(routerModelKind).peek(routerModelId)?.lsn ?? 0;
  }

  /** The oldest index from which on it knows all changes. */
  get base(): number {
    return this.#base;
  }

  /** How many changes it holds. */
  get size(): number {
    return this.#changes.length - this.#first;
  }

  /** The bytes that they take, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Notes a commit.
   * @param own what it has touched, if that was decided here
   * @returns what it has changed; undefined unless it changes the model
   */
  note({ lsn, changes, hasFrame }: ChangeSet, own: Touches | undefined): ModelChange | undefined {
    const row = this.#store.table(routerModelKind).peek(routerModelId);
    if (!hasFrame || row?.lsn !== lsn) return undefined;
    const change = changes.find(({ table }) => table.kind === routerModelKind.kind);
    if (change === undefined) return undefined;
    const touches = own ?? row.record;
    this.#push({ index: lsn, touches, bytes: idsIn(touches) * idBytes + changeBytes });
    return { index: lsn, touches };
  }

  /** Adds older changes, which end at its base, e.g. those that the log on disk holds. */
  prepend(older: readonly ModelChange[], base: number): void {
    const kept = this.#changes.slice(this.#first);
    this.#changes = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#base = base;
    for (const { index, touches } of [...older, ...kept]) {
      this.#push({ index, touches, bytes: idsIn(touches) * idBytes + changeBytes });
    }
  }

  /** All changes after an index, oldest first; undefined if it does not know them. */
  after(index: number): readonly ModelChange[] | undefined {
    if (index < this.base) return undefined;
    let [low, high] = [this.#first, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.index ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  #push(kept: Kept): void {
    this.#changes.push(kept);
    this.#bytes += kept.bytes;
    while (this.size > this.#changesMax || (this.#bytes > this.#bytesMax && this.size > 0)) {
      const dropped = this.#changes[this.#first];
      this.#base = dropped?.index ?? 0;
      this.#bytes -= dropped?.bytes ?? 0;
      this.#first += 1;
    }
    if (this.#first < compactedAt) return;
    this.#changes = this.#changes.slice(this.#first);
    this.#first = 0;
  }
}

/** What an id takes in memory, and a change besides its ids, in bytes. */
const idBytes = 48;
const changeBytes = 200;
/** How many changes that were dropped stay in front of the others. */
const compactedAt = 1024;
