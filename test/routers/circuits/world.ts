// A controller whose routers are recorded channels: circuits are tested by what the routers get.

import type { Frame, Message } from '../../../src/channel/channel-api.ts';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { encodeHeaders, textValue, uint32Value } from '../../../src/channel/headers.ts';
import { decodeMessage, encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { createLog } from '../../../src/observe/logs.ts';
import { circuitKind, circuitPathKind } from '../../../src/records/circuit.ts';
import { type Circuits, createCircuits } from '../../../src/routers/circuits/circuits.ts';
import type { ChooseTerminator } from '../../../src/routers/circuits/route-choice.ts';
import type { TerminatorCosts } from '../../../src/routers/router-feature.ts';
import { createSessionChecks } from '../../../src/routers/session-checks.ts';
import { DurableFrames } from '../../../src/store/durable-frames.ts';
import {
  bootNetwork,
  type Network,
  type NetworkOptions,
  noTraffic,
} from '../../simulated/network.ts';
import {
  handleWhole,
  type RecordedRouter,
  RecordedRouters,
  receivedFrame,
  recordedRouter,
} from '../../simulated/routers.ts';
import { NaivePaths } from './naive-paths.ts';

/** A route that a router was told, with the fields that tests look at. */
export type TestedRoute = ReturnType<typeof routesOf>[number];

/** The routes that a channel got, in order. */
export function routesOf({ channel }: RecordedRouter) {
  return channel.sent
    .filter(({ contentType }) => contentType === contentTypes.route)
    .map(({ body = Buffer.alloc(0) }) => decodeMessage(fabric.Route, body));
}

/** The newest route that a channel got; the others are not read. */
function newestRouteOf({ channel }: RecordedRouter): TestedRoute | undefined {
  const message = channel.sent.findLast(({ contentType }) => contentType === contentTypes.route);
  return message && decodeMessage(fabric.Route, message.body ?? Buffer.alloc(0));
}

/** The unroutes that a channel got, as `id` or `id now`. */
export function unroutesOf({ channel }: RecordedRouter): string[] {
  return channel.sent
    .filter(({ contentType }) => contentType === contentTypes.unroute)
    .map(({ body = Buffer.alloc(0) }) => decodeMessage(fabric.Unroute, body))
    .map(({ circuitId, now }) => (now ? `${circuitId} now` : circuitId));
}

/** The headers of a message that was sent. */
export function headersOf({ headers = Buffer.alloc(0) }: Message): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at < headers.length; ) {
    const length = headers.readUInt32LE(at + 4);
    found.set(headers.readInt32LE(at), headers.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return found;
}

/** The frame that carries a message from a router. */
export function frameOf(message: Message): Frame {
  return receivedFrame(message.contentType, message.body, headersOf(message));
}

/** A service with its terminators, and a client who may dial it. */
export class CircuitWorld {
  readonly network: Network;
  readonly connected = new RecordedRouters();
  readonly paths = new NaivePaths((id) => this.connected.get(id) !== undefined);
  /** By terminator: how often it failed, and how many circuits it has. */
  readonly failures = new Map<string, number>();
  readonly open = new Map<string, number>();
  /** Faults of links that were passed on. */
  readonly linkFaults: string[] = [];
  /** Ids by name. */
  readonly ids = new Map<string, string>();
  circuits: Circuits;
  /** The stickiness token that the strategy gives. */
  stickinessToken: string | undefined;
  readonly strategies: string[] = [];

  private constructor(network: Network) {
    this.network = network;
    this.circuits = this.#create();
  }

  /** Boots it with routers `r1` to `r<n>`, all of them usable by everybody. */
  static async boot(routers = 1, options: NetworkOptions = {}): Promise<CircuitWorld> {
    const world = new CircuitWorld(await bootNetwork({ traffic: noTraffic, ...options }));
    await world.#fill(routers);
    return world;
  }

  /** The id of what has this name here. */
  id(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new Error(`nothing is named ${name}`);
    return id;
  }

  /** The connected router of this name. */
  router(name: string): RecordedRouter {
    const router = this.connected.get(this.id(name));
    if (router === undefined) throw new Error(`${name} is not connected`);
    return router;
  }

  /** The router connects, with a channel of its own. */
  connect(name: string): RecordedRouter {
    const router = recordedRouter(this.id(name));
    this.connected.add(router);
    this.circuits.connected?.(router);
    return router;
  }

  /** Its channel closes. */
  disconnect(name: string): void {
    const router = this.router(name);
    this.connected.remove(router.id);
    this.paths.routerGone(router.id);
    this.circuits.disconnected?.(router);
    this.paths.announceLost();
  }

  /** A terminator of the service at a router; its id. */
  async terminator(router: string, more: object = {}): Promise<string> {
    return this.network.create('terminators', {
      service: this.id('service'),
      router: this.id(router),
      binding: 'edge',
      address: `at ${router}`,
      ...more,
    });
  }

  /** A session of the client for the service. */
  async session(type = 'Dial', token = this.id('token')): Promise<string> {
    const path = 'C:/sessions';
    const body = { serviceId: this.id('service'), type };
    return (await this.network.must<{ id: string }>('POST', path, body, token)).id;
  }

  /** A router sends a message; what it throws closes its channel. */
  receive(router: RecordedRouter, message: Message): Frame {
    const frame = frameOf(message);
    const handler = this.circuits.handlers.get(frame.contentType);
    if (handler === undefined) throw new Error(`nobody handles ${frame.contentType}`);
    this.network.env.store.fence.begin();
    handleWhole(handler, router, frame);
    return frame;
  }

  /** A client at a router dials with its session. */
  dial(router: string, more: readonly (readonly [number, Buffer])[] = []): Frame {
    return this.receive(this.router(router), {
      contentType: contentTypes.createCircuitV2,
      headers: encodeHeaders([
        [11, textValue(this.id('session'))],
        [14, textValue(this.id('token'))],
        ...more,
      ]),
    });
  }

  /** The routers answer all routes that were not answered yet. */
  answerRoutes(names: readonly string[], outcome: (name: string) => object = () => ({})): void {
    for (const name of names) {
      const router = this.router(name);
      const route = newestRouteOf(router);
      if (route !== undefined) this.result(router, route, outcome(name));
    }
  }

  /** The result of a router for a route; a success unless it names an error. */
  result(
    router: RecordedRouter,
    { circuitId, attempt }: Pick<TestedRoute, 'circuitId' | 'attempt'>,
    { error, code = 0, peerData = [] }: RouteOutcome = {},
  ): void {
    const outcome: (readonly [number, Buffer])[] =
      error === undefined
        ? [[1102, Buffer.of(1)], ...peerData]
        : [
            [1103, textValue(error)],
            [1104, Buffer.of(code)],
          ];
    this.receive(router, {
      contentType: contentTypes.routeResult,
      headers: encodeHeaders([[1101, uint32Value(attempt)], ...outcome]),
      body: textValue(circuitId),
    });
  }

  /** A fault that a router reports. */
  fault(router: string, subject: fabric.FaultSubject, id: string, iteration = 0): void {
    const body = encodeMessage(fabric.Fault, { subject, id, iteration });
    this.receive(this.router(router), { contentType: contentTypes.fault, body });
  }

  /** Idle circuits that a router reports, with their idle times in ms. */
  confirm(router: string, idleMs: Readonly<Record<string, number>>): void {
    const idleTimes = Object.fromEntries(Object.entries(idleMs).map(([id, ms]) => [id, ms * 1e6]));
    const message = { circuitIds: Object.keys(idleMs), idleTimes };
    const body = encodeMessage(fabric.CircuitConfirmation, message);
    this.receive(this.router(router), { contentType: contentTypes.circuitConfirmation, body });
    this.network.clock.drain();
  }

  /** A circuit from a router on, created by routers that all say yes; its id. */
  circuit(from: string, over: readonly string[] = [from]): string {
    const before = newestRouteOf(this.router(from))?.circuitId;
    this.dial(from);
    const id = newestRouteOf(this.router(from))?.circuitId;
    if (id === undefined || id === before) throw new Error(`refused: ${this.refusal(from)}`);
    this.answerRoutes(over);
    if (this.live(id)?.state !== 'active') throw new Error(`circuit ${id} is not active`);
    return id;
  }

  /** The live record of a circuit. */
  live(id: string) {
    return this.network.env.store.table(circuitKind).peek(id)?.record;
  }

  /** The record of a circuit on disk. */
  kept(id: string) {
    return this.network.env.store.table(circuitPathKind).peek(id)?.record;
  }

  /** How many live records, and records on disk, there are. */
  counts(): readonly [number, number] {
    const { store } = this.network.env;
    return [store.table(circuitKind).size, store.table(circuitPathKind).size];
  }

  /** The headers of the newest answer to a router, with its type and its text. */
  answer(router: string) {
    const reply = this.router(router).channel.replies.at(-1);
    if (reply === undefined) return undefined;
    const { message } = reply;
    const headers = headersOf(message);
    const { contentType, body = Buffer.alloc(0) } = message;
    return { contentType, text: body.toString(), headers, to: reply.to, body };
  }

  /** The code and the hint of the newest answer to a router; undefined for a success. */
  refusal(router: string): readonly [number, number] | undefined {
    const answer = this.answer(router);
    if (answer?.contentType !== contentTypes.error) return undefined;
    const number = (key: number) => answer.headers.get(key)?.readUInt32LE(0) ?? -1;
    return [number(1014), number(18)];
  }

  /** The process dies and starts again; no router is connected then. */
  async kill(): Promise<void> {
    await this.network.kill();
    this.#begin();
  }

  /** Power is lost; the process starts on what the disk kept. */
  async crash(): Promise<void> {
    await this.network.crash();
    this.#begin();
  }

  #begin(): void {
    for (const { id } of [...this.connected.all()]) this.connected.remove(id);
    this.paths.clear();
    this.open.clear();
    this.circuits = this.#create();
  }

  #create(): Circuits {
    const { env, core, random, clock, logged } = this.network;
    const durable = new DurableFrames({ journal: core.journal, clock, lateMs: 10_000 });
    const { log } = createLog({
      level: 'warn',
      clock,
      readable: false,
      write: (line) => void logged.push(line),
    });
    const circuits = createCircuits(
      { env, durable, log, random, connected: this.connected },
      {
        checks: createSessionChecks({ env }),
        costs: this.#costs(),
        paths: this.paths,
        choose: (asked) => this.#choose(asked),
        linkFault: (router, { linkId, iteration, isDuplicate }) => {
          this.linkFaults.push(`${router.id} ${linkId} ${iteration} ${isDuplicate}`);
        },
      },
    );
    for (const _ of circuits.lead?.() ?? []);
    return circuits;
  }

  async #fill(routers: number): Promise<void> {
    const { network, ids } = this;
    const all = ['#all'];
    const semantic = 'AnyOf';
    const service = { name: 'service', encryptionRequired: false };
    ids.set('service', await network.create('services', service));
    ids.set('client', await network.createUser('client', 'client-password'));
    const usable = { edgeRouterRoles: all, semantic };
    ids.set(
      'edge router policy',
      await network.create('edge-router-policies', { name: 'e', identityRoles: all, ...usable }),
    );
    const serviceRouters = { name: 's', serviceRoles: all, ...usable };
    ids.set(
      'service edge router policy',
      await network.create('service-edge-router-policies', serviceRouters),
    );
    ids.set(
      'dial policy',
      await network.create('service-policies', {
        name: 'dial',
        type: 'Dial',
        semantic,
        identityRoles: all,
        serviceRoles: all,
      }),
    );
    for (let at = 1; at <= routers; at++) {
      const name = `r${at}`;
      const router = { name, isTunnelerEnabled: at === 1 };
      ids.set(name, await network.create('edge-routers', router));
      this.connect(name);
    }
    ids.set('token', await network.login('client', 'client-password'));
    ids.set('session', await this.session());
  }

  #choose({ candidates, strategy }: Parameters<ChooseTerminator>[0]) {
    this.strategies.push(strategy);
    const cost = (at: number) =>
      (candidates[at]?.path.cost ?? 0) +
      20 * (this.failures.get(candidates[at]?.terminator.id ?? '') ?? 0);
    let best = 0;
    for (const at of candidates.keys()) if (cost(at) < cost(best)) best = at;
    const candidate = candidates[best];
    if (candidate === undefined) throw new Error('no candidates');
    return { candidate, stickinessToken: this.stickinessToken };
  }

  #costs(): TerminatorCosts {
    const add = (map: Map<string, number>, id: string, more: number) =>
      void map.set(id, (map.get(id) ?? 0) + more);
    return {
      dynamicCost: () => 0,
      circuitOpened: (id) => add(this.open, id, 1),
      circuitClosed: (id) => add(this.open, id, -1),
      failed: (id) => add(this.failures, id, 1),
    };
  }
}

/** How a router answers a route. */
export interface RouteOutcome {
  readonly error?: string;
  readonly code?: number;
  readonly peerData?: readonly (readonly [number, Buffer])[];
}
