// Rows of one kind whose records stand packed in one block of a snapshot.

import type { PackedRecord } from '../../snapshots/journal.ts';
import { PackedReader } from '../../snapshots/packed-reader.ts';
import type { RecordBase } from './record.ts';
import type { RecordCodec } from './table.ts';

/** Looks at records where they stand packed. */
export interface RecordView<R extends RecordBase> {
  /**
   * The record that a reader has turned to, of the codec's own version: one object for all of them,
   * whose fields are read when they are asked for, and which the next call makes another.
   */
  of(reader: PackedReader): R;
}

/**
 * What such rows have in common. The block stays in memory until the last of its records was made.
 */
export class PackedRows<R extends RecordBase> {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly #codec: RecordCodec<R>;
  readonly #view: RecordView<R>;

  constructor(kind: string, bytes: Buffer, codec: RecordCodec<R>, view: RecordView<R>) {
    this.kind = kind;
    this.bytes = bytes;
    this.#codec = codec;
    this.#view = view;
  }

  /** As `Row.glance`. */
  glance(start: number): R {
    return this.#view.of(glancing.turnTo(this.bytes, start));
  }

  /** The record that begins at `start`. @throws Error where that is none, or another than `id` */
  make(start: number, id: string): R {
    try {
      const { id: packedId, version, values } = making.turnTo(this.bytes, start).unpacked();
      if (packedId === id) return this.#codec.decode(id, version, values);
    } catch (cause) {
      throw new Error(`${this.kind} ${id} does not unpack`, { cause });
    } finally {
      making.turnAway();
    }
    throw new Error(`${this.kind} ${id} is not where it stood packed`);
  }

  /** As `Row.packed`; undefined where the row is not of the frame that the bytes say any more. */
  packed(start: number, id: string, lsn: number): PackedRecord | undefined {
    const { kind, bytes } = this;
    const { version, end, lsn: packedLsn } = making.turnTo(bytes, start);
    making.turnAway();
    return lsn === packedLsn ? { kind, id, lsn, version, bytes, start, end } : undefined;
  }
}

/** Of `glance`, for all kinds: what it answers is read from while others are made. */
const glancing = new PackedReader();
const making = new PackedReader();

/** Ends the last glance, so that no block is kept for it. */
export function endGlance(): void {
  glancing.turnAway();
}
