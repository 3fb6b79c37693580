// An inspector's socket on a node of a cluster: messages leave only as the gate lets them.

import t from 'tap';
import { AnswerGate } from '../../src/cluster/log/answer-gate.ts';
import { confirmationMemory, RequestedReads } from '../../src/cluster/node/read-confirmations.ts';
import { GatedSocket } from '../../src/inspect/server/stream/gated-socket.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function opened(confirms: boolean) {
  const clock = new SimulatedClock();
  const lease = { isGood: true };
  const asked = new RequestedReads(confirmationMemory(), clock);
  const reads = confirms ? asked : undefined;
  const gate = new AnswerGate({ mayAnswer: () => lease.isGood, reads }, clock);
  const got: unknown[] = [];
  const inner = {
    isOpen: true,
    bufferedBytes: 5,
    send: (...messages: readonly unknown[]) => void got.push(...messages),
    close: () => void got.push('closed'),
    terminate: () => void got.push('terminated'),
  };
  return { clock, lease, asked, got, socket: new GatedSocket(inner, gate) };
}

t.test('with a lease that lasts, messages leave at once; else they wait in order', async (t) => {
  const { clock, lease, got, socket } = opened(false);
  socket.send('a');
  lease.isGood = false;
  socket.send('b', Buffer.from('cc'));
  t.same(got, ['a']);
  t.equal(socket.bufferedBytes, 5 + 3, 'what is held counts');
  lease.isGood = true;
  socket.send('d');
  clock.advance(50);
  t.same(got, ['a', 'b', Buffer.from('cc'), 'd']);
  t.equal(socket.bufferedBytes, 5);
});

t.test('where reads are confirmed, each message waits for the log', async (t) => {
  const { asked, got, socket } = opened(true);
  socket.send('a');
  socket.send('b');
  t.same(got, []);
  asked.confirm(1);
  t.same(got, ['a']);
  t.equal(socket.bufferedBytes, 5 + 1);
  socket.close(1008, 'the session has ended');
  asked.confirm(2);
  t.same(got, ['a', 'closed'], 'what was held is dropped');
  t.equal(socket.bufferedBytes, 5);
});
