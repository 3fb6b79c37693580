// Circuits without a path while one of their routers is away: their data may flow on without the
// controller, so they end only when the router stays away (behaviour/control-channel#circuits).

import type { Clock } from '../../platform/ports.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import type { Slices } from '../../turns/slices.ts';
import type { ConnectedRouters, Paths } from '../router-feature.ts';
import type { CircuitRecords } from './circuit-records.ts';

/** How long a router may be away: it tries to connect at least once a minute. */
const awayMs = 60_000;
/** How long a router that is back may take to report its links. */
const reportMs = 10_000;
/** How often the circuits are looked at. */
const lookMs = 10_000;
/** Circuits looked at between two looks at the clock. */
const circuitsAStep = 16;

/** The parts that postponed ends work with. */
export interface PostponedEndsOptions {
  readonly clock: Clock;
  readonly connected: ConnectedRouters;
  readonly paths: Paths;
  readonly records: CircuitRecords;
  readonly work: Slices;
  /** Tries to find a path again; postpones again where there is none. */
  readonly retry: (circuitId: string) => void;
  readonly end: (circuitId: string) => void;
}

/** The circuits whose end is postponed, at most as many as there are circuits. */
export class PostponedEnds {
  readonly #options: PostponedEndsOptions;
  /** When each of them ends, in monotonic ms. */
  readonly #untilMs = new Map<string, number>();
  /** When each connected router has connected, in monotonic ms. */
  readonly #connectedMs = new Map<string, number>();
  #isArmed = false;
  #isStopped = false;

  constructor(options: PostponedEndsOptions) {
    this.#options = options;
  }

  /** Ends nothing any more. */
  stop(): void {
    this.#isStopped = true;
  }

  routerConnected(routerId: string): void {
    this.#connectedMs.set(routerId, this.#options.clock.monotonic());
  }

  routerGone(routerId: string): void {
    this.#connectedMs.delete(routerId);
  }

  /** Keeps a circuit without a path for now; false when all of its routers are there. */
  postpone(circuit: CircuitRecord): boolean {
    if (this.#untilMs.has(circuit.id)) return true;
    const now = this.#options.clock.monotonic();
    if (!circuit.routers.some((id) => this.#isAway(id, now))) return false;
    this.#untilMs.set(circuit.id, now + awayMs);
    this.#arm();
    return true;
  }

  #isAway(routerId: string, now: number): boolean {
    if (this.#options.connected.get(routerId) === undefined) return true;
    const connectedMs = this.#connectedMs.get(routerId) ?? Number.NEGATIVE_INFINITY;
    return now - connectedMs < reportMs;
  }

  #arm(): void {
    if (this.#isArmed || this.#isStopped || this.#untilMs.size === 0) return;
    this.#isArmed = true;
    this.#options.clock.after(lookMs, () => this.#options.work.add(this.#look()));
  }

  *#look(): Generator<undefined> {
    try {
      let seen = 0;
      for (const [id, untilMs] of [...this.#untilMs]) {
        if (++seen % circuitsAStep === 0) yield;
        this.#lookAt(id, untilMs);
      }
    } finally {
      this.#isArmed = false;
      this.#arm();
    }
  }

  #lookAt(id: string, untilMs: number): void {
    const { clock, paths, records, retry, end } = this.#options;
    const circuit = records.find(id);
    const now = clock.monotonic();
    if (circuit?.state !== 'active' || paths.costOf({ ...circuit, cost: 0 }) !== undefined) {
      this.#untilMs.delete(id);
    } else if (paths.find(circuit.routers[0] ?? '', circuit.routers.at(-1) ?? '')) {
      this.#untilMs.delete(id);
      retry(id);
    } else if (now >= untilMs || !circuit.routers.some((one) => this.#isAway(one, now))) {
      this.#untilMs.delete(id);
      end(id);
    }
  }
}
