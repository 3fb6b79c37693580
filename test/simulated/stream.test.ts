// The simulated stream: what other tests rely on.

import t from 'tap';
import type { PublishOutcome, StreamMessage } from '../../src/cluster/stream.ts';
import { StreamUnreachable } from '../../src/cluster/stream.ts';
import { SimulatedClock } from './clock.ts';
import { type PublishFault, type SimulatedConnection, SimulatedStream } from './stream.ts';

const clock = () => new SimulatedClock();

function messageOf(text: string) {
  return { headers: new Map([['text', text]]), body: Buffer.from(text) };
}

function textsOf(stream: SimulatedStream): string {
  return stream.messages.map(({ sequence, body }) => `${sequence}:${body}`).join(' ');
}

/** Publishes texts one behind the other and says what came of them after `ms`. */
async function outcomes(
  stream: SimulatedStream,
  node: SimulatedConnection,
  texts: string,
  ms = 5000,
): Promise<string[]> {
  const first = stream.last;
  const told: string[] = [];
  [...texts].forEach((text, index) => {
    const say = (outcome: PublishOutcome) => {
      const sequence = outcome.outcome === 'acknowledged' ? ` ${outcome.sequence}` : '';
      told[index] = `${outcome.outcome}${sequence}`;
    };
    void node.publish(messageOf(text), first + index).then(say);
  });
  await stream.clock.elapse(ms);
  return told;
}

t.test('messages get consecutive numbers if they expect the last one', async (t) => {
  const stream = new SimulatedStream({ clock: clock() });
  const node = stream.connect();
  t.same(await outcomes(stream, node, 'abc'), [
    'acknowledged 1',
    'acknowledged 2',
    'acknowledged 3',
  ]);
  const other = stream.connect().publish(messageOf('x'), 1);
  await stream.clock.elapse(10);
  t.same(await other, { outcome: 'refused' });
  t.equal(textsOf(stream), '1:a 2:b 3:c');
  t.equal(stream.clock.timers, 0, 'and nothing is left over');
});

const cases: readonly [PublishFault, told: string[], content: string][] = [
  ['refused', ['refused', 'refused'], ''],
  ['lost', ['unknown', 'refused'], ''],
  ['unheard', ['unknown', 'acknowledged 2'], '1:a 2:b'],
  ['slow', ['acknowledged 1', 'acknowledged 2'], '1:a 2:b'],
  ['late', ['unknown', 'refused'], '1:a'],
  ['twice', ['refused', 'acknowledged 2'], '1:a 2:b'],
  ['gap', ['acknowledged 2', 'refused'], '2:a'],
];

for (const [fault, told, content] of cases) {
  t.test(`the first of two messages: ${fault}`, async (t) => {
    const stream = new SimulatedStream({ clock: clock() });
    const node = stream.connect();
    node.plan(fault);
    t.same(await outcomes(stream, node, 'ab', 20_000), told);
    t.equal(textsOf(stream), content);
  });
}

t.test('a lost connection leaves outcomes open, and reads are refused', async (t) => {
  const stream = new SimulatedStream({ clock: clock() });
  const node = stream.connect();
  const first = node.publish(messageOf('a'), 0);
  node.cut();
  t.equal((await first).outcome, 'unknown');
  const refused = t.rejects(node.read(1), StreamUnreachable);
  await stream.clock.elapse(10_000);
  await refused;
  node.restore();
  t.same(await outcomes(stream, node, 'b'), [`acknowledged ${stream.last}`]);
});

t.test('a reader gets every message once, and is told when there is nothing newer', async (t) => {
  const stream = new SimulatedStream({ clock: clock() });
  const [node, reader] = [stream.connect(), stream.connect()];
  await outcomes(stream, node, 'ab');
  const told: string[] = [];
  const events = {
    message: ({ sequence, body }: StreamMessage) => void told.push(`${sequence}:${body}`),
    idle: () => void told.push('idle'),
    interrupted: () => void told.push('interrupted'),
    missed: (first: number) => void told.push(`missed ${first}`),
  };
  const following = reader.follow(1, events);
  await stream.clock.elapse(1500);
  t.same(told.splice(0), ['1:a', '2:b', 'idle', 'idle']);
  reader.cut();
  await outcomes(stream, node, 'c');
  reader.restore();
  await stream.clock.elapse(100);
  t.same(told.splice(0), ['interrupted', '3:c', 'idle']);
  reader.freeze();
  await outcomes(stream, node, 'd');
  t.same(told, []);
  reader.thaw();
  t.equal(told.shift(), '4:d');
  following.stop();
  stream.purge(3);
  reader.follow(1, events);
  await stream.clock.elapse(100);
  t.equal(told.at(-1), 'missed 3');
});

t.test('the server forgets, is deleted, and comes back as another', async (t) => {
  const stream = new SimulatedStream({ clock: clock() });
  const node = stream.connect();
  await outcomes(stream, node, 'abc');
  stream.rollBack(2);
  t.equal(textsOf(stream), '1:a');
  t.same(await outcomes(stream, node, 'd'), ['acknowledged 2']);
  stream.delete();
  t.same(await outcomes(stream, node, 'e'), ['unknown']);
  stream.recreate();
  t.same(await outcomes(stream, node, 'f'), ['acknowledged 1']);
  stream.recreate(2);
  t.same(await outcomes(stream, node, 'g'), ['unknown'], 'a node of the older generation');
  t.same(await outcomes(stream, stream.connect(), 'h'), ['acknowledged 1']);
});
