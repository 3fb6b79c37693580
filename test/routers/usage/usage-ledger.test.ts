// Which buckets count: routers that repeat, reorder and lie, against a plain model.

import t from 'tap';
import { circuitKind } from '../../../src/records/circuit.ts';
import { UsageLedger, usageLedgerBounds } from '../../../src/routers/usage/usage-ledger.ts';
import { noBytes, type UsageBucket } from '../../../src/routers/usage/usage-message.ts';
import fc from '../../properties.ts';
import { bootNetwork, type Network, noTraffic } from '../../simulated/network.ts';
import { circuitOf } from './world.ts';

const cause = { actor: 'test', requestId: '', operation: 'test' };

/** A ledger over the circuits of a network. */
class LedgerWorld {
  readonly network: Network;
  readonly ledger: UsageLedger;

  constructor(network: Network, bounds = usageLedgerBounds) {
    this.network = network;
    const { store, clock } = network.env;
    this.ledger = new UsageLedger({ circuits: store.table(circuitKind), clock, bounds });
  }

  open(id: string, routers: readonly string[]): void {
    const { store } = this.network.env;
    store.transact(cause, (tx) => tx.put(store.table(circuitKind), circuitOf(id, { routers })));
  }

  end(id: string): void {
    const { store } = this.network.env;
    store.transact(cause, (tx) => tx.delete(store.table(circuitKind), id));
  }

  get nowSeconds(): number {
    return this.network.clock.now() / 1000;
  }

  count(routerId: string, circuitId: string, startSeconds: number, received = 0) {
    const bytes = { ...noBytes(), 'ingress.rx': received };
    const bucket: UsageBucket = { circuitId, startSeconds, lengthSeconds: 60, bytes };
    return this.ledger.count(routerId, bucket);
  }
}

async function boot(bounds?: typeof usageLedgerBounds): Promise<LedgerWorld> {
  return new LedgerWorld(await bootNetwork({ traffic: noTraffic }), bounds);
}

t.test('once per router, circuit and interval, in any order', async (t) => {
  const world = await boot();
  world.open('c', ['a', 'b', 'z']);
  const minute = Math.floor(world.nowSeconds / 60) * 60;
  const ends = (routerId: string, start: number) => {
    const counted = world.count(routerId, 'c', start);
    return typeof counted === 'string'
      ? counted
      : `${counted.isFirstRouter ? 'first' : ''}${counted.isLastRouter ? 'last' : ''}`;
  };
  t.equal(ends('a', minute), 'first');
  t.equal(ends('a', minute - 60), 'first', 'an earlier interval comes later');
  t.equal(ends('b', minute), '');
  t.equal(ends('z', minute), 'last');
  t.equal(ends('a', minute), 'repeated');
  t.equal(ends('a', minute - 60), 'repeated');
  t.equal(ends('x', minute), 'off_path');
  world.open('short', ['a']);
  const alone = world.count('a', 'short', minute);
  t.match(alone, { isFirstRouter: true, isLastRouter: true, circuit: { hostId: 'host' } });
  t.equal(world.count('a', 'nothing', minute), 'unknown_circuit');
  await world.network.stop();
});

t.test('a router reports the rest of an interval in a bucket of its own', async (t) => {
  const world = await boot();
  world.open('c', ['a']);
  const minute = Math.floor(world.nowSeconds / 60) * 60;
  t.type(world.count('a', 'c', minute, 1000), 'object');
  t.type(world.count('a', 'c', minute, 70), 'object', 'what was noticed too late for the first');
  t.equal(world.count('a', 'c', minute, 1000), 'repeated');
  t.equal(world.count('a', 'c', minute, 70), 'repeated');
  await world.network.stop();
});

t.test('an interval more than ten minutes away', async (t) => {
  const world = await boot();
  world.open('c', ['a']);
  const { nowSeconds } = world;
  t.equal(world.count('a', 'c', nowSeconds - 601), 'other_time');
  t.equal(world.count('a', 'c', nowSeconds + 601), 'other_time');
  t.type(world.count('a', 'c', nowSeconds - 600), 'object');
  t.type(world.count('a', 'c', nowSeconds + 600), 'object');
  await world.network.stop();
});

t.test('a circuit that has ended is known for three minutes', async (t) => {
  const world = await boot();
  world.open('c', ['a', 'b']);
  const start = world.nowSeconds;
  t.type(world.count('a', 'c', start), 'object');
  world.end('c');
  t.equal(world.count('a', 'c', start), 'repeated', 'it was counted before the end');
  await world.network.advance(179_000);
  t.type(world.count('b', 'c', start), 'object');
  await world.network.advance(2000);
  t.equal(world.count('b', 'c', start + 60), 'unknown_circuit');
  await world.network.stop();
});

t.test('an end that is undone', async (t) => {
  const world = await boot();
  world.open('c', ['a']);
  const { store } = world.network.env;
  const undone = () =>
    store.transact(cause, (tx) => {
      tx.delete(store.table(circuitKind), 'c');
      throw new Error('undone');
    });
  t.throws(undone, /undone/);
  await world.network.advance(200_000);
  t.type(world.count('a', 'c', world.nowSeconds), 'object');
  await world.network.stop();
});

t.test('what a router can make us remember is bounded', async (t) => {
  const world = await boot({ usageBucketsMax: 3, usageEndedCircuitsMax: 2 });
  world.open('c', ['a', 'b']);
  const { nowSeconds } = world;
  const seconds = [0, 1, 2, 3].map((at) => world.count('a', 'c', nowSeconds - at));
  t.equal(seconds[3], 'excess');
  t.type(seconds[2], 'object');
  t.type(world.count('b', 'c', nowSeconds), 'object', 'another router has its own bound');
  await world.network.advance(620_000);
  t.type(world.count('a', 'c', world.nowSeconds), 'object', 'old intervals make room');
  for (const id of ['one', 'two', 'three']) {
    world.open(id, ['a']);
    world.end(id);
  }
  t.equal(world.count('a', 'one', world.nowSeconds), 'unknown_circuit', 'the oldest went');
  t.type(world.count('a', 'three', world.nowSeconds), 'object');
  await world.network.stop();
});

const routerIds = ['a', 'b', 'z', 'stranger'];
const circuitIds = ['c1', 'c2', 'c3', 'c4'];
const step = fc.oneof(
  fc.record({ do: fc.constant('open' as const), circuit: fc.constantFrom(...circuitIds) }),
  fc.record({ do: fc.constant('end' as const), circuit: fc.constantFrom(...circuitIds) }),
  fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 200 }) }),
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      router: fc.constantFrom(...routerIds),
      circuit: fc.constantFrom(...circuitIds),
      minutesAgo: fc.integer({ min: -12, max: 12 }),
      received: fc.integer({ min: 0, max: 2 }),
    }),
  },
);

/** The rules, written down without regard to cost. */
class NaiveLedger {
  readonly open = new Set<string>();
  readonly endedAt = new Map<string, number>();
  readonly counted = new Set<string>();

  takes(router: string, circuit: string, start: number, now: number, received: number): boolean {
    const isKnown = this.open.has(circuit) || now - (this.endedAt.get(circuit) ?? -1e9) <= 180;
    const key = `${router} ${circuit} ${start} ${received}`;
    const isOnPath = router !== 'stranger';
    if (!isKnown || !isOnPath || Math.abs(now - start) > 600 || this.counted.has(key)) return false;
    this.counted.add(key);
    return true;
  }
}

t.test('as a plain model says', async (t) => {
  const world = await boot();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      // Circuits of their own for each run, as ids never come back.
      const prefix = `${++run}-`;
      const naive = new NaiveLedger();
      for (const one of steps) {
        if (one.do === 'pass') {
          await world.network.advance(one.seconds * 1000);
          continue;
        }
        const id = prefix + one.circuit;
        if (one.do === 'open') {
          if (naive.open.has(id) || naive.endedAt.has(id)) continue;
          world.open(id, ['a', 'b', 'z']);
          naive.open.add(id);
        } else if (one.do === 'end') {
          if (!naive.open.delete(id)) continue;
          world.end(id);
          naive.endedAt.set(id, world.nowSeconds);
        } else {
          const start = Math.floor(world.nowSeconds / 60 - one.minutesAgo) * 60;
          const { received } = one;
          const isCounted = typeof world.count(one.router, id, start, received) === 'object';
          const expected = naive.takes(one.router, id, start, world.nowSeconds, received);
          if (isCounted !== expected) {
            throw new Error(`${one.router} ${id} ${start}: ${isCounted}, not ${expected}`);
          }
        }
      }
      for (const id of naive.open) world.end(id);
    }),
    { numRuns: 50 },
  );
  t.pass();
  await world.network.stop();
});
