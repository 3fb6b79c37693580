// Requests that come together are spread over turns: none is lost or overtaken, no turn takes long.

import t from 'tap';
import { RequestTurns } from '../../src/http/server/request-turns.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const limits = { requestTurnMs: 2, bodiesBytesMax: 1000 };

/** Time stands still but while requests are handled. */
class Clock extends SimulatedClock {
  atMs = 0;

  override monotonic(): number {
    return this.atMs;
  }
}

/** Turns as a server uses them, with a record of what was handled and how long it took in one. */
class Scene {
  readonly clock = new Clock();
  readonly turns = new RequestTurns(this.clock, limits);
  readonly handled: number[] = [];
  waitingBytes = 0;
  mostBytes = 0;
  #number = 0;

  /** A request that takes `ms`; @returns whether it waits. */
  arrive(ms: number, bytes = 0): boolean {
    const number = this.#number++;
    const task = () => {
      this.clock.atMs += ms;
      this.handled.push(number);
    };
    if (this.turns.isOver) {
      this.waitingBytes += bytes;
      this.turns.later(bytes, () => {
        this.waitingBytes -= bytes;
        task();
      });
      this.mostBytes = Math.max(this.mostBytes, this.waitingBytes);
      return true;
    }
    const startedMs = this.clock.monotonic();
    task();
    this.turns.handled(startedMs);
    return false;
  }

  /** Ends the turn. @returns the ms that requests took behind the sockets. */
  endTurn(): number {
    const before = this.clock.atMs;
    this.clock.turn();
    return this.clock.atMs - before;
  }
}

t.test('a turn takes requests until its share is spent, the next ones the others', async (t) => {
  const scene = new Scene();
  const waits = Array.from({ length: 7 }, () => scene.arrive(0.7));
  t.strictSame(waits, [false, false, false, true, true, true, true]);
  t.equal(scene.endTurn(), 0, 'the sockets had all of it');
  t.ok(scene.arrive(0.7), 'none overtakes those that wait');
  scene.endTurn();
  t.strictSame(scene.handled, [0, 1, 2, 3, 4, 5]);
  scene.endTurn();
  t.strictSame(scene.handled, [0, 1, 2, 3, 4, 5, 6, 7]);
  t.equal(scene.turns.deferred, 5);
  t.notOk(scene.arrive(0.7), 'then all is as before');
});

t.test('little work costs no callback', async (t) => {
  const scene = new Scene();
  for (let count = 0; count < 9; count++) scene.arrive(0.1);
  t.equal(scene.clock.turn(), 0);
  scene.arrive(0.2);
  t.equal(scene.clock.turn(), 1);
  t.equal(scene.clock.turn(), 0);
});

t.test('what waits is bounded: those in front make room, in order', async (t) => {
  const scene = new Scene();
  scene.arrive(3);
  t.ok(scene.arrive(1, 600));
  t.ok(scene.arrive(1, 300));
  t.strictSame(scene.handled, [0]);
  t.ok(scene.arrive(1, 200));
  t.strictSame(scene.handled, [0, 1]);
  t.ok(scene.arrive(0.1));
  for (let turn = 0; turn < 3; turn++) scene.endTurn();
  t.strictSame(scene.handled, [0, 1, 2, 3, 4]);
});

t.test('a flood of large bodies keeps nobody waiting for ever', async (t) => {
  const scene = new Scene();
  scene.arrive(3);
  scene.arrive(1, 1000);
  for (let turn = 0; turn < 5; turn++) {
    scene.arrive(3, 1000);
    scene.endTurn();
  }
  t.ok(scene.handled.length >= 5);
  t.strictSame(scene.handled, [...scene.handled.keys()]);
});

t.test('whatever comes: in order, each once, within the bounds', async () => {
  const took = fc.double({ min: 0.01, max: 5, noNaN: true });
  const bytes = fc.oneof(fc.constant(0), fc.nat({ max: 1000 }));
  const turn = fc.array(fc.tuple(took, bytes), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 20 }), (arriving) => {
      const scene = new Scene();
      const isCrowded = arriving.flat().reduce((sum, [, size]) => sum + size, 0) > 1000;
      const longestMs = Math.max(0, ...arriving.flat().map(([ms]) => ms));
      const all = arriving.flat().length;
      let left = 1000;
      for (let turn = 0; turn < arriving.length || scene.handled.length < all; turn++) {
        if (left-- === 0) return false;
        const before = scene.clock.atMs;
        for (const [ms, size] of arriving[turn] ?? []) scene.arrive(ms, size);
        scene.endTurn();
        const isLong = scene.clock.atMs - before > limits.requestTurnMs + longestMs + 1e-6;
        // Where memory is short, a turn may take longer.
        if (isLong && !isCrowded) return false;
      }
      const isInOrder = scene.handled.every((number, at) => number === at);
      return isInOrder && scene.mostBytes <= limits.bodiesBytesMax;
    }),
  );
});
