// The fields that every record has, and the row that holds a record's current version.

import type { Lsn } from '../../snapshots/journal.ts';

/**
 * User-defined names and values of a record (behaviour/records#tags). Only records of earlier
 * releases hold numbers.
 */
export type Tags = Readonly<Record<string, string | boolean | number | null>>;

/**
 * A home holds data that only a later version of the controller understands; nothing was changed.
 */
export class NewerRecord extends Error {
  override readonly name = 'NewerRecord';

  /** @param what names the part of the home that is newer, in words. */
  constructor(what: string) {
    super(`This home holds ${what}: it was written by a later version of the controller.`);
  }
}

/**
 * A record cannot be kept in the version of its kind that the nodes of a cluster write until an
 * upgrade is final. Nothing was written.
 */
export class NotFinalized extends Error {
  override readonly name = 'NotFinalized';

  /** @param version in which the record should have been kept; 0 if the kind is new */
  constructor(kind: string, version: number) {
    super(`a record of kind ${kind} cannot be kept in version ${version}`);
  }
}

/**
 * Fields of every record. Records are values: they are replaced, never mutated, and written records
 * are frozen in tests and development. Times are ms since the epoch.
 */
export type RecordBase = {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly tags: Tags;
  /** The controller created it: callers can neither change nor delete it. */
  readonly isSystem?: boolean | undefined;
};

/**
 * The place of one record in its table. It lives as long as the record's id does, so that data
 * beside records (bitsets, activity times) can use its dense `slot`. A slot is used again after a
 * deletion.
 */
export class Row<R extends RecordBase = RecordBase> {
  readonly id: string;
  record: R;
  /** LSN of the frame that wrote `record`; answers that read it wait until that is durable. */
  lsn: Lsn;
  readonly slot: number;

  /** Only a table creates rows. */
  constructor(record: R, lsn: Lsn, slot: number) {
    this.id = record.id;
    this.record = record;
    this.lsn = lsn;
    this.slot = slot;
  }
}

/** Where a sealed text stands. It opens nowhere else: swapped texts are found out. */
export interface SealedPlace {
  readonly kind: string;
  readonly id: string;
  readonly field: string;
}

/** Seals texts that records keep. */
export interface Sealer {
  seal(plain: Uint8Array, place: SealedPlace): string;
}
