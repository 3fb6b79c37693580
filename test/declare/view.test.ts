// The text of records and times in answers.

import t from 'tap';
import { CacheBudget } from '../../src/containers/recent-cache.ts';
import { perApi } from '../../src/declare/operations/apis.ts';
import { isoTime, View } from '../../src/declare/resources/view.ts';
import { type ServiceRecord, serviceKind } from '../../src/records/service.ts';

const noPaths = perApi(() => new Set<string>());
const service: ServiceRecord = {
  id: 's1',
  createdAt: 0,
  updatedAt: 0,
  tags: {},
  name: 'payroll',
  configs: [],
  encryptionRequired: true,
  maxIdleTimeMillis: 0,
  roleAttributes: [],
  terminatorStrategy: 'smartrouting',
  isFabricOnly: false,
};

/** Shows the service several times, each time with another value of its joined fields. */
function shownTexts(values: readonly (string | undefined)[], keptText?: string) {
  let value: string | undefined;
  const joined = {
    first: { text: () => '1' },
    second: { ...(keptText === undefined ? {} : { keptText }), text: () => value },
  };
  const view = new View(
    { kind: serviceKind, path: 'services', joined },
    new CacheBudget(1e6),
    noPaths,
  );
  return values.map((next) => {
    value = next;
    const chunks = view.chunks(service, { api: 'management' });
    const text = chunks.map((chunk) => Buffer.from(chunk).toString()).join('');
    const { first, second } = JSON.parse(text);
    return { chunks: chunks.length, first, second };
  });
}

t.test('a record is kept as one text while its joined fields are the same', async (t) => {
  t.same(shownTexts(['2', '2', '2', '3', '3', undefined, undefined, '2']), [
    { chunks: 2, first: 1, second: 2 },
    { chunks: 1, first: 1, second: 2 },
    { chunks: 1, first: 1, second: 2 },
    { chunks: 2, first: 1, second: 3 },
    { chunks: 1, first: 1, second: 3 },
    { chunks: 2, first: 1, second: undefined },
    { chunks: 1, first: 1, second: undefined },
    { chunks: 2, first: 1, second: 2 },
  ]);
});

t.test('a secret is not kept, and what stands in its place is', async (t) => {
  const numbers = ['2', '2', '0', '0', '2', '0', '0'];
  t.same(
    shownTexts(numbers, '0').map(({ chunks, second }) => [chunks, second]),
    [
      [2, 2],
      [2, 2],
      [2, 0],
      [1, 0],
      [2, 2],
      [1, 0],
      [1, 0],
    ],
  );
});

t.test('a time has the same text whatever times were shown before it', async (t) => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  for (const ms of [now, now + 1, now, now, now + 2, now + 1, now + 2, 0, now, 0, now + 1]) {
    t.equal(isoTime(ms), new Date(ms).toISOString());
  }
  t.throws(() => isoTime(Number.NaN), RangeError);
  t.equal(isoTime(now), new Date(now).toISOString(), 'a refused time leaves nothing behind');
});
