// The interface between the journal and the writer of a snapshot's file: a thread of its own, or
// the caller's.

import type { Disk } from '../../src/ports.ts';
import type { Manifest } from '../home/manifest.ts';
import type { PackedBlock, PackedCounts } from './snapshot-file.ts';
import { SnapshotInMaking, type SnapshotOrder } from './snapshot-keep.ts';

/** Writes one snapshot. Every call rejects with the first error of the disk. */
export interface SnapshotHost {
  /** Takes a block; resolves when the next one may come. */
  write(block: PackedBlock): Promise<void>;
  /** Makes the snapshot durable, verifies it and names it; returns the new manifest. */
  keep(counts: PackedCounts): Promise<Manifest>;
  /** Gives the snapshot up; resolves when no work on it is left. */
  abandon(): Promise<void>;
}

/** Writes on the caller's thread: for simulated disks. */
export class InlineSnapshot implements SnapshotHost {
  readonly #making: SnapshotInMaking;

  constructor(disk: Disk, home: string, order: SnapshotOrder) {
    this.#making = new SnapshotInMaking(disk, home, order);
  }

  async write(block: PackedBlock): Promise<void> {
    this.#making.write(block);
  }

  async keep(counts: PackedCounts): Promise<Manifest> {
    return this.#making.keep(counts);
  }

  async abandon(): Promise<void> {
    this.#making.abandon();
  }
}
