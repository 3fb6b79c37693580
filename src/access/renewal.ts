// Makes access anew from the records while the present one goes on answering, then puts it in its
// place.

import { rowsAStep } from '../store/fault.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import { Access, type AccessOptions } from './access.ts';
import type { AccessChange } from './change.ts';

/** What the records of one kind say to access: as members, or as policies. */
export interface AccessSource {
  readonly kind: string;
  /** Tells of one record; before and after as `Table.observe` has them. */
  tell(
    access: Access,
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): AccessChange;
}

/**
 * Walks over members and policies slot by slot. It must be told of each change that is made
 * meanwhile: what it has not come by yet, it will read itself.
 */
export class AccessRenewal {
  readonly #fresh: Access;
  readonly #store: Store;
  readonly #sources: readonly AccessSource[];
  /** Slots below this one were told. */
  readonly #walked = new Map<AccessSource, number>();

  constructor(store: Store, sources: readonly AccessSource[], options: AccessOptions) {
    this.#store = store;
    this.#sources = sources;
    this.#fresh = new Access(options);
  }

  /** A record was written, or its writing taken back. */
  change(
    source: AccessSource,
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): void {
    if (row.slot < (this.#walked.get(source) ?? 0)) source.tell(this.#fresh, row, before, after);
  }

  /** Reads some records a step. */
  *walk(): Generator<undefined> {
    for (const source of this.#sources) {
      const table = this.#store.table(source.kind);
      for (let slot = 0; slot < table.slots; slot++) {
        if (slot % rowsAStep === 0) yield;
        const row = table.inSlot(slot);
        if (row !== undefined) source.tell(this.#fresh, row, undefined, row.record);
        this.#walked.set(source, slot + 1);
      }
      // Slots that come to be from here on are behind the walk.
      this.#walked.set(source, Number.POSITIVE_INFINITY);
    }
  }

  /** Once the walk is over: from here on `access` is what was made, as of wall-clock ms `at`. */
  putInPlaceOf(access: Access, at: number): void {
    access.become(this.#fresh, at);
  }
}
