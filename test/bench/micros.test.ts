// Each micro-bench works: one step of each, and a plausible size of an entity.

import t from 'tap';
import { accessMicros } from '../../bench/micro/access.ts';
import { eventMicros } from '../../bench/micro/events.ts';
import { filterMicros } from '../../bench/micro/filter.ts';
import { measureFootprints } from '../../bench/micro/footprint.ts';
import { frameMicros } from '../../bench/micro/frames.ts';
import { runMicro } from '../../bench/micro/micro.ts';

// First: what other tests leave behind would be counted.
t.test('the size of an entity', async (t) => {
  const found = measureFootprints(true);
  t.same(
    found.map(({ kind }) => kind),
    ['identity', 'apiSession', 'session'],
  );
  for (const { kind, bytesEach } of found) t.ok(bytesEach > 50 && bytesEach < 10_000, kind);
});

t.test('one step of each micro-bench', async (t) => {
  const all = [...eventMicros, ...frameMicros, ...accessMicros, ...filterMicros];
  for (const { name, prepare } of all) t.ok(prepare()() > 0, name);
  t.equal(new Set(all.map(({ name }) => name)).size, all.length, 'each has a name of its own');
});

t.test('a measurement has its unit and counts what was done', async (t) => {
  const found = runMicro({ name: 'n', title: 't', unit: 'thing', prepare: () => () => 3 }, 1);
  t.match(found, { micro: 'n', unit: 'thing' });
  t.ok(found.units >= 300, 'a hundred slices of at least one step');
});
