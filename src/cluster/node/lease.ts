// The lease of the leader: until when its answers may leave, as both of its clocks see it. The
// cluster thread writes it, the main thread asks it before each answer.

import type { Clock } from '../../platform/ports.ts';

/**
 * How long reads are answered after the first send of the last acknowledged message. So a pause
 * that no clock sees makes them stale for as long at most.
 */
export const leaseMs = 2000;

/** A leader that has sent nothing for so long sends a heartbeat. */
export const heartbeatMs = 1000;

/** How often the main thread writes that it is alive. */
export const lifeSignMs = 250;

/**
 * A main thread that was silent for so long hangs: its node sends no more heartbeats, so another
 * node takes over. Four signs may be late, because a collection of garbage may take that long.
 */
const lifeSilenceMs = 1000;

/** One moment on both clocks of a machine, in ms. */
export interface Moment {
  readonly monotonicMs: number;
  /** Since 1970. It also counts while the machine sleeps, but may be set. */
  readonly wallMs: number;
}

/** Memory of a lease that both threads share. */
export function leaseMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(figure.count * Float64Array.BYTES_PER_ELEMENT);
}

/** The lease as the cluster thread writes it (behaviour/cluster#lease). */
export class Lease {
  readonly #figures: Float64Array;
  readonly #clock: Clock;
  #ended = false;

  /** @param clock its monotonic time is that of the main thread, too (`sharedClock`) */
  constructor(memory: SharedArrayBuffer, clock: Clock) {
    this.#figures = new Float64Array(memory);
    this.#clock = clock;
  }

  /**
   * A message was acknowledged whose first copy was sent at `sent`. The lease is counted from
   * there, since another node may have seen the message before this one heard of it.
   */
  renew(sent: Moment): void {
    if (this.#ended) return;
    // Each clock may only move forward; a torn read is then never longer than the newer lease.
    const { monotonic, wall } = figure;
    this.#figures[wall] = sent.wallMs + leaseMs;
    this.#figures[monotonic] = Math.max(this.#figures[monotonic] ?? 0, sent.monotonicMs + leaseMs);
  }

  /** Ends it at once and for good: this process leads no more. */
  end(): void {
    this.#ended = true;
    this.#figures[figure.monotonic] = 0;
    this.#figures[figure.wall] = 0;
  }

  /** Whether the main thread has shown a sign of life lately. */
  get isMainThreadAlive(): boolean {
    const silenceMs = this.#clock.monotonic() - (this.#figures[figure.lifeSign] ?? 0);
    return silenceMs <= lifeSilenceMs;
  }
}

/** The lease as the main thread reads it. */
export class LeaseReader {
  readonly #figures: Float64Array;
  readonly #clock: Clock;

  /** @param clock its monotonic time is that of the cluster thread, too (`sharedClock`) */
  constructor(memory: SharedArrayBuffer, clock: Clock) {
    this.#figures = new Float64Array(memory);
    this.#clock = clock;
  }

  /** Whether an answer may leave now: the lease has run out on neither clock. */
  mayAnswer(): boolean {
    return (
      this.#clock.monotonic() < (this.#figures[figure.monotonic] ?? 0) &&
      this.#clock.now() < (this.#figures[figure.wall] ?? 0)
    );
  }

  /** Shows that the main thread is alive; called every `lifeSignMs`. */
  showLife(): void {
    this.#figures[figure.lifeSign] = this.#clock.monotonic();
  }
}

/** Places in the shared memory; a float of 64 bits is written in one piece. */
const figure = { monotonic: 0, wall: 1, lifeSign: 2, count: 3 } as const;
