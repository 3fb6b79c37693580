// What every record has, and the row that holds a record's current version.

import type { Lsn, PackedRecord } from '../../snapshots/journal.ts';
import type { PackedRows } from './packed-rows.ts';

/** User-defined names and values of a record (spec/1 "Tags"; numbers by behaviour §12.4.6). */
export type Tags = Readonly<Record<string, string | boolean | number | null>>;

/** A home holds what only a later version of the controller understands; nothing was changed. */
export class NewerRecord extends Error {
  override readonly name = 'NewerRecord';

  /** @param what of the home is newer, in words. */
  constructor(what: string) {
    super(`This home holds ${what}: it was written by a later version of the controller.`);
  }
}

/**
 * Fields of every record. Records are values: replaced, never mutated; tests and development freeze
 * those that are written. Times are ms since the epoch.
 */
export interface RecordBase {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly tags: Tags;
  /** Made by the controller itself: callers can neither change nor delete it. */
  readonly isSystem?: boolean | undefined;
}

/**
 * The place of one record in its table. It lives as long as the record's id does, so that what is
 * kept beside records (bitsets, activity times) can use its dense `slot`; a slot is used again
 * after a deletion.
 *
 * A start brings records as they stand packed in the snapshot, and each is made when it is asked
 * for first: a million take more than half of a start and twice the memory of their bytes.
 */
export class Row<R extends RecordBase = RecordBase> {
  readonly id: string;
  /** LSN of the frame that wrote `record`; answers that read it wait until that is durable. */
  lsn: Lsn;
  readonly slot: number;
  #held: R | PackedRows<R>;
  /** Where among the packed rows the record begins, or that it was made. */
  #start: number;

  /** Made by a table only; `start` and `id` for one that is not made yet. */
  constructor(held: R | PackedRows<R>, lsn: Lsn, slot: number, start = made, id?: string) {
    this.id = id ?? (held as R).id;
    this.lsn = lsn;
    this.slot = slot;
    this.#held = held;
    this.#start = start;
  }

  get record(): R {
    return this.make();
  }

  set record(record: R) {
    this.#held = record;
    this.#start = made;
  }

  /**
   * The record for a short look, which does not make it: not to be kept, copied or asked again
   * after a look at another row, of whatever kind. What its fields hold may be kept.
   */
  get glance(): R {
    const start = this.#start;
    return start === made ? (this.#held as R) : (this.#held as PackedRows<R>).glance(start);
  }

  /** The record as it stands packed, for as long as nobody has asked for it. */
  get packed(): PackedRecord | undefined {
    const start = this.#start;
    if (start === made) return undefined;
    return (this.#held as PackedRows<R>).packed(start, this.id, this.lsn);
  }

  /** The record, made now if it was not before. */
  make(): R {
    if (this.#start === made) return this.#held as R;
    const record = (this.#held as PackedRows<R>).make(this.#start, this.id);
    this.record = record;
    return record;
  }
}

const made = -1;
