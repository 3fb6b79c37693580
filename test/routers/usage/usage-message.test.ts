// Usage counters in metrics: what is read of them, also of what no router would send.

import t from 'tap';
import { MalformedMessage } from '../../../src/channel/channel-api.ts';
import { encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import {
  noBytes,
  readUsage,
  type UsageBucket,
  usageCounters,
} from '../../../src/routers/usage/usage-message.ts';
import fc from '../../properties.ts';

/** What is read of a counter, and in how many steps. */
function read(counter: Buffer) {
  const buckets: UsageBucket[] = [];
  let unreadable = 0;
  let steps = 0;
  const taker = {
    bucket: (bucket: UsageBucket) => void buckets.push(bucket),
    unreadable: () => void unreadable++,
  };
  for (const _ of readUsage(counter, taker)) steps++;
  return { buckets, unreadable, steps };
}

const values = fc.dictionary(
  fc.oneof(fc.constantFrom(...usageCounters), fc.string()),
  fc.nat({ max: 2 ** 31 - 1 }),
  { maxKeys: 8, noNullPrototype: true },
);
const tags = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3, noNullPrototype: true });
const circuitId = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 22 });
const counters = fc.record({
  intervalStartUTC: fc.nat({ max: 2 ** 31 - 1 }),
  intervalLength: fc.nat({ max: 600 }),
  buckets: fc.dictionary(circuitId, fc.record({ values, tags }), { noNullPrototype: true }),
});

t.test('buckets are read as a decoder reads them', async (t) => {
  fc.assert(
    fc.property(counters, (counter) => {
      const { intervalStartUTC: startSeconds, intervalLength: lengthSeconds } = counter;
      const { buckets } = read(encodeMessage(fabric.UsageCounter, counter));
      const expected = Object.entries(counter.buckets).map(([id, bucket]) => {
        const bytes = noBytes();
        for (const name of usageCounters) bytes[name] = bucket.values[name] ?? 0;
        return { circuitId: id, bytes, startSeconds, lengthSeconds };
      });
      t.strictSame(buckets, expected);
    }),
  );
});

t.test('an interval behind its buckets', async (t) => {
  const bucket = { values: { 'ingress.rx': 7 } };
  const behind = encodeMessage(fabric.UsageCounter, { buckets: { c: bucket } });
  const interval = encodeMessage(fabric.UsageCounter, { intervalStartUTC: 60, intervalLength: 5 });
  const { buckets } = read(Buffer.concat([behind, interval]));
  t.match(buckets, [{ circuitId: 'c', startSeconds: 60, lengthSeconds: 5 }]);
  t.equal(buckets[0]?.bytes['ingress.rx'], 7);
});

t.test('what cannot be a bucket is left out, and the others are read', async (t) => {
  const tooMuch = { values: { 'ingress.rx': 2 ** 46 } };
  const tooLarge = { values: {}, tags: { long: 'x'.repeat(4096) } };
  const buckets = {
    '': { values: { 'egress.rx': 1 } },
    ['i'.repeat(101)]: { values: { 'egress.rx': 1 } },
    tooMuch,
    tooLarge,
    good: { values: { 'egress.rx': 2 } },
  };
  const answer = read(encodeMessage(fabric.UsageCounter, { intervalStartUTC: 1, buckets }));
  t.equal(answer.unreadable, 4);
  t.strictSame(
    answer.buckets.map(({ circuitId: id }) => id),
    ['good'],
  );
});

t.test('bytes that are no counter', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        read(Buffer.from(bytes));
      } catch (error) {
        if (!(error instanceof MalformedMessage)) throw error;
      }
    }),
  );
  t.throws(() => read(Buffer.of(0x1b)), MalformedMessage, 'a group of fields');
  t.throws(() => read(Buffer.of(0x1a, 0x7f)), MalformedMessage, 'bytes that are not there');
  const wrongTypes = Buffer.of(0x0a, 1, 0x61, 0x18, 5);
  t.same(read(wrongTypes), { buckets: [], unreadable: 1, steps: 0 });
});

t.test('16 MiB of nonsense are read in steps', async (t) => {
  const fields = Buffer.alloc(16 * 1024 * 1024, Buffer.of(0x60, 1));
  t.ok(read(fields).steps > fields.length / 4096);
  const empty = Buffer.alloc(1024 * 1024, Buffer.of(0x1a, 0));
  const answer = read(empty);
  t.equal(answer.unreadable, empty.length / 2);
  t.ok(answer.steps > empty.length / 4096);
});
