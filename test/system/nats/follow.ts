// Checks of reading a stream as it grows, on one real server.

import { strict as assert } from 'node:assert';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { logStream } from '../../../src/cluster/nats/names.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import {
  aWhile,
  type Check,
  created,
  dataSetOf,
  follow,
  message,
  open,
  publishAll,
} from './check.ts';
import { until } from './server.ts';

/** What `Stream.follow` promises. */
export const followChecks: readonly Check[] = [
  {
    name: 'a reader gets everything once, from where it asked on, old and new',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['one', 'two', 'three']);
      const told = follow(world, stream, 2);
      await until('the old ones are there', () => told.texts.length === 2);
      await publishAll(stream, ['four', 'five']);
      await until('the new ones are there', () => told.texts.length === 4);
      assert.deepEqual(told.texts, ['two', 'three', 'four', 'five']);
      assert.deepEqual(told.sequences, [2, 3, 4, 5]);
      assert.deepEqual([told.reasons, told.firsts], [[], []]);
    },
  },
  {
    name: 'a reader of an empty stream is told that there is nothing newer',
    body: async (world) => {
      const { stream } = await created(world);
      const told = follow(world, stream, 1);
      await until('it is idle', () => told.idles >= 2);
      await publishAll(stream, ['one']);
      await until('the message is there', () => told.texts.length === 1);
      const { idles } = told;
      await until('it is idle again', () => told.idles > idles);
    },
  },
  {
    name: 'a reader that is stopped is told nothing more',
    body: async (world) => {
      const { stream } = await created(world);
      const told = follow(world, stream, 1);
      await until('it is idle', () => told.idles >= 1);
      await world.endings.run();
      const { stream: again } = open(world, world.servers.access('node'));
      const { idles } = told;
      await publishAll(again, ['one']);
      await aWhile();
      assert.deepEqual([told.texts, told.idles, told.reasons], [[], idles, []]);
    },
  },
  {
    name: 'thousands of messages come whole and in order',
    body: async (world) => {
      const { stream } = await created(world);
      const told = follow(world, stream, 1);
      const texts = Array.from({ length: 3000 }, (_, index) => `m${index}`);
      let expected = 0;
      while (expected < texts.length) {
        const some = texts.slice(expected, expected + 100);
        const from = expected;
        const said = await Promise.all(
          some.map((text, index) => stream.publish(message(text), from + index)),
        );
        assert.ok(said.every(({ outcome }) => outcome === 'acknowledged'));
        expected += some.length;
      }
      await until('all are there', () => told.texts.length === texts.length);
      assert.deepEqual(told.texts, texts);
    },
  },
  {
    name: 'a reader that needs what was purged is told where the stream begins',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['one', 'two', 'three', 'four']);
      await stream.purge(3);
      const told = follow(world, stream, 2);
      await until('it is told', () => told.firsts.length > 0);
      assert.deepEqual([told.firsts, told.texts], [[3], []]);
      const whole = follow(world, stream, 3);
      await until('the rest is there', () => whole.texts.length === 2);
    },
  },
  {
    name: 'a reader goes on after its consumer was removed',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['one']);
      const told = follow(world, stream, 1);
      await until('the first is there', () => told.texts.length === 1);
      const link = new NatsLink(world.servers.access('init'), systemClock, 'check');
      world.endings.teardown(() => link.close());
      const name = logStream(dataSetOf(world));
      await link.ask(async ({ api }) => {
        for await (const { name: consumer } of api.consumers.list(name)) {
          await api.consumers.delete(name, consumer);
        }
      });
      await publishAll(stream, ['two', 'three']);
      await until('the others are there', () => told.texts.length === 3);
      assert.deepEqual(told.texts, ['one', 'two', 'three']);
      assert.equal(told.reasons.length, 1);
    },
  },
  {
    name: 'a reader goes on after the server was killed and is back',
    body: async (world) => {
      const [server] = world.servers.all;
      assert.ok(server);
      const { stream } = await created(world);
      await publishAll(stream, ['one']);
      const told = follow(world, stream, 1);
      await until('the first is there', () => told.texts.length === 1);
      await server.kill();
      await until('it is told', () => told.reasons.length > 0);
      server.start();
      await server.ready();
      await publishAll(stream, ['two']);
      await until('the second is there', () => told.texts.length === 2);
      const { idles } = told;
      await until('it is idle', () => told.idles > idles);
      assert.deepEqual(told.texts, ['one', 'two']);
    },
  },
  {
    name: 'a reader of a stream that was deleted is told so, and hears of nothing else',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['one']);
      const told = follow(world, stream, 1);
      await until('the first is there', () => told.texts.length === 1);
      await open(world, world.servers.access('init')).resources.remove();
      await until('it is told', () => told.reasons.some((reason) => /not found/.test(reason)));
      assert.deepEqual([told.texts, told.firsts], [['one'], []]);
    },
  },
];
