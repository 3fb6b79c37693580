// Flushes: how many rows per turn, and what happens while there is no room for them.

import t from 'tap';
import { FlushTimer } from '../../src/actors/flush-timer.ts';
import { SimulatedClock } from '../simulated/clock.ts';

/** Rows that wait, and where they are written, two per frame. */
class Rows {
  readonly clock = new SimulatedClock();
  readonly frames: number[] = [];
  waiting = 0;
  /** Lets the next frame be written. */
  makeRoom: (() => void) | undefined;
  hasRoom = true;
  readonly timer = new FlushTimer({
    clock: this.clock,
    intervalMs: 1000,
    waiting: () => this.waiting,
    writeFrame: (rowsMax) => {
      const rows = Math.min(2, rowsMax, this.waiting);
      if (rows > 0) this.frames.push(rows);
      this.waiting -= rows;
      return rows;
    },
    room: () => {
      if (this.hasRoom) return undefined;
      return new Promise((resolve) => {
        this.makeRoom = resolve;
      });
    },
  });
}

t.test('one frame per turn, and the next flush an interval later', async (t) => {
  const rows = new Rows();
  rows.timer.start();
  rows.waiting = 5;
  rows.clock.advance(1000);
  await rows.clock.settle();
  t.same(rows.frames, [2, 2, 1]);
  rows.waiting = 1;
  await rows.clock.settle();
  t.same(rows.frames, [2, 2, 1], 'what comes later waits');
  rows.clock.advance(1000);
  await rows.clock.settle();
  t.same(rows.frames, [2, 2, 1, 1]);
});

t.test('a flush waits for room, and so does a stop', async (t) => {
  const rows = new Rows();
  rows.timer.start();
  rows.waiting = 3;
  rows.hasRoom = false;
  rows.clock.advance(1000);
  await rows.clock.settle();
  t.same(rows.frames, []);
  rows.hasRoom = true;
  rows.makeRoom?.();
  await rows.clock.settle();
  t.same(rows.frames, [2, 1]);
  rows.waiting = 3;
  rows.hasRoom = false;
  const stopped = rows.timer.stop();
  await rows.clock.settle();
  t.same(rows.frames, [2, 1]);
  rows.hasRoom = true;
  rows.makeRoom?.();
  await stopped;
  t.same(rows.frames, [2, 1, 2, 1]);
});

t.test('what waited for room is not written after a stop', async (t) => {
  const rows = new Rows();
  rows.timer.start();
  rows.waiting = 1;
  rows.hasRoom = false;
  rows.clock.advance(1000);
  await rows.clock.settle();
  const { makeRoom } = rows;
  rows.hasRoom = true;
  await rows.timer.stop();
  t.same(rows.frames, [1], 'the stop writes it');
  rows.waiting = 1;
  makeRoom?.();
  await rows.clock.settle();
  t.same(rows.frames, [1]);
});
