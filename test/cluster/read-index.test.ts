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
    reads.onceCurrent((isCurrent) => told.push(`${name} ${isCurrent ? 'here' : 'leader'}`));
  };
  const answer = (lsn: number | undefined) => {
    asked.shift()?.(lsn === undefined ? undefined : { lsn });
  };
  return { clock, asked, node, reads, told, read, answer };
}

t.test('a read waits for the position that the leader names', async (t) => {
  const { asked, told, read, answer, node, reads } = begin();
  read('a');
  t.equal(asked.length, 1);
  t.same(told, [], 'nothing is evaluated before the leader has answered');
  answer(10);
  t.same(told, ['a here']);
  read('b');
  answer(12);
  t.same(told, ['a here']);
  node.appliedLsn = 11;
  reads.applied();
  t.same(told, ['a here']);
  node.appliedLsn = 12;
  reads.applied();
  t.same(told, ['a here', 'b here']);
  t.equal(reads.waiting, 0);
});

t.test('no read joins a question that was sent before it arrived', async (t) => {
  const { asked, told, read, answer, node, reads } = begin();
  read('a');
  read('b');
  read('c');
  t.equal(asked.length, 1, 'one question is under way');
  answer(10);
  t.same(told, ['a here']);
  t.equal(asked.length, 1, 'one question for all that waited');
  answer(13);
  t.same(told, ['a here']);
  read('d');
  answer(11);
  node.appliedLsn = 11;
  reads.applied();
  t.same(told, ['a here', 'd here'], 'an older leader may name less');
  node.appliedLsn = 13;
  reads.applied();
  t.same(told, ['a here', 'd here', 'b here', 'c here']);
});

t.test('the leader has to answer what comes too late', async (t) => {
  const { clock, told, read, answer, node, reads } = begin();
  read('a');
  answer(11);
  await clock.advance(behindMsMax - 1);
  t.same(told, []);
  await clock.advance(1);
  t.same(told, ['a leader']);
  node.appliedLsn = 11;
  reads.applied();
  t.same(told, ['a leader']);
  t.equal(reads.waiting, 0);
});

t.test('and what nobody has a position for', async (t) => {
  const { asked, told, read, answer, node, reads } = begin({ waitingMax: 2 });
  node.canAsk = false;
  read('a');
  t.same(told, ['a leader'], 'there is no leader');
  node.canAsk = true;
  read('b');
  read('c');
  read('d');
  t.same(told, ['a leader', 'd leader'], 'as many wait as may');
  answer(undefined);
  t.same(told, ['a leader', 'd leader', 'b leader'], 'the node that was asked does not lead');
  t.equal(asked.length, 1, 'the next question is sent all the same');
  answer(10);
  t.same(told.at(-1), 'c here');
  t.equal(reads.waiting, 0);
});
