// Reads that wait for the log: two threads, one order.

import { Worker } from 'node:worker_threads';
import t from 'tap';
import { AnswerGate } from '../../src/cluster/log/answer-gate.ts';
import { GatedQueue } from '../../src/cluster/log/gated-queue.ts';
import {
  confirmationMemory,
  ReadsToConfirm,
  RequestedReads,
} from '../../src/cluster/node/read-confirmations.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function twoSides() {
  const memory = confirmationMemory();
  const clock = new SimulatedClock();
  const asked = new RequestedReads(memory, clock);
  return { memory, clock, asked, toConfirm: new ReadsToConfirm(memory) };
}

t.test('what was asked for is confirmed in its order, up to a number', async (t) => {
  const { asked, toConfirm } = twoSides();
  const told: number[] = [];
  for (let count = 0; count < 3; count++) {
    const stamp = asked.ask();
    asked.onceConfirmed(stamp, () => told.push(stamp));
  }
  t.equal(toConfirm.asked, 3);
  t.notOk(asked.isConfirmed(1));
  asked.confirm(2);
  t.same(told, [1, 2]);
  asked.confirm(1);
  t.ok(asked.isConfirmed(2), 'an older message takes nothing back');
  asked.confirm(3);
  t.same(told, [1, 2, 3]);
});

t.test('the other thread is woken once per turn, and misses nothing', async (t) => {
  const { memory, asked, clock, toConfirm } = twoSides();
  const { moment } = toConfirm;
  asked.ask();
  asked.ask();
  t.equal(toConfirm.moment, moment, 'not before the turn ends');
  clock.advance(0);
  await toConfirm.after(moment);
  t.equal(toConfirm.moment, moment + 1);
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const words = new Int32Array(workerData);
    const figures = new Float64Array(workerData);
    const seen = Atomics.load(words, 0);
    parentPort.postMessage('ready');
    Atomics.wait(words, 0, seen);
    parentPort.postMessage(figures[1]);
  `;
  const worker = new Worker(source, { eval: true, workerData: memory });
  await new Promise((resolve) => worker.once('message', resolve));
  const heard = new Promise((resolve) => worker.once('message', resolve));
  asked.ask();
  clock.advance(0);
  t.equal(await heard, 3);
  await worker.terminate();
});

t.test('nothing leaves a connection unconfirmed or without the lease, nor in another order', () => {
  const step = fc.constantFrom('add', 'confirm', 'lease', 'time');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { asked, clock, toConfirm } = twoSides();
      const lease = { isGood: true };
      const gate = new AnswerGate({ mayAnswer: () => lease.isGood, reads: asked }, clock);
      const left: number[] = [];
      let isWrong = false;
      const queue = new GatedQueue<number>(gate, (items) => {
        isWrong ||= !lease.isGood || items.some((item) => !asked.isConfirmed(item));
        left.push(...items);
      });
      let added = 0;
      for (const what of steps) {
        if (what === 'add') queue.add(++added);
        else if (what === 'confirm') asked.confirm(toConfirm.asked - 1);
        else if (what === 'lease') lease.isGood = !lease.isGood;
        else clock.advance(25);
      }
      lease.isGood = true;
      asked.confirm(toConfirm.asked);
      clock.advance(100);
      const isOrdered = left.every((item, index) => item === index + 1);
      return !isWrong && isOrdered && left.length === added && queue.isEmpty;
    }),
  );
  return Promise.resolve();
});
