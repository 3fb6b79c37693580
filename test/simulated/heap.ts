// A heap that is as full as a test says.

import type { Heap } from '../../src/platform/ports.ts';

/** 1,000 bytes, of which a test says how many are used. */
export class SimulatedHeap implements Heap {
  readonly limitBytes = 1000;
  youngBytes = 10;
  /** What is used, garbage included. */
  used = 0;
  /** How often a full collection was asked for. */
  asked = 0;
  readonly #followers = new Set<() => void>();

  usedBytes(): number {
    return this.used;
  }

  onCollected(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  collectSoon(): void {
    this.asked++;
  }

  /** Two full collections that leave so many bytes: it is not the caches that fill the heap. */
  fill(live: number): void {
    this.collect(live);
    this.collect(live);
  }

  /** A full collection, which leaves so many bytes. */
  collect(live = this.used): void {
    this.used = live;
    for (const follower of this.#followers) follower();
  }
}
