// A journal for tests of the store alone: it keeps frames, and is durable when told so.

import type { FrameContent, Journal, Lsn } from '../../snapshots/journal.ts';

/** Takes frames into memory. */
export class MemoryJournal implements Journal {
  readonly frames: FrameContent[] = [];
  durableLsn: Lsn = 0;
  refuses = false;
  readonly roomBytes = Number.POSITIVE_INFINITY;
  health = { state: 'writable' } as const;
  figures = { framesWritten: 0, bytesWritten: 0, groupsWritten: 0 };
  readonly #listeners: ((lsn: Lsn) => void)[] = [];

  get lastLsn(): Lsn {
    return this.frames.length;
  }

  append(content: FrameContent): Lsn {
    if (this.refuses) throw new Error('stalled');
    return this.frames.push(content);
  }

  onDurable(listener: (lsn: Lsn) => void): void {
    this.#listeners.push(listener);
  }

  onHealth(): void {}

  /** Makes everything up to `lsn` durable. */
  sync(lsn: Lsn = this.lastLsn): void {
    this.durableLsn = lsn;
    for (const listener of this.#listeners) listener(lsn);
  }

  async flush(): Promise<void> {
    this.sync();
  }

  async writeSnapshot(): Promise<never> {
    throw new Error('a journal in memory keeps no snapshots');
  }

  faults(): never[] {
    return [];
  }

  async close(): Promise<void> {}
}
