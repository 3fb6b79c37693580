// Which of the routers that wait for a handshake can still be served in their time.

/** A router that waits for its handshake. */
export interface WaitingRouter {
  /** Monotonic ms. */
  readonly arrivedMs: number;
  /** When it is closed, in monotonic ms, if its turn cannot come in time; undefined if it could. */
  closesMs: number | undefined;
}

/** The bounds that a pace works with. */
export interface PaceBounds {
  readonly controlPatienceMs: number;
  /** Before anything was measured. */
  readonly controlWaitMs: number;
}

/**
 * The measured pace of control handshakes. Routers that all lost their connection at once dial at
 * once, and pause after a failed attempt for 2 s, 4 s and so on. So each waits for as long as its
 * own time allows, and those that cannot be served by then are closed part by part meanwhile:
 * closed together, they would come back together, after a time in which nobody dials
 * (measurements/2026-11-25-returning-fleet).
 */
export class ControlPace {
  readonly #bounds: PaceBounds;
  /**
   * Ms from one begun handshake to the next while others wait; undefined before the first window.
   */
  #intervalMs: number | undefined;
  /** The window that is measured now: since when, and handshakes begun in it. */
  #window: { readonly sinceMs: number; count: number } | undefined;
  /** The ms that a router must have left when its handshake begins. */
  #reserveMs: number;
  /** The part of its remaining time after which the next one is closed. */
  #part = 0;

  constructor(bounds: PaceBounds) {
    this.#bounds = bounds;
    this.#reserveMs = bounds.controlPatienceMs - bounds.controlWaitMs;
  }

  /** A handshake begins. */
  began(nowMs: number, doOthersWait: boolean): void {
    const window = this.#window;
    if (!doOthersWait) this.#window = undefined;
    else if (window === undefined) this.#window = { sinceMs: nowMs, count: 0 };
    else if (++window.count === windowHandshakes) {
      this.#intervalMs = (nowMs - window.sinceMs) / windowHandshakes;
      this.#window = { sinceMs: nowMs, count: 0 };
    }
  }

  /** A hello was accepted: the next handshake may begin later. */
  served(): void {
    this.#reserveMs = Math.max(leastReserveMs, this.#reserveMs - servedMs);
  }

  /** A router has gone in its handshake: the next one must begin earlier. */
  abandoned(): void {
    this.#reserveMs = Math.min(mostReserveMs, this.#reserveMs + abandonedMs);
  }

  /** How long a router may have waited when its handshake begins, in ms. */
  get waitMs(): number {
    return this.#bounds.controlPatienceMs - this.#reserveMs;
  }

  /**
   * Looks at those that wait, in the order of their turns. If there are none, what was measured is
   * forgotten: it says nothing of the next time.
   * @returns those that are to be closed now
   */
  closing<W extends WaitingRouter>(nowMs: number, waiting: Iterable<W>): W[] {
    const { waitMs } = this;
    const closing: W[] = [];
    let before = 0;
    for (const router of waiting) {
      const latestMs = router.arrivedMs + waitMs;
      if (nowMs + before * (this.#intervalMs ?? 0) > latestMs) {
        router.closesMs ??= this.#spread(nowMs, latestMs);
        if (router.closesMs <= nowMs) closing.push(router);
      }
      before += 1;
    }
    if (before === 0) this.#forget();
    return closing;
  }

  /** A moment in the time that is left. */
  #spread(nowMs: number, latestMs: number): number {
    this.#part = (this.#part + goldenPart) % 1;
    return nowMs + this.#part * Math.max(0, latestMs - nowMs);
  }

  #forget(): void {
    this.#intervalMs = undefined;
    this.#reserveMs = this.#bounds.controlPatienceMs - this.#bounds.controlWaitMs;
  }
}

/** Handshakes per measurement of the interval: some turns of the event loop. */
const windowHandshakes = 64;
/** One router in 20 may go in its handshake; more of them make the reserve grow. */
const servedMs = 1;
const abandonedMs = 20;
const leastReserveMs = 200;
const mostReserveMs = 3000;
/** Multiples of it, modulo 1, are spread evenly, however many there are. */
const goldenPart = (Math.sqrt(5) - 1) / 2;
