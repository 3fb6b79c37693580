// Ends circuits: their routers are told at once, and the records follow.

import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { type NextRun, onceATurn } from '../../turns/once-a-turn.ts';
import type { TerminatorCosts } from '../router-feature.ts';
import { type CircuitRecords, circuitsAFrameMax } from './circuit-records.ts';
import type { Unroutes } from './unroutes.ts';

/** How and by whom circuits are ended. */
export interface CircuitEnd {
  /** Whether routers drop what is under way. */
  readonly now: boolean;
  /** The actor of the frame: the id of a router, or `controller`. */
  readonly actor: string;
  /** The reason, as the operation of the frame. */
  readonly operation: string;
}

/** Work under way for circuits, which ends with them. */
export interface CircuitWork {
  /** Gives up the work for a circuit; returns the routers besides its path that know of it. */
  cancel(circuitId: string): Iterable<string>;
}

/** How long records wait that could not be removed, as the log takes no writes. */
const retryMs = 200;

/** Ends circuits of any state. */
export class CircuitEndings {
  readonly #records: CircuitRecords;
  readonly #unroutes: Unroutes;
  readonly #costs: TerminatorCosts;
  readonly #log: Log;
  readonly #works: CircuitWork[] = [];
  /** Ended circuits whose records are still to be removed. */
  readonly #unwritten = new Set<string>();
  readonly #nextTry: NextRun;

  constructor(options: {
    readonly records: CircuitRecords;
    readonly unroutes: Unroutes;
    readonly costs: TerminatorCosts;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#records = options.records;
    this.#unroutes = options.unroutes;
    this.#costs = options.costs;
    this.#nextTry = onceATurn(options.clock, () => this.#retry());
    this.#log = options.log;
  }

  /** Adds work that is given up with a circuit. */
  with(work: CircuitWork): void {
    this.#works.push(work);
  }

  /**
   * Ends circuits; those that have ended already are left out. It must not be called while a
   * transaction is open, and with at most `circuitsAFrameMax` ids.
   */
  end(ids: readonly string[], { now, actor, operation }: CircuitEnd): void {
    const ended: string[] = [];
    for (const id of ids) {
      const circuit = this.#records.find(id);
      if (circuit === undefined) continue;
      const routers = this.#release(circuit);
      this.#records.hide(id);
      this.#unroutes.send(routers, id, now);
      ended.push(id);
    }
    if (ended.length > 0) this.#remove(ended, actor, operation);
  }

  #release(circuit: CircuitRecord): ReadonlySet<string> {
    const routers = new Set(circuit.routers);
    for (const work of this.#works) {
      for (const routerId of work.cancel(circuit.id)) routers.add(routerId);
    }
    if (circuit.state !== 'routing') this.#costs.circuitClosed(circuit.terminatorId);
    return routers;
  }

  #remove(ids: readonly string[], actor: string, operation: string): void {
    try {
      this.#records.remove(ids, actor, operation);
    } catch (err) {
      this.#log.warn({ err, circuits: ids.length }, 'the end of circuits could not be written yet');
      for (const id of ids) this.#unwritten.add(id);
      this.#nextTry.requestIn(retryMs);
    }
  }

  #retry(): void {
    const ids = [...this.#unwritten].slice(0, circuitsAFrameMax);
    try {
      this.#records.remove(ids, 'controller', 'endCircuit');
    } catch {
      // Told already, at the first time.
      this.#nextTry.requestIn(retryMs);
      return;
    }
    for (const id of ids) this.#unwritten.delete(id);
    if (this.#unwritten.size > 0) this.#nextTry.request();
  }
}
