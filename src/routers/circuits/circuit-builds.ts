// Creates circuits: chooses a route, tells all its routers at once, and waits for their results.

import type { CircuitRight, CircuitRoute } from '../../../machines/circuit.ts';
import type { Frame } from '../../channel/channel-api.ts';
import type { Log } from '../../observe/logs.ts';
import type { Timer } from '../../platform/ports.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { terminatorKind } from '../../records/terminator.ts';
import type { Row } from '../../store/record.ts';
import type { RoutersEnvironment } from '../context.ts';
import {
  type AvoidedHops,
  type ConnectedRouter,
  type ConnectedRouters,
  type DialFailureCause,
  type LinkFault,
  type RouterRefusal,
  RouterRequestRefused,
  retryHints,
  routerErrors,
  type TerminatorCosts,
} from '../router-feature.ts';
import { hostDataOf } from '../terminators/host-data.ts';
import { MetRefusals, refuseUnknownLink } from './avoided-hops.ts';
import type { CircuitEndings, CircuitWork } from './circuit-endings.ts';
import type { CircuitRecords } from './circuit-records.ts';
import { forwarded, type PeerData, peerDataKeys, peerDataOfResult } from './peer-data.ts';
import {
  type ChosenRoute,
  chooseRoute,
  hostOf,
  type NoRoute,
  type RouteChoiceOptions,
} from './route-choice.ts';
import { causeOfResult, type RouteResult, terminatorIsInvalid } from './route-result.ts';
import { routeMessages } from './routes.ts';
import type { Unroutes } from './unroutes.ts';

/** Bounds of circuits that are being created. */
export const circuitBuildBounds = {
  /** Circuits whose routers one router waits for: 100 per second of the deadline. @bound */
  circuitBuildsPerRouterMax: 1000,
};

/**
 * Attempts to create one circuit, each with a new choice of the terminator, as in the field.
 * @bound per request
 */
const attemptsMax = 2;
/** The time for all attempts together (behaviour/control-channel#circuits). */
const buildTimeoutMs = 10_000;

/** A circuit that a router asks for. */
export interface CircuitRequest {
  /** The router to which the client is connected. */
  readonly router: ConnectedRouter;
  readonly right: CircuitRight;
  /** The address of the client's end, when the router has chosen it. */
  readonly ingressId?: string | undefined;
  readonly instanceId: string;
  readonly peerData: PeerData;
  /** Called once, unless the router is gone by then. */
  readonly answer: CircuitAnswer;
}

/** How the router of a request is answered. */
export interface CircuitAnswer {
  created(circuit: CircuitRecord, peerData: PeerData): void;
  /** With the circuit, if routers were told of one. */
  refused(refusal: RouterRefusal, circuit?: CircuitRecord): void;
}

/** The work for a circuit that is being created; its record has the attempt and the path. */
interface Build {
  readonly id: string;
  readonly request: CircuitRequest;
  /** Monotonic ms. */
  readonly untilMs: number;
  timer: Timer | undefined;
  route: ChosenRoute;
  /** Routers whose result of this attempt is still missing. */
  readonly waiting: Set<string>;
  /** Routers that may know the circuit, from all attempts. */
  readonly told: Set<string>;
  hostData: PeerData;
  /** The refusals of earlier attempts, if there were any. */
  refusals?: MetRefusals;
}

/** The parts that builds work with. */
export interface CircuitBuildsOptions extends RouteChoiceOptions {
  readonly env: RoutersEnvironment;
  readonly log: Log;
  readonly connected: ConnectedRouters;
  readonly costs: TerminatorCosts;
  readonly newId: () => string;
  readonly records: CircuitRecords;
  readonly endings: CircuitEndings;
  readonly unroutes: Unroutes;
  readonly bounds?: typeof circuitBuildBounds;
  readonly linkFault: LinkFault;
  /** Told of each circuit that carries traffic from now on. */
  readonly confirmed: (circuit: CircuitRecord) => void;
}

/** The circuits that are being created. */
export class CircuitBuilds implements CircuitWork {
  readonly #options: CircuitBuildsOptions;
  readonly #builds = new Map<string, Build>();
  /** How many each router waits for. */
  readonly #counts = new Map<string, number>();

  constructor(options: CircuitBuildsOptions) {
    this.#options = options;
    options.endings.with(this);
  }

  /** How many are being created. */
  get size(): number {
    return this.#builds.size;
  }

  /** Begins to create a circuit. The answer is given at once when it is refused. */
  begin(request: CircuitRequest): void {
    try {
      this.#admit(request);
      const service = this.#serviceOf(request.right.serviceId);
      expectKey(service.record, request.peerData, 'the request');
      this.#create(request, this.#choose(request, service));
    } catch (error) {
      if (!(error instanceof RouterRequestRefused)) throw error;
      request.answer.refused(error.refusal);
    }
  }

  /**
   * Takes the result of a router; returns false when it is of no circuit that is being created.
   * @throws MalformedMessage
   */
  result(router: ConnectedRouter, result: RouteResult, frame: Frame): boolean {
    const build = this.#builds.get(result.circuitId);
    const circuit = this.#options.records.find(result.circuitId);
    if (build === undefined || circuit === undefined) return false;
    // A late result of an earlier attempt: its router is told to forget it when the build ends.
    if (result.attempt !== circuit.attempt || !build.waiting.delete(router.id)) return true;
    const isHost = router.id === circuit.routers.at(-1);
    if (!result.isSuccess) {
      if (isHost) this.#terminatorFailed(build, result);
      this.#refused(build, circuit, router, result);
      const text = `router ${router.id}: ${result.error}`;
      this.#attemptFailed(build, circuit, { cause: causeOfResult(result), text });
      return true;
    }
    if (isHost) {
      try {
        build.hostData = peerDataOfResult(frame.headers);
      } catch (error) {
        this.#give(build, refusal('the peer data of the host is malformed', 'ROUTER_REFUSED'));
        throw error;
      }
    }
    if (build.waiting.size === 0) this.#finish(build, circuit);
    return true;
  }

  /** A router is gone: its own builds end, those that wait for it are tried again. */
  routerGone(routerId: string, circuitIds: Iterable<string>): void {
    for (const id of [...circuitIds]) {
      const build = this.#builds.get(id);
      const circuit = this.#options.records.find(id);
      if (build === undefined || circuit === undefined) continue;
      if (build.request.router.id === routerId) this.#give(build, undefined);
      else if (build.waiting.delete(routerId)) {
        const text = `router ${routerId} has disconnected`;
        this.#attemptFailed(build, circuit, { cause: 'ROUTER_DISCONNECTED', text });
      }
    }
  }

  cancel(circuitId: string): Iterable<string> {
    const build = this.#builds.get(circuitId);
    if (build === undefined) return [];
    const circuit = this.#options.records.find(circuitId);
    this.#leave(build);
    build.request.answer.refused(refusal('the circuit has ended', 'CIRCUIT_ENDED'), circuit);
    return build.told;
  }

  #admit({ router, right }: CircuitRequest): void {
    const { env, records, bounds = circuitBuildBounds } = this.#options;
    const { limits } = env;
    const { sessionId, identityId } = right;
    const building = this.#counts.get(router.id) ?? 0;
    if (building >= bounds.circuitBuildsPerRouterMax) throw busy('the router creates too many');
    if (records.size >= limits.circuitsMax) throw busy('there are too many');
    if (records.byRouter.of(router.id).size >= limits.circuitsPerRouterMax) {
      throw busy('the router has too many');
    }
    if (records.count('identityId', identityId) >= limits.circuitsPerIdentityMax) {
      throw busy('the identity has too many');
    }
    if (sessionId !== undefined) {
      if (records.count('sessionId', sessionId) >= limits.circuitsPerSessionMax) {
        throw busy('the session has too many');
      }
    }
    try {
      env.memory.admitRecord();
    } catch {
      throw busy('the memory is full');
    }
  }

  #serviceOf(id: string): Row<ServiceRecord> {
    const service = this.#options.env.store.table(serviceKind).find(id);
    if (service !== undefined) return service;
    throw new RouterRequestRefused({
      code: routerErrors.invalidService,
      retryHint: retryHints.notRetriable,
      text: 'the service does not exist',
    });
  }

  /** @throws RouterRequestRefused */
  #choose(
    request: CircuitRequest,
    service: Row<ServiceRecord>,
    avoided?: AvoidedHops,
  ): ChosenRoute {
    const { instanceId, peerData, router } = request;
    const wanted = { service, instanceId, peerData, ingressRouterId: router.id, avoided };
    const route = chooseRoute(this.#options, wanted);
    if ('cause' in route) throw new RouterRequestRefused(refusal(route.text, route.cause));
    const { records, env } = this.#options;
    for (const id of route.path.routers) {
      if (records.byRouter.of(id).size >= env.limits.circuitsPerRouterMax) {
        throw busy(`router ${id} has too many`);
      }
    }
    return route;
  }

  #create(request: CircuitRequest, route: ChosenRoute): void {
    const { env, records, newId } = this.#options;
    const id = newId();
    const build: Build = {
      id,
      request,
      untilMs: env.clock.monotonic() + buildTimeoutMs,
      timer: undefined,
      route,
      waiting: new Set(),
      told: new Set(),
      hostData: new Map(),
    };
    const fields = { ...request.right, ...this.#routeOf(request, route) };
    records.create(id, fields, request.router.id);
    this.#builds.set(id, build);
    this.#count(request.router.id, 1);
    build.timer = env.clock.after(buildTimeoutMs, () => this.#timedOut(build));
    this.#tell(build);
  }

  /** Ids are new for every attempt, so that what is left of an earlier one cannot be mixed in. */
  #routeOf({ ingressId }: CircuitRequest, { terminator, path }: ChosenRoute): CircuitRoute {
    const { newId } = this.#options;
    return {
      terminatorId: terminator.id,
      hostId: hostOf(terminator),
      routers: path.routers,
      links: path.links,
      ingressId: ingressId ?? newId(),
      egressId: newId(),
    };
  }

  #tell(build: Build): void {
    const { env, connected, records } = this.#options;
    const { route, request } = build;
    const circuit = records.find(build.id);
    if (circuit === undefined) return;
    const messages = routeMessages({
      circuitId: circuit.id,
      attempt: circuit.attempt,
      path: circuit,
      egress: {
        binding: route.terminator.binding,
        destination: route.terminator.address,
        peerData: forwarded(request.peerData),
      },
      timeoutMs: build.untilMs - env.clock.monotonic(),
      tags: tagsOf(circuit),
    });
    for (const routerId of circuit.routers) build.waiting.add(routerId);
    for (const [at, routerId] of circuit.routers.entries()) {
      const message = messages[at];
      const router = connected.get(routerId);
      if (router === undefined || message === undefined) {
        const text = `router ${routerId} is not connected`;
        this.#attemptFailed(build, circuit, { cause: 'ROUTER_DISCONNECTED', text });
        return;
      }
      build.told.add(routerId);
      router.channel.send(message);
    }
  }

  /** All routers have answered: the circuit carries traffic. */
  #finish(build: Build, { id, routers, terminatorId }: CircuitRecord): void {
    const { env, records, costs, unroutes, confirmed } = this.#options;
    const { request, route } = build;
    const service = env.store.table(serviceKind).find(request.right.serviceId);
    const data = forwarded(hostDataOf(route.terminator), build.hostData, route.strategyData);
    try {
      if (service !== undefined) expectKey(service.record, data, 'the answer of the host');
      records.confirm(id, request.router.id);
    } catch (error) {
      if (error instanceof RouterRequestRefused) this.#give(build, error.refusal);
      else {
        this.#options.log.warn({ err: error }, 'a circuit could not be written');
        this.#give(build, busy('the log takes no writes').refusal);
      }
      return;
    }
    this.#leave(build);
    costs.circuitOpened(terminatorId);
    for (const routerId of routers) build.told.delete(routerId);
    unroutes.send(build.told, id, true);
    const circuit = records.find(id);
    if (circuit === undefined) return;
    confirmed(circuit);
    request.answer.created(circuit, data);
  }

  #attemptFailed(build: Build, { attempt }: CircuitRecord, { cause, text: why }: NoRoute): void {
    build.waiting.clear();
    const { env, records } = this.#options;
    const isLast = attempt + 1 >= attemptsMax || env.clock.monotonic() >= build.untilMs;
    if (isLast) {
      this.#give(
        build,
        refusal(`the circuit could not be created in ${attemptsMax} attempts: ${why}`, cause),
      );
      return;
    }
    try {
      const service = this.#serviceOf(build.request.right.serviceId);
      build.route = this.#choose(build.request, service, build.refusals?.unlessEmpty);
    } catch (error) {
      if (!(error instanceof RouterRequestRefused)) throw error;
      const text = `${why}; then: ${error.refusal.text}`;
      this.#give(build, { ...error.refusal, text });
      return;
    }
    build.hostData = new Map();
    const { id, request, route } = build;
    records.retry(id, this.#routeOf(request, route), request.router.id);
    this.#tell(build);
  }

  /** The next attempt takes another path. */
  #refused(build: Build, path: CircuitRoute, router: ConnectedRouter, result: RouteResult): void {
    build.refusals ??= new MetRefusals();
    build.refusals.note(path, router.id, result);
    refuseUnknownLink(this.#options.linkFault, path, router, result);
  }

  /** A terminator that its own router does not know is removed; any failure raises its cost. */
  #terminatorFailed({ route }: Build, { errorCode }: RouteResult): void {
    const { env, costs } = this.#options;
    const { terminator } = route;
    costs.failed(terminator.id);
    if (errorCode !== terminatorIsInvalid) return;
    const cause = { actor: terminator.router, requestId: '', operation: 'invalidTerminator' };
    const table = env.store.table(terminatorKind);
    const present = table.find(terminator.id)?.record;
    if (present === undefined) return;
    try {
      env.store.transact(cause, (tx) => {
        if (bindingsOfRouters.has(present.binding)) tx.delete(table, present.id);
        else env.send(tx, terminatorKind.kind, present.id, { type: 'fail', now: tx.now });
      });
    } catch (err) {
      // The next circuit finds out again.
      this.#options.log.warn({ err }, 'an invalid terminator could not be removed');
    }
  }

  #timedOut(build: Build): void {
    this.#options.costs.failed(build.route.terminator.id);
    const silent = [...build.waiting].join(', ');
    const text = `no answer within ${buildTimeoutMs} ms from: ${silent}`;
    this.#give(build, refusal(text, 'ROUTER_TIMED_OUT'));
  }

  /** Ends a build without a circuit; without a refusal, nobody is there to be told. */
  #give(build: Build, refused: RouterRefusal | undefined): void {
    const { endings, unroutes, records } = this.#options;
    const { id, request } = build;
    this.#leave(build);
    const end = { now: true, actor: request.router.id, operation: 'giveUpCircuit' };
    const circuit = records.find(id);
    for (const routerId of circuit?.routers ?? []) build.told.delete(routerId);
    unroutes.send(build.told, id, true);
    endings.end([id], end);
    if (refused !== undefined) request.answer.refused(refused, circuit);
  }

  #leave(build: Build): void {
    build.timer?.cancel();
    if (this.#builds.delete(build.id)) this.#count(build.request.router.id, -1);
  }

  #count(routerId: string, change: number): void {
    const count = (this.#counts.get(routerId) ?? 0) + change;
    if (count > 0) this.#counts.set(routerId, count);
    else this.#counts.delete(routerId);
  }
}

/** The labels of a circuit in the reports of routers. */
export function tagsOf({
  serviceId,
  identityId,
  hostId,
}: Pick<CircuitRight & CircuitRoute, 'serviceId' | 'identityId' | 'hostId'>) {
  return { serviceId, clientId: identityId, hostId };
}

/** Terminators with these bindings are the routers' own; the others belong to administrators. */
const bindingsOfRouters: ReadonlySet<string> = new Set(['edge', 'tunnel']);

/** @throws RouterRequestRefused when a service that requires encryption gets no key of an end. */
function expectKey(service: ServiceRecord, data: PeerData, place: string): void {
  if (!service.encryptionRequired || data.has(peerDataKeys.publicKey)) return;
  throw new RouterRequestRefused({
    code: routerErrors.encryptionDataMissing,
    retryHint: retryHints.default,
    text: `the service requires encryption, and ${place} has no public key`,
  });
}

function refusal(text: string, cause: DialFailureCause): RouterRefusal {
  return { code: routerErrors.internal, retryHint: retryHints.default, text, cause };
}

function busy(text: string): RouterRequestRefused {
  return new RouterRequestRefused({
    code: routerErrors.internal,
    retryHint: retryHints.tooBusy,
    text: `no further circuit now: ${text}`,
  });
}
