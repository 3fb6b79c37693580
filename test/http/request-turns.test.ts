// Requests that come together are spread over turns: none is lost or overtaken, no turn takes long.

import t from 'tap';
import { RequestTurns } from '../../src/http/request-turns.ts';
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
  #number = 0;

  /** A request that takes `ms`; @returns whether it waits. */
  arrive(ms: number, bodyBytes = 0): boolean {
    const number = this.#number++;
    const task = () => {
      this.clock.atMs += ms;
      this.handled.push(number);
    };
    if (this.turns.isOver(bodyBytes)) {
      this.turns.later(bodyBytes, task);
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

t.test('bodies that wait are bounded: one more is handled at once', async (t) => {
  const scene = new Scene();
  scene.arrive(3);
  t.ok(scene.arrive(1, 600));
  t.notOk(scene.arrive(1, 600));
  t.ok(scene.arrive(1, 400));
  scene.endTurn();
  scene.endTurn();
  t.strictSame(scene.handled, [0, 2, 1, 3]);
  scene.arrive(3);
  t.ok(scene.arrive(1, 1000), 'all of the room is there again');
});

t.test(
  'whatever comes: in order, each once, no turn beyond its share and one request',
  async () => {
    const took = fc.double({ min: 0.01, max: 5, noNaN: true });
    const given = fc.array(fc.array(took, { maxLength: 20 }), { maxLength: 20 });
    fc.assert(
      fc.property(given, (arriving) => {
        const scene = new Scene();
        const longestMs = Math.max(0, ...arriving.flat());
        const all = arriving.flat().length;
        let left = 1000;
        for (let turn = 0; turn < arriving.length || scene.handled.length < all; turn++) {
          if (left-- === 0) return false;
          const before = scene.clock.atMs;
          for (const ms of arriving[turn] ?? []) scene.arrive(ms);
          scene.endTurn();
          if (scene.clock.atMs - before > limits.requestTurnMs + longestMs + 1e-6) return false;
        }
        return scene.handled.every((number, at) => number === at);
      }),
    );
  },
);
