// When a node that follows may answer a read.

import t from 'tap';
import { behindMsMax, ReadIndex, type ReadPosition } from '../../src/cluster/node/read-index.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function begin({ waitingMax = 100 } = {}) {
  const clock = new SimulatedClock();
  const asked: ((position: ReadPosition | undefined) => void)[] = [];
  const node = { appliedLsn: 10, canAsk: true };
  const reads = new ReadIndex({
    clock,
    appliedLsn: () => node.appliedLsn,
    ask(answered) {
      if (node.canAsk) asked.push(answered);
      return node.canAsk;
    },
    waitingMax,
  });
  const told: string[] = [];
  const read = (name: string) => {
    reads.onceSettled((standing) => told.push(`${name} ${standing}`));
  };
  const answer = (lsn: number | undefined, confirmedLsn = lsn ?? 0) => {
    clock.turn();
    asked.shift()?.(lsn === undefined ? undefined : { lsn, confirmedLsn });
    clock.turn();
  };
  return { clock, asked, node, reads, told, read, answer };
}

t.test('a read waits for the position that the leader names', async (t) => {
  const { clock, asked, told, read, answer, node, reads } = begin();
  read('a');
  t.equal(asked.length, 0, 'what else arrives in this turn is served by the same question');
  clock.turn();
  t.equal(asked.length, 1);
  t.same(told, [], 'nothing is evaluated before the leader has answered');
  answer(10);
  t.same(told, ['a current']);
  read('b');
  answer(12);
  t.same(told, ['a current']);
  node.appliedLsn = 11;
  reads.applied();
  t.same(told, ['a current']);
  node.appliedLsn = 12;
  reads.applied();
  t.same(told, ['a current', 'b current']);
  t.equal(reads.waiting, 0);
});

t.test('no read joins a question that was sent before it arrived', async (t) => {
  const { clock, asked, told, read, answer, node, reads } = begin();
  read('a');
  clock.turn();
  read('b');
  read('c');
  clock.turn();
  t.equal(asked.length, 1, 'one question is under way');
  answer(10);
  t.same(told, ['a current']);
  t.equal(asked.length, 1, 'one question for all that waited');
  answer(13);
  t.same(told, ['a current']);
  read('d');
  answer(11);
  node.appliedLsn = 11;
  reads.applied();
  t.same(told, ['a current', 'd current'], 'an older leader may name less');
  node.appliedLsn = 13;
  reads.applied();
  t.same(told, ['a current', 'd current', 'b current', 'c current']);
});

t.test('the leader has to answer what comes too late', async (t) => {
  const { clock, told, read, answer, node, reads } = begin();
  read('a');
  answer(11);
  await clock.advance(behindMsMax - 1);
  t.same(told, []);
  await clock.advance(1);
  t.same(told, ['a behind']);
  node.appliedLsn = 11;
  reads.applied();
  t.same(told, ['a behind']);
  t.equal(reads.waiting, 0);
});

t.test('a node that has all that is confirmed is not behind', async (t) => {
  const { clock, told, read, answer } = begin();
  read('a');
  answer(11, 10);
  await clock.advance(behindMsMax);
  t.same(told, ['a unheard'], 'it is the log that is late');
});

t.test('and what nobody has a position for', async (t) => {
  const { clock, asked, told, read, answer, node, reads } = begin({ waitingMax: 2 });
  node.canAsk = false;
  read('a');
  clock.turn();
  t.same(told, ['a unheard'], 'there is no leader');
  node.canAsk = true;
  read('b');
  clock.turn();
  read('c');
  read('d');
  t.same(told, ['a unheard', 'd behind'], 'as many wait as may');
  answer(undefined);
  t.same(told, ['a unheard', 'd behind', 'b unheard'], 'the node that was asked does not lead');
  t.equal(asked.length, 1, 'the next question is sent all the same');
  answer(10);
  t.same(told.at(-1), 'c current');
  t.equal(reads.waiting, 0);
});
