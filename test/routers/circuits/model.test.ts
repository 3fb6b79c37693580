// Circuits against routers that keep what they are told, and a naive search for paths: whatever
// comes and goes, data can flow along each circuit, and no router keeps one that has ended.

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { decodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import type { CircuitRecord } from '../../../src/records/circuit.ts';
import { circuitKind, circuitPathKind } from '../../../src/records/circuit.ts';
import { isNightly } from '../../campaigns.ts';
import * as fc from '../../properties.ts';
import type { RecordedRouter } from '../../simulated/routers.ts';
import { CircuitWorld } from './world.ts';

const names = ['r1', 'r2', 'r3', 'r4'];

type Step =
  | { readonly do: 'link'; readonly from: number; readonly to: number; readonly cost: number }
  | { readonly do: 'unlink' | 'close' | 'fault' | 'endTerminator'; readonly which: number }
  | { readonly do: 'connect' | 'disconnect' | 'terminator'; readonly router: number }
  | { readonly do: 'dial'; readonly router: number; readonly refusing: number | undefined }
  | { readonly do: 'endSession' | 'minutes' | 'kill' };

const router = fc.nat({ max: names.length - 1 });
const which = fc.nat({ max: 7 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('link' as const),
        from: router,
        to: router,
        cost: fc.integer({ min: 1, max: 40 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('dial' as const),
        router,
        refusing: fc.option(router, { nil: undefined, freq: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom(...(['connect', 'connect', 'disconnect', 'terminator'] as const)),
        router,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(...(['unlink', 'unlink', 'close', 'fault', 'endTerminator'] as const)),
        which,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('endSession' as const, 'minutes' as const, 'kill' as const),
      }),
    },
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
);

t.setTimeout(300_000);

t.test('random lives', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      const model = new Model(await CircuitWorld.boot(names.length, { freeze: false }));
      await model.prepare();
      for (const step of life) await model.take(step);
    }),
    { numRuns: isNightly ? 40 : 15 },
  );
});

/** What a router knows of circuits: where data from an address goes. */
class ModelRouter {
  readonly name: string;
  readonly forwards = new Map<string, Map<string, string>>();
  /** Whether the controller may have forgotten what it had to tell this router. */
  isStale = false;
  #read = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Its channel is a new one. */
  reconnected(): void {
    this.#read = 0;
  }

  /** Takes all messages; the routes are those that it has to answer. */
  take({ channel }: RecordedRouter): { circuitId: string; attempt: number }[] {
    const routes: { circuitId: string; attempt: number }[] = [];
    for (; this.#read < channel.sent.length; this.#read++) {
      const { contentType, body = Buffer.alloc(0) } = channel.sent[this.#read] ?? {};
      if (contentType === contentTypes.unroute) {
        this.forwards.delete(decodeMessage(fabric.Unroute, body).circuitId);
      } else if (contentType === contentTypes.route) {
        const { circuitId, attempt, forwards } = decodeMessage(fabric.Route, body);
        const known = this.forwards.get(circuitId) ?? new Map<string, string>();
        for (const { srcAddress, dstAddress } of forwards) {
          known.set(srcAddress ?? '', dstAddress ?? '');
        }
        this.forwards.set(circuitId, known);
        routes.push({ circuitId, attempt });
      }
    }
    return routes;
  }
}

class Model {
  readonly world: CircuitWorld;
  readonly routers = names.map((name) => new ModelRouter(name));
  readonly terminators: string[] = [];
  /** Routers that were away in the last two minutes: circuits may wait for their links. */
  readonly #flapped = new Set<string>();
  #links = 0;

  constructor(world: CircuitWorld) {
    this.world = world;
  }

  async prepare(): Promise<void> {
    for (const name of ['r3', 'r4']) this.terminators.push(await this.world.terminator(name));
    await this.world.network.advance(10_000);
    // A ring, in which there are two ways between any two.
    for (const [at, name] of names.entries()) this.#link(name, names[(at + 1) % 4] ?? '', 5);
  }

  async take(step: Step): Promise<void> {
    await this.#do(step);
    this.#settle();
    this.#check();
  }

  async #do(step: Step): Promise<void> {
    const { world } = this;
    switch (step.do) {
      case 'link':
        this.#link(names[step.from] ?? '', names[step.to] ?? '', step.cost);
        return;
      case 'unlink':
        world.paths.remove([...world.paths.links.keys()][step.which] ?? '');
        return;
      case 'connect':
        this.#connect(step.router);
        return;
      case 'disconnect':
        this.#disconnect(names[step.router] ?? '');
        return;
      case 'terminator':
        this.terminators.push(await world.terminator(names[step.router] ?? ''));
        return;
      case 'endTerminator': {
        const [id] = this.terminators.splice(step.which, 1);
        if (id !== undefined) await world.network.must('DELETE', `M:/terminators/${id}`);
        return;
      }
      case 'dial':
        this.#dial(names[step.router] ?? '', names[step.refusing ?? -1]);
        return;
      case 'close':
      case 'fault':
        this.#report(step.do, step.which);
        return;
      case 'endSession':
        await world.network.must('DELETE', `M:/sessions/${world.id('session')}`);
        world.network.clock.drain();
        if (this.#circuits().length > 0) throw new Error('circuits outlive their session');
        world.ids.set('session', await world.session());
        return;
      case 'minutes':
        await this.#minutes();
        return;
      case 'kill':
        await this.#kill();
        return;
    }
  }

  #link(from: string, to: string, cost: number): void {
    if (from === to || !this.#isConnected(from) || !this.#isConnected(to)) return;
    this.world.paths.add(`l${++this.#links}`, this.world.id(from), this.world.id(to), cost);
  }

  #disconnect(name: string): void {
    if (!this.#isConnected(name)) return;
    this.#flapped.add(this.world.id(name));
    this.world.disconnect(name);
  }

  /** Routers have time to answer, and those that were away have none left to report links. */
  async #minutes(): Promise<void> {
    for (let seconds = 0; seconds < 140; seconds += 5) {
      await this.world.network.advance(5000);
      this.#settle();
    }
    this.#flapped.clear();
  }

  #connect(at: number): void {
    const name = names[at] ?? '';
    if (this.#isConnected(name)) return;
    this.routers[at]?.reconnected();
    this.world.connect(name);
  }

  /** Dials, and compares the outcome with what the naive search says. */
  #dial(name: string, refusing: string | undefined): void {
    const { world } = this;
    if (!this.#isConnected(name)) return;
    const answers = world.router(name).channel.replies.length;
    const mayWork = this.#hosts().some((host) => world.paths.find(world.id(name), host));
    world.dial(name);
    this.#settle(refusing);
    if (world.router(name).channel.replies.length !== answers + 1) {
      throw new Error('not answered once');
    }
    const isRefused = world.refusal(name) !== undefined;
    if (isRefused && mayWork && refusing === undefined) throw new Error('refused, with a path');
    if (!isRefused && !mayWork) throw new Error('created without a path');
  }

  #report(what: 'close' | 'fault', at: number): void {
    const { world } = this;
    const circuit = this.#circuits()[at];
    if (circuit === undefined) return;
    const reporter = circuit.routers.at(what === 'close' ? -1 : at % circuit.routers.length);
    const name = names.find((one) => world.id(one) === reporter) ?? '';
    if (!this.#isConnected(name)) return;
    const { EGRESS, FORWARD } = fabric.FaultSubject;
    world.fault(name, what === 'close' ? EGRESS : FORWARD, circuit.id);
    this.#settle();
    const isThere = this.#circuits().some(({ id }) => id === circuit.id);
    if (what === 'close' && isThere) throw new Error('a closed circuit goes on');
  }

  async #kill(): Promise<void> {
    const { world } = this;
    const links = [...world.paths.links.values()];
    const connected = names.map((name) => this.#isConnected(name));
    const before = this.#circuits().map(({ id }) => id);
    await world.kill();
    for (const [at, was] of connected.entries()) {
      this.#flapped.add(world.id(names[at] ?? ''));
      const router = this.routers[at];
      if (router !== undefined) router.isStale = true;
      if (was) this.#connect(at);
    }
    for (const { id, ends, cost } of links) world.paths.add(id, ...ends, cost);
    world.network.clock.drain();
    const after = new Set(this.#circuits().map(({ id }) => id));
    if (before.some((id) => !after.has(id)) || after.size !== before.length) {
      throw new Error('a restart has changed the circuits');
    }
  }

  /** All routers answer until nothing is left to be answered. */
  #settle(refusing?: string): void {
    const { world } = this;
    for (let rounds = 0; rounds < 50; rounds++) {
      world.network.clock.drain();
      let answered = 0;
      for (const router of this.routers) {
        if (!this.#isConnected(router.name)) continue;
        const connected = world.router(router.name);
        for (const route of router.take(connected)) {
          answered += 1;
          const outcome = router.name === refusing ? { error: 'no', code: 4 } : {};
          world.result(connected, route, outcome);
        }
      }
      if (answered === 0) return;
    }
    throw new Error('it does not settle');
  }

  #check(): void {
    const { store } = this.world.network.env;
    const circuits = this.#circuits();
    if (circuits.some(({ state }) => state !== 'active')) throw new Error('something is under way');
    const kept = [...store.table(circuitPathKind).all()].map(({ record }) => record);
    const textOf = ({ id, routers, links }: Pick<CircuitRecord, 'id' | 'routers' | 'links'>) =>
      `${id} ${routers} ${links}`;
    const [live, onDisk] = [circuits, kept].map((list) => list.map(textOf).sort());
    if (String(live) !== String(onDisk)) throw new Error(`${live} are live, ${onDisk} are kept`);
    for (const circuit of circuits) this.#checkFlow(circuit);
    this.#checkRouters(circuits);
    for (const id of this.terminators) {
      const count = circuits.filter(({ terminatorId }) => terminatorId === id).length;
      const counted = this.world.open.get(id) ?? 0;
      if (counted !== count) throw new Error(`${count} circuits, counted as ${counted}`);
    }
  }

  /** Data goes from end to end and back, along links that work. */
  #checkFlow({ id, routers, links, ingressId, egressId }: CircuitRecord): void {
    const tables = routers.map((routerId) => {
      const at = names.findIndex((name) => this.world.id(name) === routerId);
      return this.routers[at]?.forwards.get(id);
    });
    const ways = [
      { address: ingressId, tables, end: egressId },
      { address: egressId, tables: tables.toReversed(), end: ingressId },
    ];
    for (const { address, tables, end } of ways) {
      const reached = tables.reduce<string | undefined>(
        (from, table) => table?.get(from ?? ''),
        address,
      );
      if (reached !== end) throw new Error(`data of circuit ${id} gets to ${reached}`);
    }
    const isWaiting = routers.some((routerId) => this.#flapped.has(routerId));
    if (!isWaiting && links.some((link) => !this.world.paths.links.has(link))) {
      throw new Error(`circuit ${id} goes over a link that is gone`);
    }
  }

  /** A connected router has the circuits that go through it, and no others. */
  #checkRouters(circuits: readonly CircuitRecord[]): void {
    for (const router of this.routers) {
      const { world } = this;
      const { name, forwards } = router;
      if (!this.#isConnected(name)) continue;
      if (router.isStale) {
        router.isStale = false;
        world.confirm(name, Object.fromEntries([...forwards.keys()].map((id) => [id, 60_000])));
        this.#settle();
      }
      const expected = circuits.filter(({ routers }) => routers.includes(world.id(name)));
      const ids = expected.map(({ id }) => id).sort();
      const known = [...forwards.keys()].sort();
      if (String(ids) !== String(known)) throw new Error(`${name} knows ${known}, not ${ids}`);
    }
  }

  /** The connected routers with a terminator. */
  #hosts(): string[] {
    const { env } = this.world.network;
    const table = env.store.tableNamed('terminator');
    return this.terminators.flatMap((id) => {
      const record: object | undefined = table.peek(id)?.record;
      return record !== undefined && 'router' in record ? [String(record.router)] : [];
    });
  }

  #circuits(): CircuitRecord[] {
    const table = this.world.network.env.store.table(circuitKind);
    return [...table.all()].map(({ record }) => record);
  }

  #isConnected(name: string): boolean {
    return this.world.connected.get(this.world.id(name)) !== undefined;
  }
}
