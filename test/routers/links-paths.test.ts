// Paths over links, compared with a naive search over all pairs.

import t from 'tap';
import { type LinkRecord, linkKind } from '../../src/records/link.ts';
import { type RouterRecord, routerKind } from '../../src/records/router.ts';
import { LinkPaths } from '../../src/routers/links/paths.ts';
import type { AvoidedHops } from '../../src/routers/router-feature.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import type { TableOptions } from '../../src/store/table.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

const cause = { actor: 'test', requestId: '', operation: 'test' };
const base = { createdAt: 1, updatedAt: 1, tags: {} };
const ms = 1_000_000;

class Graph {
  readonly clock = new SimulatedClock();
  readonly store: Store;
  readonly paths: LinkPaths;
  readonly connected = new Set<string>();
  readonly quiesced = new Set<string>();

  constructor(pathAgeMs = 0, pairSearchesMax = 3) {
    const tables = [routerKind.table, linkKind.table] as unknown as TableOptions<RecordBase>[];
    this.store = new Store({
      clock: this.clock,
      tables,
      freeze: true,
      cascadeRowsMax: 10,
      fatal: endProcess,
    });
    this.store.attach(new MemoryJournal());
    const { store, clock } = this;
    this.paths = new LinkPaths({
      store,
      clock,
      bounds: { pathAgeMs, pathSearchesKeptMax: 5, pairSearchesMax },
    });
  }

  router(id: string, more: Partial<RouterRecord> = {}): void {
    const stored = this.store.table(routerKind).peek(id)?.record;
    const record = { name: id, cost: 0, noTraversal: false, ...stored, ...more } as RouterRecord;
    this.#put(routerKind.table.kind, { ...base, ...record, id });
  }

  link(id: string, sourceRouter: string, destRouter: string, latencyMs: number): void {
    this.#put(linkKind.kind, {
      ...base,
      id,
      state: 'connected',
      sourceRouter,
      destRouter,
      protocol: 'tls',
      dialAddress: '',
      iteration: 1,
      staticCost: 1,
      sourceLatency: latencyMs * ms,
      destLatency: 0,
    });
  }

  state(id: string, state: string): void {
    const record = this.store.table(linkKind).peek(id)?.record;
    if (record !== undefined) this.#put(linkKind.kind, { ...record, state });
  }

  delete(kind: string, id: string): void {
    this.store.transact(cause, (tx) => tx.delete(this.store.tableNamed(kind), id));
  }

  connect(id: string): void {
    this.connected.add(id);
    this.paths.routerConnected(id, this.quiesced.has(id));
  }

  disconnect(id: string): void {
    this.connected.delete(id);
    this.paths.routerDisconnected(id);
  }

  quiesce(id: string, isQuiesced: boolean): void {
    if (isQuiesced) this.quiesced.add(id);
    else this.quiesced.delete(id);
    this.paths.quiesce(id, isQuiesced);
  }

  #put(kind: string, record: object): void {
    this.store.transact(cause, (tx) => tx.put(this.store.tableNamed(kind), record as RecordBase));
  }

  /** The cost of the cheapest path by relaxing all links as often as there are routers. */
  cost(from: string, to: string, avoided: AvoidedHops = nothing): number | undefined {
    const routers = [...this.store.table(routerKind).rows()].map(({ record }) => record);
    const online = routers.filter(({ id }) => this.connected.has(id));
    const usable = online.filter(({ id }) => id === to || !avoided.routers.has(id));
    const byId = new Map(usable.map((record) => [record.id, record]));
    if (!byId.has(from) || !byId.has(to)) return undefined;
    const links = [...this.store.table(linkKind).rows()]
      .map(({ record }) => record)
      .filter(({ id, state }) => state === 'connected' && !avoided.links.has(id));
    const costs = new Map([[from, 0]]);
    for (let round = 0; round < online.length; round++) {
      for (const link of links) {
        this.#relax(costs, byId, from, link, link.sourceRouter, link.destRouter);
        this.#relax(costs, byId, from, link, link.destRouter, link.sourceRouter);
      }
    }
    return costs.get(to);
  }

  #relax(
    costs: Map<string, number>,
    byId: ReadonlyMap<string, RouterRecord>,
    from: string,
    link: LinkRecord,
    near: string,
    far: string,
  ): void {
    const [here, there] = [byId.get(near), byId.get(far)];
    const cost = costs.get(near);
    if (here === undefined || there === undefined || cost === undefined) return;
    if (near !== from && (here.noTraversal || this.quiesced.has(near))) return;
    const next = cost + 1 + link.sourceLatency / ms + Math.max(there.cost, 10);
    if (next < (costs.get(far) ?? Number.POSITIVE_INFINITY)) costs.set(far, next);
  }
}

const nothing: AvoidedHops = { routers: new Set(), links: new Set() };

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const name = fc.constantFrom(...names);
const linkName = fc.constantFrom('l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7', 'l8', 'l9');

const step: fc.Arbitrary<(graph: Graph) => void> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(linkName, name, name, fc.nat(30))
      .map(([id, from, to, latency]) => (graph: Graph) => {
        if (from !== to) graph.link(id, from, to, latency);
      }),
  },
  fc.tuple(linkName, fc.constantFrom('connected', 'pending', 'failed')).map(
    ([id, state]) =>
      (graph: Graph) =>
        graph.state(id, state),
  ),
  linkName.map((id) => (graph: Graph) => graph.delete('link', id)),
  name.map((id) => (graph: Graph) => graph.connect(id)),
  name.map((id) => (graph: Graph) => graph.disconnect(id)),
  fc.tuple(name, fc.boolean()).map(
    ([id, isQuiesced]) =>
      (graph: Graph) =>
        graph.quiesce(id, isQuiesced),
  ),
  fc.tuple(name, fc.nat(40), fc.boolean()).map(
    ([id, cost, noTraversal]) =>
      (graph: Graph) =>
        graph.router(id, { cost, noTraversal }),
  ),
  name.map((id) => (graph: Graph) => {
    // A router that is deleted loses its connection and its links, then comes back as a new one.
    for (const { record } of [...graph.store.table(linkKind).rows()]) {
      if (record.sourceRouter === id || record.destRouter === id) graph.delete('link', record.id);
    }
    graph.delete('router', id);
    graph.disconnect(id);
    graph.quiesced.delete(id);
    graph.router(id);
  }),
);

function started(pathAgeMs?: number, pairSearchesMax?: number): Graph {
  const graph = new Graph(pathAgeMs, pairSearchesMax);
  for (const id of names) {
    graph.router(id);
    graph.connect(id);
  }
  return graph;
}

t.test('as a naive search finds them, whatever comes and goes', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const graph = started();
      for (const take of steps) {
        take(graph);
        for (const from of names) {
          for (const to of names) {
            const path = graph.paths.find(from, to);
            const expected = graph.cost(from, to);
            if (path?.cost !== expected) {
              throw new Error(`${from} to ${to}: ${path?.cost} instead of ${expected}`);
            }
            if (path !== undefined) whole(graph, path.routers, path.links, path.cost);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
  t.end();
});

t.test('without what is to be left out', async () => {
  const avoided = fc.record({
    routers: fc.uniqueArray(name, { maxLength: 2 }),
    links: fc.uniqueArray(linkName, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), avoided, (steps, { routers, links }) => {
      const graph = started(1000);
      for (const take of steps) take(graph);
      for (const from of names) {
        for (const to of names) {
          if (from === to || routers.includes(from) || routers.includes(to)) continue;
          const avoided = { routers: new Set(routers), links: new Set(links) };
          const path = graph.paths.find(from, to, avoided);
          const expected = graph.cost(from, to, avoided);
          if (path?.cost !== expected) {
            throw new Error(`${from} to ${to}: ${path?.cost} instead of ${expected}`);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** What a path says must be so: its own cost leaves out the first router, `costOf` counts all. */
function whole(
  graph: Graph,
  routers: readonly string[],
  links: readonly string[],
  cost: number,
): void {
  const first = graph.store.table(routerKind).peek(routers[0] ?? '')?.record.cost ?? 0;
  const total = graph.paths.costOf({ routers, links, cost });
  if (total !== cost + Math.max(first, 10)) throw new Error(`${routers}: ${total}, not ${cost}`);
}

t.test(
  'paths that are used for a second are always whole, and found where one exists',
  async () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const graph = started(1000);
        for (const take of steps) {
          take(graph);
          for (const from of ['a', 'b', 'c', 'd']) {
            const path = graph.paths.find(from, 'e');
            const exists = graph.cost(from, 'e') !== undefined;
            if ((path !== undefined) !== exists) throw new Error(`${from} to e: ${exists}`);
            if (path !== undefined && graph.paths.costOf(path) === undefined) {
              throw new Error(`${path.routers} is broken`);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  },
);

t.test('a cheaper path counts within a second', async (t) => {
  const graph = started(1000, 1);
  graph.link('slow', 'a', 'b', 50);
  t.ok(graph.paths.find('a', 'b'), 'the first target of a source is searched for by itself');
  t.same(graph.paths.find('a', 'b'), { routers: ['a', 'b'], links: ['slow'], cost: 61 });
  graph.link('fast', 'b', 'a', 5);
  t.same(graph.paths.find('a', 'b')?.links, ['slow']);
  graph.clock.advance(1000);
  t.same(graph.paths.find('a', 'b'), { routers: ['a', 'b'], links: ['fast'], cost: 16 });
  graph.paths.find('a', 'b');
  graph.state('fast', 'failed');
  t.same(graph.paths.find('a', 'b')?.links, ['slow'], 'what is lost counts at once');
  graph.router('a', { noTraversal: true });
  graph.link('on', 'a', 'c', 1);
  t.equal(graph.paths.find('b', 'c'), undefined, 'so does what an administrator sets');
});

t.test('one router is a path by itself, while it is connected', async (t) => {
  const graph = started();
  t.same(graph.paths.find('a', 'a'), { routers: ['a'], links: [], cost: 0 });
  t.equal(graph.paths.costOf({ routers: ['a'], links: [], cost: 0 }), 10);
  graph.disconnect('a');
  t.equal(graph.paths.find('a', 'a'), undefined);
  t.equal(graph.paths.find('a', 'b'), undefined);
  t.equal(graph.paths.find('b', 'a'), undefined);
  t.equal(graph.paths.find('z', 'a'), undefined);
  t.equal(graph.paths.costOf({ routers: ['a'], links: [], cost: 0 }), undefined);
});

t.test('links that are lost are told in the next turn, all of one turn together', async (t) => {
  const graph = started();
  const told: string[][] = [];
  graph.paths.onLost((ids) => told.push([...ids].sort()));
  for (const id of ['l1', 'l2', 'l3']) graph.link(id, 'a', 'b', 1);
  graph.link('l4', 'a', 'c', 1);
  graph.state('l1', 'failed');
  graph.delete('link', 'l2');
  t.same(told, [], 'a commit is being told');
  graph.clock.drain();
  t.same(told, [['l1', 'l2']]);
  graph.disconnect('c');
  graph.delete('link', 'l4');
  graph.clock.drain();
  t.same(told[1], ['l4'], 'once');
  graph.state('l1', 'pending');
  graph.clock.drain();
  t.equal(told.length, 2);
  const broken = { routers: ['a', 'b'], links: ['l1'], cost: 1 };
  t.equal(graph.paths.costOf(broken), undefined);
  t.equal(graph.paths.costOf({ ...broken, links: ['l3'] }), 22);
  t.equal(graph.paths.costOf({ ...broken, routers: ['a', 'c'], links: ['l3'] }), undefined);
});

t.test('quiesced: only from and to the router itself', async (t) => {
  const graph = started();
  graph.link('l1', 'a', 'b', 1);
  graph.link('l2', 'b', 'c', 1);
  t.same(graph.paths.find('a', 'c')?.routers, ['a', 'b', 'c']);
  graph.quiesce('b', true);
  t.equal(graph.paths.find('a', 'c'), undefined);
  t.same(graph.paths.find('a', 'b')?.routers, ['a', 'b']);
  graph.quiesce('b', false);
  t.same(graph.paths.find('a', 'c')?.cost, 24);
});

t.test('a link whose router connects later works from then on', async (t) => {
  const graph = new Graph();
  for (const id of ['a', 'b']) graph.router(id);
  graph.connect('a');
  graph.link('l1', 'a', 'b', 1);
  t.equal(graph.paths.find('a', 'b'), undefined);
  graph.connect('b');
  t.equal(graph.paths.find('b', 'a')?.cost, 12);
  t.equal(graph.paths.linkCount, 1);
});
