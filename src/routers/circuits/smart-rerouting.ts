// Moves circuits to much cheaper paths, a few per minute
// (behaviour/control-channel#circuits).

import type { Clock, Timer } from '../../platform/ports.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import type { Slices } from '../../turns/slices.ts';
import type { Path, Paths } from '../router-feature.ts';
import type { CircuitRecords } from './circuit-records.ts';
import type { Reroutes } from './reroutes.ts';

const cycleMs = 60_000;
/** A new path must be cheaper by this much. */
const costDelta = 15;
/** The share of the circuits that one cycle moves. */
const fraction = 0.02;
/**
 * Circuits that one cycle moves, so that a change of latency does not move everything at once.
 * @bound per controller
 */
const movedMax = 4;
/** Circuits looked at between two looks at the clock. */
const circuitsAStep = 64;

/** The parts that smart rerouting works with. */
export interface SmartReroutingOptions {
  readonly clock: Clock;
  readonly paths: Paths;
  readonly records: CircuitRecords;
  readonly reroutes: Reroutes;
  readonly work: Slices;
}

/** Looks for cheaper paths once a minute, while there are circuits over links. */
export class SmartRerouting {
  readonly #options: SmartReroutingOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: SmartReroutingOptions) {
    this.#options = options;
  }

  /** There may be circuits over links from now on. */
  arm(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = this.#options.clock.after(cycleMs, () => {
      this.#timer = undefined;
      this.#options.work.add(this.#cycle());
      if (this.#options.records.byLink.size > 0) this.arm();
    });
  }

  /** Begins no further cycle. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  *#cycle(): Generator<undefined> {
    const costs: { readonly id: string; readonly cost: number }[] = [];
    let seen = 0;
    for (const id of this.#options.records.all()) {
      if (++seen % circuitsAStep === 0) yield;
      const circuit = this.#active(id);
      if (circuit === undefined) continue;
      const cost = this.#options.paths.costOf({ ...circuit, cost: 0 });
      if (cost !== undefined) costs.push({ id, cost });
      // After a restart, nobody tells that a router or link is gone which was there before. The
      // routers have had a minute to come back and to report their links.
      else this.#options.reroutes.start(id);
    }
    costs.sort((left, right) => right.cost - left.cost);
    yield;
    let left = Math.min(movedMax, Math.max(1, Math.floor(fraction * costs.length)));
    const found = new Map<string, Path | undefined>();
    for (const { id, cost } of costs) {
      if (left === 0) return;
      if (++seen % circuitsAStep === 0) yield;
      const circuit = this.#active(id);
      if (circuit === undefined || !this.#isWorthIt(circuit, cost, found)) continue;
      this.#options.reroutes.start(id);
      left -= 1;
    }
  }

  /** A circuit over links that is not being changed. */
  #active(id: string): CircuitRecord | undefined {
    const circuit = this.#options.records.find(id);
    return circuit?.state === 'active' && circuit.links.length > 0 ? circuit : undefined;
  }

  #isWorthIt(
    { routers, links }: CircuitRecord,
    cost: number,
    found: Map<string, Path | undefined>,
  ): boolean {
    const { paths } = this.#options;
    const [from = ''] = routers;
    const to = routers.at(-1) ?? '';
    const ends = `${from} ${to}`;
    if (!found.has(ends)) found.set(ends, paths.find(from, to));
    const path = found.get(ends);
    if (path === undefined || isSame(path.links, links)) return false;
    const newCost = paths.costOf(path);
    return newCost !== undefined && cost - newCost >= costDelta;
  }
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((id, at) => id === right[at]);
}
