// Has routers forget circuits, those included that are away (behaviour/control-channel#circuits).

import type { Clock } from '../../platform/ports.ts';
import type { ConnectedRouters } from '../router-feature.ts';
import { unrouteMessage } from './routes.ts';

/** Bounds of circuits that routers still have to forget. */
export const unrouteBounds = {
  /**
   * Circuits of one router that is away, at about 100 bytes each. It reports those beyond as idle
   * some time after its return, and is told then. @bound
   */
  unroutesPerRouterMax: 10_000,
  /** Those of all routers that are away. @bound */
  unroutesMax: 200_000,
};

/**
 * How long a message may be lost with its connection: routers and controller notice a dead one
 * within 30 s, and a router that was told in this time is told again on its return.
 */
const lostWithinMs = 60_000;

interface Told {
  readonly circuitId: string;
  /** Monotonic ms. */
  readonly atMs: number;
}

/** Sends unroutes, and keeps them for routers that are away. */
export class Unroutes {
  readonly #connected: ConnectedRouters;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #bounds: typeof unrouteBounds;
  /** By router that is away. */
  readonly #waiting = new Map<string, Set<string>>();
  #waitingCount = 0;
  /** By connected router, oldest first: what it was told to drop at once. */
  readonly #told = new Map<string, Told[]>();

  constructor(
    connected: ConnectedRouters,
    clock: Pick<Clock, 'monotonic'>,
    bounds = unrouteBounds,
  ) {
    this.#connected = connected;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** How many wait for the return of their router. */
  get waiting(): number {
    return this.#waitingCount;
  }

  /** `now` drops what is under way; otherwise a router lets it arrive first. */
  send(routerIds: Iterable<string>, circuitId: string, now: boolean): void {
    let message: ReturnType<typeof unrouteMessage> | undefined;
    for (const routerId of routerIds) {
      const router = this.#connected.get(routerId);
      if (router === undefined) {
        this.#wait(routerId, circuitId);
        continue;
      }
      router.channel.send((message ??= unrouteMessage(circuitId, now)));
      if (now) this.#remember(routerId, circuitId);
    }
  }

  /** Tells a router that is back what it has missed. */
  returned(routerId: string): void {
    const waiting = this.#waiting.get(routerId);
    if (waiting === undefined) return;
    this.forget(routerId);
    for (const circuitId of waiting) this.send([routerId], circuitId, true);
  }

  /** The connection of a router is gone; what it was told last may be lost with it. */
  lost(routerId: string): void {
    const told = this.#told.get(routerId)?.slice(-this.#bounds.unroutesPerRouterMax) ?? [];
    this.#told.delete(routerId);
    const sinceMs = this.#clock.monotonic() - lostWithinMs;
    for (const { circuitId, atMs } of told) {
      if (atMs >= sinceMs) this.#wait(routerId, circuitId);
    }
  }

  /** The router does not exist any more, or everything was told. */
  forget(routerId: string): void {
    this.#waitingCount -= this.#waiting.get(routerId)?.size ?? 0;
    this.#waiting.delete(routerId);
  }

  #wait(routerId: string, circuitId: string): void {
    const { unroutesPerRouterMax, unroutesMax } = this.#bounds;
    const waiting = this.#waiting.get(routerId) ?? new Set();
    if (waiting.has(circuitId)) return;
    if (waiting.size >= unroutesPerRouterMax || this.#waitingCount >= unroutesMax) return;
    this.#waiting.set(routerId, waiting.add(circuitId));
    this.#waitingCount += 1;
  }

  #remember(routerId: string, circuitId: string): void {
    const atMs = this.#clock.monotonic();
    const told = this.#told.get(routerId) ?? [];
    if (told.length === 0) this.#told.set(routerId, told);
    told.push({ circuitId, atMs });
    // Shifted in batches, because each shift moves the whole list.
    if (told.length < 64 || told.length % 64 !== 0) return;
    const overdue = told.findIndex((one) => one.atMs >= atMs - lostWithinMs);
    const over = told.length - this.#bounds.unroutesPerRouterMax;
    told.splice(0, Math.max(overdue, over, 0));
  }
}
