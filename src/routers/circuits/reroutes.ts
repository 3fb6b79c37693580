// Gives circuits another path when theirs is broken, or when another one is much cheaper
// (behaviour/control-channel#circuits).

import type { Environment } from '../../declare/operations/environment.ts';
import type { Log } from '../../observe/logs.ts';
import type { Timer } from '../../platform/ports.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { linkKind } from '../../records/link.ts';
import { terminatorKind } from '../../records/terminator.ts';
import type { Slices } from '../../turns/slices.ts';
import type {
  AvoidedHops,
  ConnectedRouter,
  ConnectedRouters,
  LinkFault,
  Path,
  Paths,
} from '../router-feature.ts';
import { MetRefusals, refuseUnknownLink } from './avoided-hops.ts';
import { tagsOf } from './circuit-builds.ts';
import type { CircuitEndings, CircuitWork } from './circuit-endings.ts';
import type { CircuitRecords } from './circuit-records.ts';
import { PostponedEnds } from './postponed-ends.ts';
import type { RouteResult } from './route-result.ts';
import { rerouteAttempt, routeMessages } from './routes.ts';
import type { Unroutes } from './unroutes.ts';

/** Bounds of rerouting. */
export const rerouteBounds = {
  /** Circuits that wait for their routers at the same time; the others wait in line. @bound */
  reroutesRunningMax: 1000,
};

/** Paths that are tried before the circuit is given up, as in the field. @bound per request */
const triesMax = 2;
/** How long the routers of a new path may take. */
const rerouteTimeoutMs = 10_000;

interface Reroute {
  readonly id: string;
  triesLeft: number;
  timer: Timer | undefined;
  path: Path;
  readonly waiting: Set<string>;
  /** Answers to former paths that routers may still give, by router: they come in this order. */
  readonly owed: Map<string, number>;
  /** Routers of all paths that were tried. */
  readonly told: Set<string>;
  readonly refusals: MetRefusals;
}

/** The parts that reroutes work with. */
export interface ReroutesOptions {
  readonly env: Environment;
  readonly log: Log;
  readonly connected: ConnectedRouters;
  readonly paths: Paths;
  readonly records: CircuitRecords;
  readonly endings: CircuitEndings;
  readonly unroutes: Unroutes;
  readonly work: Slices;
  readonly linkFault: LinkFault;
  readonly bounds?: typeof rerouteBounds;
}

/** The circuits that get another path now; there is at most one reroute of each. */
export class Reroutes implements CircuitWork {
  readonly #options: ReroutesOptions;
  readonly #running = new Map<string, Reroute>();
  /** Circuits that wait for a place among the running ones. */
  readonly #waiting = new Set<string>();
  readonly #postponed: PostponedEnds;

  constructor(options: ReroutesOptions) {
    this.#options = options;
    const { clock } = options.env;
    this.#postponed = new PostponedEnds({
      ...options,
      clock,
      retry: (id) => this.start(id),
      end: (id) => options.endings.end([id], noPath),
    });
    options.endings.with(this);
  }

  /** Gives up no circuit any more. */
  stop(): void {
    this.#postponed.stop();
  }

  /** How many are under way or wait. */
  get size(): number {
    return this.#running.size + this.#waiting.size;
  }

  /**
   * Finds another path for an active circuit; it ends when there is none, at once or when a router
   * that is away has not come back. Nothing happens while one is under way already.
   */
  start(circuitId: string): void {
    const circuit = this.#options.records.find(circuitId);
    if (circuit?.state !== 'active' || this.#waiting.has(circuitId)) return;
    const { reroutesRunningMax } = this.#options.bounds ?? rerouteBounds;
    if (this.#running.size >= reroutesRunningMax) {
      this.#waiting.add(circuitId);
      return;
    }
    const path = this.#findFor(circuit);
    if (path === undefined) {
      if (this.#postponed.postpone(circuit)) return;
      this.#options.endings.end([circuitId], noPath);
      return;
    }
    this.#options.records.reroute(circuitId);
    const reroute: Reroute = {
      id: circuitId,
      triesLeft: triesMax,
      timer: undefined,
      path,
      waiting: new Set(),
      owed: new Map(),
      told: new Set(),
      refusals: new MetRefusals(),
    };
    this.#running.set(circuitId, reroute);
    this.#tell(reroute, circuit);
  }

  /** Takes the result of a router; returns false when it is of no circuit that is rerouted. */
  result(router: ConnectedRouter, result: RouteResult): boolean {
    const reroute = this.#running.get(result.circuitId);
    if (reroute === undefined) return false;
    const owed = reroute.owed.get(router.id) ?? 0;
    if (owed > 0) {
      reroute.owed.set(router.id, owed - 1);
      return true;
    }
    if (!reroute.waiting.delete(router.id)) return true;
    if (!result.isSuccess) {
      reroute.refusals.note(reroute.path, router.id, result);
      refuseUnknownLink(this.#options.linkFault, reroute.path, router, result);
      this.#failed(reroute, `router ${router.id}: ${result.error}`);
    } else if (reroute.waiting.size === 0) this.#finish(reroute);
    return true;
  }

  /** Links are gone: reroutes to a path over one of them look for another. */
  linksLost(linkIds: ReadonlySet<string>): void {
    for (const reroute of [...this.#running.values()]) {
      const lost = reroute.path.links.filter((id) => linkIds.has(id));
      if (lost.length === 0) continue;
      const links = this.#options.env.store.table(linkKind);
      for (const id of lost) {
        const isRefused = links.peek(id)?.record.state === 'refused';
        if (isRefused) reroute.refusals.noteLink(reroute.path, id);
      }
      this.#failed(reroute, 'a link is lost');
    }
  }

  routerConnected(routerId: string): void {
    this.#postponed.routerConnected(routerId);
  }

  /** A router is gone: reroutes that wait for it look for another path. */
  routerGone(routerId: string): void {
    this.#postponed.routerGone(routerId);
    for (const reroute of [...this.#running.values()]) {
      // Its next connection owes nothing.
      reroute.waiting.delete(routerId);
      reroute.owed.delete(routerId);
      if (reroute.path.routers.includes(routerId)) {
        this.#failed(reroute, `router ${routerId} has disconnected`);
      }
    }
  }

  cancel(circuitId: string): Iterable<string> {
    this.#waiting.delete(circuitId);
    const reroute = this.#running.get(circuitId);
    if (reroute === undefined) return [];
    this.#leave(reroute);
    if (this.#waiting.size > 0) this.#options.env.clock.soon(() => this.#next());
    return reroute.told;
  }

  /** What was refused is left out where another path exists. */
  #findFor({ routers }: CircuitRecord, avoided?: AvoidedHops): Path | undefined {
    const { paths } = this.#options;
    const [from, to] = [routers[0] ?? '', routers.at(-1) ?? ''];
    const path = avoided && paths.find(from, to, avoided);
    return path ?? paths.find(from, to);
  }

  #tell(reroute: Reroute, circuit: CircuitRecord): void {
    const { env, connected } = this.#options;
    const { path, waiting, told } = reroute;
    const { ingressId, egressId } = circuit;
    const messages = routeMessages({
      circuitId: circuit.id,
      attempt: rerouteAttempt,
      path: { ...path, ingressId, egressId },
      egress: path.routers.length === 1 ? this.#egressOf(circuit) : undefined,
      timeoutMs: rerouteTimeoutMs,
      tags: tagsOf(circuit),
    });
    reroute.timer?.cancel();
    reroute.timer = env.clock.after(rerouteTimeoutMs, () => {
      const silent = [...waiting].join(', ');
      // Routers that have not answered for so long do not do so any more.
      waiting.clear();
      this.#failed(reroute, `no answer from: ${silent}`);
    });
    const away = path.routers.find((id) => connected.get(id) === undefined);
    if (away !== undefined) {
      this.#failed(reroute, `router ${away} is not connected`);
      return;
    }
    for (const [at, routerId] of path.routers.entries()) {
      const message = messages[at];
      if (message === undefined) continue;
      waiting.add(routerId);
      told.add(routerId);
      connected.get(routerId)?.channel.send(message);
    }
  }

  /** A router that is the whole path knows the way to the host already, and expects it again. */
  #egressOf({ terminatorId }: CircuitRecord) {
    const table = this.#options.env.store.table(terminatorKind);
    const terminator = table.find(terminatorId)?.record;
    if (terminator === undefined) return undefined;
    const { binding, address } = terminator;
    return { binding, destination: address, peerData: new Map<number, Buffer>() };
  }

  #finish(reroute: Reroute): void {
    const { records, unroutes, log } = this.#options;
    const { id, path, told } = reroute;
    const before = records.find(id);
    this.#leave(reroute);
    try {
      records.rerouted(id, path);
    } catch (err) {
      log.warn({ err }, 'the new path of a circuit could not be written');
      this.#options.endings.end([id], { ...noPath, operation: 'giveUpReroute' });
      return;
    }
    for (const routerId of before?.routers ?? []) told.add(routerId);
    for (const routerId of path.routers) told.delete(routerId);
    unroutes.send(told, id, true);
    this.#next();
  }

  #failed(reroute: Reroute, why: string): void {
    const { records, endings, log } = this.#options;
    const { waiting, owed, refusals } = reroute;
    for (const id of waiting) owed.set(id, (owed.get(id) ?? 0) + 1);
    waiting.clear();
    reroute.triesLeft -= 1;
    const circuit = records.find(reroute.id);
    const path = circuit && this.#findFor(circuit, refusals.unlessEmpty);
    if (circuit === undefined || path === undefined || reroute.triesLeft === 0) {
      log.debug({ circuit: reroute.id, why }, 'a circuit ends, as it gets no other path');
      endings.end([reroute.id], noPath);
      this.#leave(reroute);
      this.#next();
      return;
    }
    reroute.path = path;
    this.#tell(reroute, circuit);
  }

  #leave(reroute: Reroute): void {
    reroute.timer?.cancel();
    this.#running.delete(reroute.id);
  }

  /** Begins those that waited for a place. */
  #next(): void {
    const { reroutesRunningMax } = this.#options.bounds ?? rerouteBounds;
    for (const id of this.#waiting) {
      if (this.#running.size >= reroutesRunningMax) return;
      this.#waiting.delete(id);
      this.start(id);
    }
  }
}

const noPath = { now: true, actor: 'controller', operation: 'endCircuitWithoutPath' } as const;
