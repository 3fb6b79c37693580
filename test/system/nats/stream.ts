// Checks of the stream on one real server.

import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { assertUnknown, type Check, created, message, open, publishAll, textOf } from './check.ts';

/** What `Stream` promises, while all is well. */
export const streamChecks: readonly Check[] = [
  {
    name: 'a message is acknowledged with its sequence, and read back as it was sent',
    body: async (world) => {
      const { stream } = await created(world);
      assert.deepEqual(bounds(await stream.state()), { first: 1, last: 0 });
      const sent = message('one');
      const outcome = await stream.publish(sent, 0);
      assert.deepEqual(outcome, { outcome: 'acknowledged', sequence: 1 });
      const stored = await stream.read(1);
      assert.deepEqual(stored?.headers, sent.headers);
      assert.deepEqual(stored?.body, sent.body);
      assert.equal(stored?.sequence, 1);
      assert.ok(Math.abs((stored?.serverTimeMs ?? 0) - Date.now()) < 60_000);
      assert.deepEqual(bounds(await stream.state()), { first: 1, last: 1 });
      assert.equal(await stream.read(2), undefined);
    },
  },
  {
    name: 'eight messages in flight keep their order',
    body: async (world) => {
      const { stream } = await created(world);
      const texts = Array.from({ length: 200 }, (_, index) => `m${index}`);
      const inFlight: Promise<unknown>[] = [];
      for (const [index, text] of texts.entries()) {
        if (inFlight.length >= 8) await inFlight.shift();
        const outcome = stream.publish(message(text), index);
        inFlight.push(
          outcome.then((said) =>
            assert.deepEqual(said, { outcome: 'acknowledged', sequence: index + 1 }),
          ),
        );
      }
      await Promise.all(inFlight);
      for (const sequence of [1, 100, 200]) {
        const stored = await stream.read(sequence);
        assert.equal(stored && textOf(stored), texts[sequence - 1]);
      }
    },
  },
  {
    name: 'a message with another expectation is refused, and so is everything behind it',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['one', 'two']);
      const expectations = [0, 1, 3, 4];
      const said = await Promise.all(
        expectations.map((expected) => stream.publish(message('other'), expected)),
      );
      assert.deepEqual(said, Array(4).fill({ outcome: 'refused' }));
      assert.deepEqual(bounds(await stream.state()), { first: 1, last: 2 });
    },
  },
  {
    name: 'of two writers that expect the same end, one is refused',
    body: async (world) => {
      const one = await created(world);
      const other = open(world, world.servers.access('node'));
      const said = await Promise.all([
        one.stream.publish(message('one'), 0),
        other.stream.publish(message('other'), 0),
      ]);
      const outcomes = said.map(({ outcome }) => outcome).sort();
      assert.deepEqual(outcomes, ['acknowledged', 'refused']);
    },
  },
  {
    name: 'a purge keeps what it was told to keep, and always the last message',
    body: async (world) => {
      const { stream } = await created(world);
      await stream.purge(1);
      await publishAll(stream, ['one', 'two', 'three']);
      await stream.purge(2);
      assert.deepEqual(bounds(await stream.state()), { first: 2, last: 3 });
      assert.equal(await stream.read(1), undefined);
      await stream.purge(100);
      assert.deepEqual(bounds(await stream.state()), { first: 3, last: 3 });
      assert.deepEqual(await stream.publish(message('four'), 3), {
        outcome: 'acknowledged',
        sequence: 4,
      });
    },
  },
  {
    name: 'the largest frame passes',
    body: async (world) => {
      const { stream } = await created(world);
      const body = Buffer.alloc(4 * 1024 * 1024 + 32 * 1024, 'x');
      const outcome = await stream.publish({ headers: new Map([['Edge-Text', 'x']]), body }, 0);
      assert.equal(outcome.outcome, 'acknowledged');
      assert.ok((await stream.read(1))?.body.equals(body));
    },
  },
  {
    name: 'a stream that is not there leaves everything open',
    body: async (world) => {
      const { stream } = open(world, world.servers.access('node'));
      assertUnknown(await stream.publish(message('one'), 0));
      await assert.rejects(stream.read(1), StreamUnreachable);
      await assert.rejects(stream.state(), StreamUnreachable);
    },
  },
  {
    name: 'a wrong password, a foreign certificate and small messages are no way in',
    body: async (world) => {
      await created(world);
      const access = world.servers.access('node');
      const credentials = { kind: 'password', user: 'node', password: 'wrong' } as const;
      const { stream: stranger } = open(world, { ...access, credentials });
      await assert.rejects(stranger.state(), /Authorization/i);
      assert.match(assertUnknown(await stranger.publish(message('x'), 0)), /Authorization/i);
      const { stream: suspicious } = open(world, { ...access, tls: () => ({}) });
      await assert.rejects(suspicious.state(), /certificate/i);
      const unread = { kind: 'file', read: () => readFileSync('/none/file') } as const;
      const { stream: lost } = open(world, { ...access, credentials: unread });
      await assert.rejects(lost.state(), /cannot be used: ENOENT/);
      const unfit = { kind: 'file', read: () => Buffer.from('a secret') } as const;
      const { stream: confused } = open(world, { ...access, credentials: unfit });
      await assert.rejects(confused.state(), /cannot be used: they are no JWT with a seed and/);
      const { stream: large } = open(world, { ...access, payloadBytesMin: 16 * 1024 * 1024 });
      await assert.rejects(
        large.state(),
        /max_payload is 8388608, and has to be at least 16777216/,
      );
    },
  },
];

function bounds({ first, last }: { readonly first: number; readonly last: number }) {
  return { first, last };
}
