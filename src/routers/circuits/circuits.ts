// Circuits: the part of the control plane that lets clients' traffic flow
// (behaviour/control-channel#circuits).

import { routerKind } from '../../records/router.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { ChangeSet } from '../../store/transaction.ts';
import { Slices } from '../../turns/slices.ts';
import type { RoutersContext } from '../context.ts';
import type {
  ConnectedRouter,
  LinkFault,
  Paths,
  RouterFeature,
  SessionChecks,
  TerminatorCosts,
} from '../router-feature.ts';
import { CircuitAccess } from './circuit-access.ts';
import { CircuitBuilds, circuitBuildBounds } from './circuit-builds.ts';
import { CircuitEndings } from './circuit-endings.ts';
import { createCircuitIds } from './circuit-ids.ts';
import { CircuitInspection, circuitInspectionBounds } from './circuit-inspection.ts';
import { CircuitRecords } from './circuit-records.ts';
import { circuitReportHandlers } from './circuit-reports.ts';
import { circuitRequestHandlers } from './circuit-requests.ts';
import { Reroutes, rerouteBounds } from './reroutes.ts';
import type { ChooseTerminator } from './route-choice.ts';
import { SmartRerouting } from './smart-rerouting.ts';
import { Unroutes, unrouteBounds } from './unroutes.ts';

/** The other parts that circuits work with. */
export interface CircuitParts {
  readonly checks: SessionChecks;
  readonly costs: TerminatorCosts;
  readonly paths: Paths;
  readonly choose: ChooseTerminator;
  /** Takes faults of links, which come in the same messages as those of circuits. */
  readonly linkFault: LinkFault;
}

/** Circuits as a feature of the control plane. */
export interface Circuits extends RouterFeature {
  readonly figures: CircuitFigures;
  /**
   * Must be called before the channels are closed for a stop: circuits go on without the
   * controller, so nothing is to be made of the disconnection of all routers.
   */
  stop(): void;
}

/** How much there is of it now. */
export interface CircuitFigures {
  /** Those included that are being created. */
  readonly circuits: number;
  readonly building: number;
  readonly rerouting: number;
  /** Circuits that routers which are away must forget on their return. */
  readonly unroutesWaiting: number;
}

/** Circuits of one controller. Those that its records hold are restored when it begins to lead. */
export function createCircuits(context: RoutersContext, parts: CircuitParts): Circuits {
  return new CircuitControl(context, parts);
}

class CircuitControl implements Circuits {
  readonly handlers: RouterFeature['handlers'];
  readonly #parts: CircuitParts;
  readonly #records: CircuitRecords;
  readonly #work: Slices;
  readonly #unroutes: Unroutes;
  readonly #builds: CircuitBuilds;
  readonly #reroutes: Reroutes;
  readonly #smart: SmartRerouting;
  readonly #access: CircuitAccess;
  readonly #inspection: CircuitInspection;
  #isStopped = false;

  constructor({ env, connected, log, random }: RoutersContext, parts: CircuitParts) {
    const { bounds, clock } = env;
    const { paths, costs, checks, linkFault } = parts;
    this.#parts = parts;
    const records = (this.#records = new CircuitRecords(env));
    const failed = (err: unknown) => log.error({ err }, 'work on circuits failed');
    const { circuitSliceMs: sliceMs } = boundsOf(sliceBounds, bounds);
    const work = (this.#work = new Slices({ clock, sliceMs, failed }));
    const unroutes = new Unroutes(connected, clock, boundsOf(unrouteBounds, bounds));
    this.#unroutes = unroutes;
    const endings = new CircuitEndings({ records, unroutes, costs, clock, log });
    const common = { env, log, connected, paths, records, endings, unroutes, linkFault };
    const reroutes = new Reroutes({ ...common, work, bounds: boundsOf(rerouteBounds, bounds) });
    this.#reroutes = reroutes;
    const smart = new SmartRerouting({ clock, paths, records, reroutes, work });
    this.#smart = smart;
    const builds = new CircuitBuilds({
      ...common,
      ...parts,
      newId: createCircuitIds(random),
      bounds: boundsOf(circuitBuildBounds, bounds),
      confirmed: ({ links }) => {
        if (links.length > 0) smart.arm();
      },
    });
    this.#builds = builds;
    this.#access = new CircuitAccess({ env, records, endings, work });
    this.#inspection = new CircuitInspection({
      ...common,
      controllerId: env.trust.controllerId,
      work,
      bounds: boundsOf(circuitInspectionBounds, bounds),
    });
    this.handlers = new Map([
      ...circuitRequestHandlers({ env, checks, begin: (request) => builds.begin(request) }),
      ...circuitReportHandlers({ ...common, builds, reroutes }),
    ]);
    paths.onLost((linkIds) => this.#linksLost(linkIds));
    env.fabricOrders.endsCircuits((id, { now, actor }) =>
      endings.end([id], { now, actor, operation: 'deleteCircuit' }),
    );
    env.store.follow((changes) => this.#forgetRouters(changes));
  }

  get figures(): CircuitFigures {
    return {
      circuits: this.#records.size,
      building: this.#builds.size,
      rerouting: this.#reroutes.size,
      unroutesWaiting: this.#unroutes.waiting,
    };
  }

  *lead(): Generator<undefined, void> {
    const records = this.#records;
    yield* records.restore();
    for (const id of records.all()) {
      this.#parts.costs.circuitOpened(records.find(id)?.terminatorId ?? '');
    }
    // What they rest on may have gone in the frames after theirs.
    if (records.size > 0) this.#access.endangerAll();
    if (records.byLink.size > 0) this.#smart.arm();
  }

  succeedFormer(): void {
    this.#inspection.succeedFormer();
  }

  connected(router: ConnectedRouter): void {
    this.#reroutes.routerConnected(router.id);
    this.#unroutes.returned(router.id);
    this.#inspection.connected(router);
  }

  disconnected({ id }: ConnectedRouter): void {
    if (this.#isStopped) return;
    this.#unroutes.lost(id);
    this.#builds.routerGone(id, this.#records.byRouter.of(id));
    this.#reroutes.routerGone(id);
    this.#work.add(this.#reroute(() => this.#overLinksOf(id)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#smart.stop();
    this.#reroutes.stop();
    this.#work.stop();
  }

  #linksLost(linkIds: ReadonlySet<string>): void {
    if (this.#isStopped) return;
    this.#reroutes.linksLost(linkIds);
    const { byLink } = this.#records;
    this.#work.add(this.#reroute(() => [...linkIds].flatMap((id) => [...byLink.of(id)])));
  }

  *#reroute(ids: () => Iterable<string>): Generator<undefined> {
    let seen = 0;
    for (const id of ids()) {
      this.#reroutes.start(id);
      if (++seen % reroutesAStep === 0) yield;
    }
  }

  /** Circuits that are wholly inside a router go on without us. */
  #overLinksOf(routerId: string): string[] {
    const ids = [...this.#records.byRouter.of(routerId)];
    return ids.filter((id) => (this.#records.find(id)?.links.length ?? 0) > 0);
  }

  #forgetRouters({ changes, hasFrame }: ChangeSet): void {
    const isIdle = this.#unroutes.waiting === 0 && this.#inspection.isEmpty;
    if (!hasFrame || isIdle) return;
    for (const { table, row, after } of changes) {
      if (table.kind !== routerKind.kind || after !== undefined) continue;
      this.#unroutes.forget(row.id);
      this.#inspection.forget(row.id);
    }
  }
}

/** Reroutes begun between two looks at the clock. */
const reroutesAStep = 8;

const sliceBounds = {
  /** How long work on circuits takes per turn; a step may exceed it by about 1 ms. @bound */
  circuitSliceMs: 4,
};
