// What the journal asks of whoever writes a snapshot's file: a thread of its own, or the caller's.

import type { Disk } from '../src/ports.ts';
import type { Manifest } from './manifest.ts';
import type { PackedBlock, PackedCounts } from './snapshot-file.ts';
import { SnapshotInMaking, type SnapshotOrder } from './snapshot-keep.ts';

/** Writes one snapshot. Every call rejects with the first error of the disk. */
export interface SnapshotHost {
  /** Takes a block; resolves when another one may come. */
  write(block: PackedBlock): Promise<void>;
  /** Makes it durable, verifies it, names it; answers the new manifest. */
  keep(counts: PackedCounts): Promise<Manifest>;
  /** Gives it up; resolves when nothing of it is left at work. */
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
