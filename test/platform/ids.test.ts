// Ids: their form, their order, and their repetition by a seed.

import t from 'tap';
import { createIds } from '../../src/platform/ids.ts';
import type { Random } from '../../src/platform/ports.ts';
import { seededRandom } from '../pki/context.ts';

const clock = { now: () => 1_700_000_000_000 };
const count = 20_000;

function many<Made>(make: () => Made): Made[] {
  return Array.from({ length: count }, make);
}

t.test('entity ids', async (t) => {
  const ids = createIds(seededRandom('entity'), clock);
  const made = many(ids.entity);
  t.ok(made.every((id) => /^[0-9a-zA-Z][0-9a-zA-Z.-]{9}$/.test(id)));
  t.equal(new Set(made).size, count);
  const used = new Set(made.join(''));
  t.equal(used.size, 64, 'the whole alphabet is used');
});

t.test('an entity id never is digits only, nor starts with "." or "-"', async (t) => {
  // The first pool yields digits, then a leading dot, then a leading hyphen, then something else.
  const draws = [
    Buffer.alloc(10, 5),
    Buffer.alloc(10, 62),
    Buffer.alloc(10, 63),
    Buffer.alloc(10, 10),
  ];
  const pool = Buffer.concat([...draws, Buffer.alloc(8192 - 40)]);
  const ids = createIds({ bytes: () => Buffer.from(pool) }, clock);
  t.equal(ids.entity(), 'aaaaaaaaaa');
});

t.test('request ids', async (t) => {
  const ids = createIds(seededRandom('request'), clock);
  const made = many(ids.request);
  t.ok(made.every((id) => /^[0-9a-zA-Z.-]{10}$/.test(id)));
  t.equal(new Set(made).size, count);
});

t.test('UUIDs of version 4', async (t) => {
  const ids = createIds(seededRandom('uuid'), clock);
  const made = many(ids.uuid);
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  t.ok(made.every((id) => form.test(id)));
  t.equal(new Set(made).size, count);
});

t.test('sortable ids sort by time, also while the clock stands or goes back', async (t) => {
  let nowMs = 1_700_000_000_000;
  const ids = createIds(seededRandom('sortable'), { now: () => nowMs });
  const made: string[] = [];
  for (const step of [0, 1, 0, -5_000, 4_999, 2, 86_400_000, 0]) {
    nowMs += step;
    for (let index = 0; index < 2_000; index += 1) made.push(ids.sortable());
  }
  t.ok(made.every((id) => /^c[0-9a-z]{24}$/.test(id)));
  t.same([...made].sort(), made);
  t.equal(new Set(made).size, made.length);
  t.equal(Number.parseInt((made[0] ?? '').slice(1, 9), 36), 1_700_000_000_000);
});

t.test(
  'more sortable ids in one millisecond than the counter holds go into the next',
  async (t) => {
    const ids = createIds(seededRandom('overflow'), clock);
    let last = ids.sortable();
    let isSorted = true;
    for (let index = 0; index < 36 ** 4; index += 1) {
      const next = ids.sortable();
      isSorted &&= next > last;
      last = next;
    }
    t.ok(isSorted);
    t.equal(Number.parseInt(last.slice(1, 9), 36), clock.now() + 1);
  },
);

t.test('equal seeds give equal ids', async (t) => {
  const run = (seed: string): string[] => {
    const ids = createIds(seededRandom(seed), clock);
    return [ids.entity(), ids.request(), ids.sortable(), ids.uuid(), ids.entity()];
  };
  t.same(run('a'), run('a'));
  t.notSame(run('a'), run('b'));
});

t.test('chance is fetched ahead, and none is used twice', async (t) => {
  let calls = 0;
  const seeded = seededRandom('pool');
  const random: Random = {
    bytes: (length) => {
      calls += 1;
      return seeded.bytes(length);
    },
  };
  const ids = createIds(random, clock);
  t.equal(new Set(Array.from({ length: 512 }, ids.uuid)).size, 512);
  t.equal(calls, 1);
  ids.uuid();
  t.equal(calls, 2);
});
