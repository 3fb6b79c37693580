// Watches how much of the heap is live. When it is nearly full, no more records are created.

import { ApiError } from '../errors/errors.ts';
import { everySecond } from '../platform/every-second.ts';
import type { Clock, Heap, Timer } from '../platform/ports.ts';
import type { Limits } from '../settings/limits.ts';

/** What a watch needs. */
export interface HeapWatchOptions {
  readonly clock: Clock;
  readonly heap: Heap;
  readonly limits: Pick<Limits, 'heapLivePercentMax'>;
  /** Drops everything that can be computed again. */
  readonly emptyCaches: () => void;
}

/** Share of the time that V8 may collect while the heap is nearly full. @bound */
const collectingShareMax = 1 / 10;

/**
 * Caches are emptied from this share of the bound on. Marking that has begun before still counts
 * what they held, so it takes two collections until that shows: the bound must not be met by then.
 */
const emptyingShare = 0.9;

/**
 * Watches the heap of the main thread. Live memory is what the last full collection left; the used
 * heap in between also contains garbage. Worker threads and buffers have memory of their own and
 * are not counted.
 */
export class HeapWatch {
  readonly #options: HeapWatchOptions;
  #timer: Timer | undefined;
  #unfollow: (() => void) | undefined;
  #liveBytes = 0;
  #isFull = false;
  /** Whether the last collection left so much that the caches were emptied. */
  #hasEmptied = false;
  /** Monotonic ms from which a new record causes a look at the use of the heap. */
  #lookAtMs = 0;
  /** Monotonic ms at which a collection was requested that has not happened yet. */
  #askedAtMs: number | undefined;
  /** Monotonic ms before which no collection is requested. */
  #notBeforeMs = 0;

  constructor(options: HeapWatchOptions) {
    this.#options = options;
  }

  /** Watches from now on. */
  start(): void {
    this.follow();
    this.#timer = everySecond(this.#options.clock, () => this.#look());
  }

  /** Reads the results of collections, but requests none. */
  follow(): void {
    this.#unfollow = this.#options.heap.onCollected(() => this.#collected());
  }

  /** Stops watching. */
  stop(): void {
    this.#unfollow?.();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Bytes that the last full collection left; 0 before the first. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Bytes that the heap may hold; V8 ends the process beyond that. */
  get limitBytes(): number {
    return this.#options.heap.limitBytes;
  }

  /** Whether so much of the heap is live that no more records are created. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * For operations that create records, before they write. @throws ApiError MEMORY_LIMIT_REACHED
   * while the heap is full.
   */
  admitRecord(): void {
    // A process that has rested may create many records before the second is over.
    if (this.#timer !== undefined && this.#options.clock.monotonic() >= this.#lookAtMs)
      this.#look();
    if (!this.#isFull) return;
    const seconds = Math.ceil(heapCollectMs / 1000);
    throw new ApiError('MEMORY_LIMIT_REACHED', { headers: [['retry-after', String(seconds)]] });
  }

  /**
   * Bytes that may be live before no more records are created. Where less than two young spaces are
   * left, V8 collects without end and gives up: that is more than the rest of a small heap.
   */
  get boundBytes(): number {
    const { heap, limits } = this.#options;
    const share = (heap.limitBytes * limits.heapLivePercentMax) / 100;
    return Math.floor(Math.min(share, heap.limitBytes - 2 * heap.youngBytes));
  }

  /**
   * V8 collects when it needs room: late if little is allocated, and too late if much is. So a
   * collection is requested when more is used than may be live.
   */
  #look(): void {
    const { clock, heap } = this.#options;
    const now = clock.monotonic();
    this.#lookAtMs = now + heapWatchMs;
    if (now < this.#notBeforeMs) return;
    if (!this.isFull && heap.usedBytes() <= this.boundBytes) return;
    this.#askedAtMs ??= now;
    heap.collectSoon();
  }

  /** Caches count as live, so they are emptied before the heap is said to be full of records. */
  #collected(): void {
    const { clock, heap, emptyCaches } = this.#options;
    this.#liveBytes = heap.usedBytes();
    const isOver = this.#liveBytes > this.boundBytes;
    const isNearlyOver = this.#liveBytes > this.boundBytes * emptyingShare;
    this.#isFull = isOver && this.#hasEmptied;
    this.#hasEmptied = isNearlyOver;
    if (isNearlyOver) emptyCaches();
    const isAskedAgain = isOver && !this.#isFull;
    if (isAskedAgain) heap.collectSoon();
    const now = clock.monotonic();
    const tookMs = now - (this.#askedAtMs ?? now);
    this.#askedAtMs = isAskedAgain ? now : undefined;
    const restMs = tookMs / collectingShareMax;
    this.#notBeforeMs = now + (this.isFull ? Math.max(restMs, heapCollectMs) : tookMs);
  }
}

/**
 * How often the use of the heap is looked at while records are created, at 10 µs each; otherwise it
 * is looked at once per second. @bound
 */
const heapWatchMs = 250;

/**
 * The least time between two full collections that are asked for while the heap is full, and so how
 * late it may notice that deletions have made room. Slow collections are asked for less often.
 * @bound
 */
const heapCollectMs = 5000;
