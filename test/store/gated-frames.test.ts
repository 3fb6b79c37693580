// On a node of a cluster, what is durable leaves only while the node may answer.

import t from 'tap';
import { AnswerGate } from '../../src/cluster/log/answer-gate.ts';
import { confirmationMemory, RequestedReads } from '../../src/cluster/node/read-confirmations.ts';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { MemoryJournal } from './journal-in-memory.ts';

function opened({ confirmsReads = false } = {}) {
  const journal = new MemoryJournal();
  const clock = new SimulatedClock();
  const lease = { isGood: true, asked: 0 };
  const reads = new RequestedReads(confirmationMemory(), clock);
  const node = {
    mayAnswer() {
      lease.asked++;
      return lease.isGood;
    },
    reads: confirmsReads ? reads : undefined,
  };
  const told: string[] = [];
  const gate = new AnswerGate(node, clock);
  const durable = new DurableFrames({ journal, clock, lateMs: 1000, gate });
  const wait = (lsn: number, name: string, isPatient = false) =>
    durable.when(
      lsn,
      () => told.push(name),
      isPatient ? undefined : () => told.push(`${name} late`),
    );
  return { journal, clock, durable, told, wait, lease, reads };
}

t.test('an answer waits for the lease, and leaves in its turn when it is back', async (t) => {
  const { clock, told, wait, lease, durable } = opened();
  wait(0, 'before');
  lease.isGood = false;
  t.notOk(durable.mayLeave);
  wait(0, 'one');
  clock.advance(500);
  t.strictSame(told, ['before']);
  lease.isGood = true;
  wait(0, 'two');
  t.strictSame(told, ['before'], 'who came first leaves first');
  clock.advance(50);
  t.strictSame(told, ['before', 'one', 'two']);
  wait(0, 'three');
  t.equal(told.at(-1), 'three', 'at once again');
});

t.test('the lease is asked before each of many that leave together', async (t) => {
  const { clock, journal, told, wait, lease, durable } = opened();
  durable.when(1, () => {
    told.push('first');
    lease.isGood = false;
  });
  wait(1, 'second');
  journal.sync(1);
  t.strictSame(told, ['first']);
  clock.advance(1100);
  t.strictSame(told, ['first', 'second late']);
  t.equal(durable.size, 0);
});

t.test(
  'one without patience is told that it is late, others wait as long as it takes',
  async (t) => {
    const { clock, told, wait, lease } = opened();
    lease.isGood = false;
    wait(0, 'asker');
    wait(0, 'reader', true);
    clock.advance(1100);
    t.strictSame(told, ['asker late']);
    clock.advance(60_000);
    lease.isGood = true;
    clock.advance(50);
    t.strictSame(told, ['asker late', 'reader']);
  },
);

t.test(
  'nothing leaves while the lease is not good, and nothing is lost or turned around',
  async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('wait' as const), lsn: fc.nat(6) }),
      fc.record({ do: fc.constant('sync' as const), lsn: fc.nat(6) }),
      fc.record({ do: fc.constant('lease' as const), lsn: fc.nat(1) }),
      fc.record({ do: fc.constant('time' as const), lsn: fc.nat(40) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, journal, durable, lease } = opened();
        const left: number[] = [];
        let isWrong = false;
        for (const [at, { do: what, lsn }] of steps.entries()) {
          if (what === 'wait') {
            durable.when(lsn, () => {
              isWrong ||= !lease.isGood || lsn > journal.durableLsn;
              left.push(at);
            });
          } else if (what === 'sync') journal.sync(Math.max(lsn, journal.durableLsn));
          else if (what === 'lease') lease.isGood = lsn === 1;
          else clock.advance(lsn);
        }
        lease.isGood = true;
        journal.sync(6);
        clock.advance(100);
        const asked = steps.filter(({ do: what }) => what === 'wait').length;
        return !isWrong && left.length === asked && durable.size === 0;
      }),
    );
  },
);

t.test('a confirmed answer waits for the log even if nothing else holds it', async (t) => {
  const { clock, told, wait, reads, durable, journal } = opened({ confirmsReads: true });
  wait(0, 'one');
  wait(0, 'two');
  wait(1, 'write');
  wait(0, 'three');
  t.strictSame(told, []);
  t.equal(durable.size, 4);
  t.notOk(durable.mayLeave, 'no refusal leaves at once either');
  reads.confirm(1);
  t.strictSame(told, ['one']);
  reads.confirm(3);
  t.strictSame(told, ['one', 'two']);
  journal.sync(1);
  t.strictSame(told, ['one', 'two', 'write'], 'a later read holds up no write');
  clock.advance(1100);
  t.equal(told.at(-1), 'three late');
  reads.confirm(4);
  t.equal(told.length, 4);
  const cancelled = wait(0, 'cancelled');
  if (cancelled !== undefined) durable.cancel(cancelled);
  reads.confirm(5);
  t.equal(told.length, 4);
  t.equal(durable.size, 0);
});
