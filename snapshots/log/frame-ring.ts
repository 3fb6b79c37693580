// The memory that the main thread and the writer thread share: a ring of unstamped frames and a few
// control words.

import type { Lsn } from '../journal.ts';
import { frameBytes, putFrame } from './frame.ts';

/** The two shared buffers, as handed to the thread. */
export interface RingMemory {
  readonly control: SharedArrayBuffer;
  readonly frames: SharedArrayBuffer;
}

/**
 * Memory for `pendingBytesMax` of frames in any mix. It adds room for the unused bytes at the two
 * ends of the ring, each less than a frame, and for the one frame that may exceed the bound.
 */
export function ringMemory(pendingBytesMax: number, frameBytesMax: number): RingMemory {
  const bytes = Math.ceil(pendingBytesMax / 8) * 8 + 3 * frameBytes(frameBytesMax) + 8;
  return {
    control: new SharedArrayBuffer(64),
    frames: new SharedArrayBuffer(bytes),
  };
}

/** Progress of the writer, as the main thread reads it. */
export interface WriterProgress {
  /** LSN up to which everything is acknowledged at the chosen level. */
  readonly lsn: Lsn;
  /** Bytes of frames acknowledged since the start. */
  readonly bytes: number;
  readonly groups: number;
}

/**
 * The ring, seen from either side. One side appends frames, the other takes them; neither locks.
 */
export class FrameRing {
  readonly #words: Int32Array;
  readonly #figures: Float64Array;
  readonly #frames: Buffer;
  readonly #startOverBytes: number;

  constructor(memory: RingMemory) {
    this.#words = new Int32Array(memory.control, 0, 8);
    this.#figures = new Float64Array(memory.control, 32, 4);
    this.#frames = Buffer.from(memory.frames);
    this.#startOverBytes = Math.min(startOverBytesMax, this.#frames.length / 4);
  }

  /** Main side: appends a frame after the others; false when there is no room. */
  append(kind: number, payload: Uint8Array): boolean {
    const bytes = frameBytes(payload.length);
    const head = this.#words[word.head] ?? 0;
    const tail = Atomics.load(this.#words, word.tail);
    const place = this.#place(bytes, head, tail);
    if (place === -1) return false;
    putFrame(this.#frames, place, kind, payload);
    this.#publish(place, bytes, head, tail);
    return true;
  }

  /**
   * Main side: copies frames that are stamped already, whole and one after the other; false when
   * there is no room for all of them in one piece.
   */
  appendStamped(frames: Uint8Array): boolean {
    const head = this.#words[word.head] ?? 0;
    const tail = Atomics.load(this.#words, word.tail);
    const place = this.#place(frames.length, head, tail);
    if (place === -1) return false;
    this.#frames.set(frames, place);
    this.#publish(place, frames.length, head, tail);
    return true;
  }

  /**
   * Main side: wakes the writer if it sleeps. A writer that is about to fall asleep notices it too.
   */
  wake(): void {
    if (Atomics.load(this.#words, word.sleeping) === 0) return;
    Atomics.add(this.#words, word.wake, 1);
    Atomics.notify(this.#words, word.wake);
  }

  /** Main side: requests a sync of everything appended so far, at any level; returns the ticket. */
  requestSync(): number {
    const ticket = Atomics.add(this.#words, word.syncRequested, 1) + 1;
    this.wake();
    return ticket;
  }

  /** Main side: the last ticket that was served. */
  get syncServed(): number {
    return Atomics.load(this.#words, word.syncServed);
  }

  /**
   * Main side: tells the writer to end once it has nothing more to write, or at once while it is
   * stalled.
   */
  requestStop(): void {
    Atomics.store(this.#words, word.stop, 1);
    Atomics.notify(this.#words, word.stop);
    this.wake();
  }

  /** Main side: how far the writer is. */
  progress(): WriterProgress {
    const [lsn = 0, bytes = 0, groups = 0] = this.#figures;
    return { lsn, bytes, groups };
  }

  /** Writer side: the frames appended and not yet released, as at most two regions. */
  take(): Buffer[] {
    const { head, tail } = this.#ends();
    if (head === tail) return [];
    if (head > tail) return [this.#frames.subarray(tail, head)];
    const wrapEnd = Atomics.load(this.#words, word.wrapEnd);
    const regions = [this.#frames.subarray(tail, wrapEnd), this.#frames.subarray(0, head)];
    return regions.filter((region) => region.length > 0);
  }

  /** Writer side: releases the regions that `take` returned and publishes the progress. */
  release(taken: readonly Buffer[], progress: WriterProgress): void {
    const last = taken.at(-1);
    // Before the figures, by which the main side counts on this room. It is an exchange, because
    // processors that reorder writes keep later ones behind it more surely than behind a store.
    if (last !== undefined) {
      Atomics.exchange(this.#words, word.tail, last.byteOffset + last.length);
    }
    this.#figures[0] = progress.lsn;
    this.#figures[1] = progress.bytes;
    this.#figures[2] = progress.groups;
  }

  /** Writer side: the ticket of a sync that was requested and not yet served. */
  get syncRequested(): number | undefined {
    const asked = Atomics.load(this.#words, word.syncRequested);
    return asked === (this.#words[word.syncServed] ?? 0) ? undefined : asked;
  }

  serveSync(ticket: number): void {
    Atomics.store(this.#words, word.syncServed, ticket);
  }

  /** Writer side: whether it was told to stop. */
  get stopRequested(): boolean {
    return Atomics.load(this.#words, word.stop) === 1;
  }

  /** Writer side: sleeps until woken or `timeoutMs` have passed; not at all when there is work. */
  sleep(timeoutMs: number): void {
    const seen = Atomics.load(this.#words, word.wake);
    // Order matters: after appending a frame the main side reads `sleeping`, so at least one of the
    // two sees the other's write.
    Atomics.store(this.#words, word.sleeping, 1);
    const { head, tail } = this.#ends();
    if (head === tail && this.syncRequested === undefined && !this.stopRequested) {
      Atomics.wait(this.#words, word.wake, seen, timeoutMs);
    }
    Atomics.store(this.#words, word.sleeping, 0);
  }

  /**
   * Writer side, in a thread with an event loop: resolves when woken, at once when there is work.
   * The thread's other events go on meanwhile.
   */
  async woken(): Promise<void> {
    const seen = Atomics.load(this.#words, word.wake);
    Atomics.store(this.#words, word.sleeping, 1);
    const { head, tail } = this.#ends();
    if (head === tail && this.syncRequested === undefined && !this.stopRequested) {
      await Atomics.waitAsync(this.#words, word.wake, seen).value;
    }
    Atomics.store(this.#words, word.sleeping, 0);
  }

  /** Writer side: waits before a retry; a stop cuts the wait short. */
  pause(timeoutMs: number): void {
    Atomics.wait(this.#words, word.stop, 0, timeoutMs);
  }

  /**
   * Writer side: both ends as of one moment. The main side may move the tail meanwhile, but only
   * once: after that only the writer moves it.
   */
  #ends(): { readonly head: number; readonly tail: number } {
    const tail = Atomics.load(this.#words, word.tail);
    const head = Atomics.load(this.#words, word.head);
    const same = Atomics.load(this.#words, word.tail);
    if (tail === same) return { head, tail };
    return { head: Atomics.load(this.#words, word.head), tail: same };
  }

  #publish(place: number, bytes: number, head: number, tail: number): void {
    if (place === 0) Atomics.store(this.#words, word.wrapEnd, head);
    Atomics.store(this.#words, word.head, place + bytes);
    // An empty ring starts over, and the tail moves with it. Otherwise everything after the tail
    // would be out of reach until the writer moves it. If the writer has moved it already, there is
    // nothing to do.
    if (place === 0 && head === tail) Atomics.compareExchange(this.#words, word.tail, tail, 0);
  }

  /**
   * Where `bytes` fit: after the head, or at the start once the tail has left it; -1 for nowhere.
   */
  #place(bytes: number, head: number, tail: number): number {
    if (head < tail) return head + bytes < tail ? head : -1;
    // An empty ring starts over, so that memory is touched only as far as a backlog needs it.
    const startOver = head === tail && head > this.#startOverBytes && bytes < tail;
    if (!startOver && head + bytes <= this.#frames.length) return head;
    return bytes < tail ? 0 : -1;
  }
}

const word = {
  head: 0,
  tail: 1,
  wrapEnd: 2,
  wake: 3,
  sleeping: 4,
  stop: 5,
  syncRequested: 6,
  syncServed: 7,
} as const;

/** Bytes used of a ring before it starts over when empty; a small ring does sooner. @bound */
const startOverBytesMax = 1_048_576;
