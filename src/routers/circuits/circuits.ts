// Circuits: the part of the control plane that lets clients' traffic flow
// (behaviour/control-channel#circuits).

import { boundsOf } from '../../bounds.ts';
import type {
  ConnectedRouter,
  Paths,
  RouterFeature,
  RoutersContext,
  SessionChecks,
  TerminatorCosts,
} from '../contract.ts';
import { CircuitAccess } from './circuit-access.ts';
import { CircuitBuilds, circuitBuildBounds } from './circuit-builds.ts';
import { CircuitEndings } from './circuit-endings.ts';
import { createCircuitIds } from './circuit-ids.ts';
import { CircuitRecords } from './circuit-records.ts';
import { circuitReportHandlers, type LinkFault } from './circuit-reports.ts';
import { circuitRequestHandlers } from './circuit-requests.ts';
import { Reroutes, rerouteBounds } from './reroutes.ts';
import type { ChooseTerminator } from './route-choice.ts';
import { SlicedWork, slicedWorkBounds } from './sliced-work.ts';
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

/**
 * Circuits of one controller. Those that its records hold are restored at once, so the store must
 * be attached.
 */
export function createCircuits(context: RoutersContext, parts: CircuitParts): Circuits {
  const { env, connected, log, random } = context;
  const { bounds, clock, store } = env;
  const { paths, costs, checks, choose, linkFault } = parts;
  const records = new CircuitRecords(env);
  const work = new SlicedWork(clock, log, boundsOf(slicedWorkBounds, bounds));
  const unroutes = new Unroutes(connected, clock, boundsOf(unrouteBounds, bounds));
  const endings = new CircuitEndings({ records, unroutes, costs, clock, log });
  const common = { env, log, connected, paths, records, endings, unroutes };
  const reroutes = new Reroutes({ ...common, bounds: boundsOf(rerouteBounds, bounds) });
  const isConnected = (routerId: string) => connected.get(routerId) !== undefined;
  const smart = new SmartRerouting({ clock, paths, records, reroutes, work, isConnected });
  const builds = new CircuitBuilds({
    ...common,
    costs,
    choose,
    newId: createCircuitIds(random),
    bounds: boundsOf(circuitBuildBounds, bounds),
    confirmed: ({ links }) => {
      if (links.length > 0) smart.arm();
    },
  });
  const access = new CircuitAccess({ env, records, endings, work });
  let isStopped = false;
  restore();
  paths.onLost((linkIds) => {
    if (isStopped) return;
    reroutes.linksLost(linkIds);
    work.add(rerouteAll(() => [...linkIds].flatMap((id) => [...records.byLink.of(id)])));
  });
  store.follow(({ changes, hasFrame }) => {
    if (!hasFrame || unroutes.waiting === 0) return;
    for (const { table, row, after } of changes) {
      if (table.kind === 'router' && after === undefined) unroutes.forget(row.id);
    }
  });

  function restore(): void {
    for (const _ of records.restore());
    for (const id of records.all()) costs.circuitOpened(records.find(id)?.terminatorId ?? '');
    // What they rest on may have gone in the frames after theirs.
    if (records.size > 0) access.suspectAll();
    if (records.byLink.size > 0) smart.arm();
  }

  function* rerouteAll(ids: () => Iterable<string>): Generator<undefined> {
    let seen = 0;
    for (const id of ids()) {
      reroutes.start(id);
      if (++seen % reroutesAStep === 0) yield;
    }
  }

  /** Circuits that are wholly inside the router go on without us. */
  function overLinksOf(router: ConnectedRouter): string[] {
    const ids = [...records.byRouter.of(router.id)];
    return ids.filter((id) => (records.find(id)?.links.length ?? 0) > 0);
  }

  return {
    handlers: new Map([
      ...circuitRequestHandlers({ env, checks, begin: (request) => builds.begin(request) }),
      ...circuitReportHandlers({ ...common, builds, reroutes, work, linkFault }),
    ]),
    connected: ({ id }) => unroutes.returned(id),
    disconnected(router) {
      if (isStopped) return;
      unroutes.lost(router.id);
      builds.routerGone(router.id, records.byRouter.of(router.id));
      reroutes.routerGone(router.id);
      work.add(rerouteAll(() => overLinksOf(router)));
    },
    get figures() {
      return {
        circuits: records.size,
        building: builds.size,
        rerouting: reroutes.size,
        unroutesWaiting: unroutes.waiting,
      };
    },
    stop() {
      isStopped = true;
      smart.stop();
      work.stop();
    },
  };
}

/** Reroutes begun between two looks at the clock. */
const reroutesAStep = 8;
