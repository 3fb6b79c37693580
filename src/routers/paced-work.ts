// Work for many routers that connect at the same time, oldest first and in slices: what waits to
// leave stays within a bound, and other requests keep their turns.

import type { Channel } from '../channel/channel-api.ts';
import type { Clock } from '../platform/ports.ts';
import { type NextRun, onceATurn } from '../turns/once-a-turn.ts';

/** Bounds of paced work. */
export const pacedWorkBounds = {
  /**
   * Bytes that wait to leave for the routers that were served last; beyond that, no further router
   * is served until some have left. With 600 KB for a router's sync, 100 syncs are under way.
   * @bound per controller
   */
  pacedBytesMax: 64 * 1024 * 1024,
  /**
   * How long the bytes of one router count, in ms. Routers that read nothing must not keep others
   * from being served; their own bytes have a bound per channel. @bound per entity
   */
  countedMsMax: 2000,
  /**
   * How many routers within `waveMs` are a fleet that comes back, and the time in ms. A hello takes
   * a few milliseconds of all processors together, so these keep an eighth of them busy.
   * @bound per controller
   */
  waveRoutersMin: 16,
  waveMs: 200,
  /**
   * How long work waits for a fleet to come back, in ms: routers wait 5 s for the answer to their
   * hello, and much longer for what follows. @bound per entity
   */
  heldMsMax: 8000,
  /** How long the work may take per turn of the event loop, in ms. @bound per controller */
  turnMsMax: 2,
};

/** The part of a router that is looked at. */
interface Served {
  readonly channel: Pick<Channel, 'unsentBytes' | 'isClosed'>;
}

interface Waiting {
  readonly router: Served;
  readonly work: () => void;
  /** Monotonic ms. */
  readonly sinceMs: number;
}

/** The waiting work of all routers. */
export class PacedWork {
  readonly #clock: Clock;
  readonly #bounds: typeof pacedWorkBounds;
  #waiting: Waiting[] = [];
  #first = 0;
  /** The channels that were served, and monotonic ms until which their bytes count. */
  readonly #served = new Map<Served['channel'], number>();
  /** When the last routers came, in monotonic ms; the oldest is at `#arrivalAt`. */
  readonly #arrivals: number[];
  #arrivalAt = 0;
  readonly #next: NextRun;

  constructor(clock: Clock, bounds: typeof pacedWorkBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#next = onceATurn(clock, () => this.#turn());
    this.#arrivals = new Array<number>(bounds.waveRoutersMin).fill(Number.NEGATIVE_INFINITY);
  }

  /** How much waits. */
  get size(): number {
    return this.#waiting.length - this.#first;
  }

  /** A router has connected. */
  arrived(): void {
    this.#arrivals[this.#arrivalAt] = this.#clock.monotonic();
    this.#arrivalAt = (this.#arrivalAt + 1) % this.#arrivals.length;
  }

  /** Calls `work` in its turn, unless the channel is closed by then. It must not throw. */
  add(router: Served, work: () => void): void {
    this.#waiting.push({ router, work, sinceMs: this.#clock.monotonic() });
    this.#next.request();
  }

  #turn(): void {
    const { pacedBytesMax, countedMsMax, turnMsMax } = this.#bounds;
    const beganMs = this.#clock.monotonic();
    if (this.#isHeld(beganMs)) {
      this.#next.requestIn(retryMs);
      return;
    }
    let unsentBytes = this.#unsentBytes(beganMs);
    while (this.size > 0 && unsentBytes < pacedBytesMax) {
      const { router, work } = this.#take();
      if (router.channel.isClosed) continue;
      work();
      unsentBytes += router.channel.unsentBytes;
      this.#served.set(router.channel, beganMs + countedMsMax);
      if (this.#clock.monotonic() - beganMs >= turnMsMax) break;
    }
    if (this.size === 0) return;
    if (unsentBytes < pacedBytesMax) this.#next.request();
    else this.#next.requestIn(retryMs);
  }

  /** Whether the oldest work waits for a fleet that comes back. */
  #isHeld(nowMs: number): boolean {
    const { waveMs, heldMsMax } = this.#bounds;
    const oldestArrivalMs = this.#arrivals[this.#arrivalAt] ?? 0;
    const sinceMs = this.#waiting[this.#first]?.sinceMs ?? Number.NEGATIVE_INFINITY;
    return nowMs - oldestArrivalMs < waveMs && nowMs - sinceMs < heldMsMax;
  }

  #take(): Waiting {
    const taken = this.#waiting[this.#first] as Waiting;
    this.#first += 1;
    if (this.#first === this.#waiting.length || this.#first === compactedAt) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return taken;
  }

  #unsentBytes(nowMs: number): number {
    let sum = 0;
    for (const [channel, untilMs] of this.#served) {
      if (channel.unsentBytes === 0 || channel.isClosed || untilMs <= nowMs) {
        this.#served.delete(channel);
      } else {
        sum += channel.unsentBytes;
      }
    }
    return sum;
  }
}

/** How soon it looks again whether bytes have left, in ms. */
const retryMs = 10;
/** How many entries that are done stay in front of those that wait. */
const compactedAt = 1024;
