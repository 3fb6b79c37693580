// A control connection of a node of a cluster: bytes leave only while it may answer.

import t from 'tap';
import { GatedConnection } from '../../src/channel/gated-connection.ts';
import { AnswerGate } from '../../src/cluster/log/answer-gate.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedControlConnection } from '../simulated/control-connection.ts';

function opened() {
  const clock = new SimulatedClock();
  const lease = { isGood: true };
  const inner = new SimulatedControlConnection(clock);
  const got: string[] = [];
  const heard: string[] = [];
  inner.router.listen({
    data: (bytes) => void got.push(bytes.toString()),
    closed: () => void got.push('closed'),
  });
  const gate = new AnswerGate({ mayAnswer: () => lease.isGood }, clock);
  const connection = new GatedConnection(inner, gate);
  connection.listen({
    data: (bytes) => void heard.push(bytes.toString()),
    drained: () => void heard.push('drained'),
    closed: () => void heard.push('closed'),
  });
  const write = (text: string) => connection.write([Buffer.from(text)]);
  const received = () => got.join('');
  return { clock, lease, inner, connection, write, received, heard };
}

t.test('bytes wait while the lease is not good, and leave in their order', async (t) => {
  const { clock, lease, connection, write, received, inner, heard } = opened();
  write('a');
  clock.advance(1);
  t.equal(received(), 'a');
  lease.isGood = false;
  write('b');
  clock.advance(1000);
  t.equal(received(), 'a');
  t.equal(connection.unsentBytes, 1);
  inner.router.write([Buffer.from('in')]);
  clock.advance(1);
  t.ok(heard.includes('in'), 'the router is heard all the while');
  lease.isGood = true;
  write('c');
  t.equal(connection.unsentBytes, 2, 'who came first leaves first');
  clock.advance(50);
  t.equal(received(), 'abc');
  t.equal(connection.unsentBytes, 0);
  t.ok(heard.includes('drained'));
});

t.test('an end comes after what is held', async (t) => {
  const { clock, lease, connection, write, received } = opened();
  lease.isGood = false;
  write('last');
  connection.end();
  write('nothing');
  clock.advance(100);
  t.equal(received(), '');
  lease.isGood = true;
  clock.advance(50);
  t.equal(received(), 'lastclosed');
});

t.test('what is held when it closes never leaves', async (t) => {
  const { clock, lease, connection, write, received, heard } = opened();
  lease.isGood = false;
  write('never');
  connection.destroy();
  t.equal(connection.unsentBytes, 0);
  lease.isGood = true;
  clock.advance(100);
  t.equal(received(), 'closed');
  t.ok(heard.includes('closed'));
});
