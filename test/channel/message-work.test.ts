// Work on one message that takes long: it is done in steps, between those of other routers, and the
// next message of its router waits.

import t from 'tap';
import { type Frame, MalformedMessage, type MessageSteps } from '../../src/channel/channel-api.ts';
import { ChannelBench } from './harness.ts';

/** A router whose messages of type 1007 take 1,000 steps each. */
function open() {
  const bench = new ChannelBench();
  const router = bench.open('slow');
  const honest = bench.open('honest');
  const order: string[] = [];
  router.owner.work = function* ({ contentType }: Frame): MessageSteps {
    order.push(`${contentType}`);
    if (contentType !== 1007) return;
    for (let step = 1; step <= 1000; step++) {
      yield;
      order.push('step');
    }
  };
  honest.owner.onFrame = () => order.push('honest');
  return { bench, router, honest, order };
}

t.test('others are handled between its steps, and its next message behind them', async (t) => {
  const { bench, router, honest, order } = open();
  router.twin.send({ contentType: 1007 });
  router.twin.send({ contentType: 1052 });
  honest.twin.send({ contentType: 1052 });
  bench.clock.drain();
  t.equal(order.filter((what) => what === 'step').length, 1000);
  t.ok(order.indexOf('honest') < 100, `honest is served behind ${order.indexOf('honest')} steps`);
  t.equal(order.at(-1), '1052', 'the next message waits until the work is done');
});

t.test('steps that find the message malformed close the channel', async (t) => {
  const { bench, router } = open();
  router.owner.work = function* () {
    yield;
    throw new MalformedMessage('a record is broken');
  };
  router.twin.send({ contentType: 1007 });
  bench.clock.drain();
  t.same(router.owner.closings, ['a record is broken']);
  t.equal(bench.channels.counts.closedMalformed, 1);
});

t.test('the work ends with the channel', async (t) => {
  const { bench, router } = open();
  let steps = 0;
  router.owner.work = function* () {
    for (; steps < 100; steps++) {
      if (steps === 10) router.owner.open.close('a test wants it');
      yield;
    }
  };
  router.twin.send({ contentType: 1007 });
  bench.clock.drain();
  t.equal(steps, 10);
});
