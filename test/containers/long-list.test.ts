// A long list agrees with an array across the bounds of its chunks.

import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { LongList } from '../../src/containers/long-list.ts';

t.test('agrees with an array', async (t) => {
  const list = new LongList<number>();
  const model: (number | undefined)[] = [];
  for (let at = 0; at < 40_000; at++) {
    list.set(at, at);
    model[at] = at;
  }
  for (let at = 0; at < 40_000; at += 3) {
    list.set(at, undefined);
    model[at] = undefined;
  }
  t.equal(list.length, 40_000);
  const held = model.filter((value) => value !== undefined);
  t.ok(isDeepStrictEqual([...list], held));
  const visited: number[] = [];
  list.each((value) => visited.push(value));
  t.ok(isDeepStrictEqual(visited, held));
  t.ok(model.every((value, at) => list.get(at) === value));
  for (const at of [-1, 40_000, 65_536, 2 ** 31]) t.equal(list.get(at), undefined, String(at));
  list.set(40_000, 5);
  list.set(0, 7);
  t.equal(list.length, 40_001);
  t.equal(list.get(40_000), 5);
  t.equal(list.get(0), 7);
});

t.test('a push sets the position behind the last, wherever chunks begin and end', async (t) => {
  const [pushed, set] = [new LongList<number>(), new LongList<number>()];
  const both = [pushed, set];
  const misplaced: number[] = [];
  for (let at = 0; at < 40_000; at++) {
    if (pushed.push(at) !== set.length) misplaced.push(at);
    set.set(at, at);
    // Holes behind what is held, and a chunk that has emptied in between.
    if (at === 20_000) for (const list of both) list.set(20_002, undefined);
    if (at === 32_760) for (const list of both) list.set(32_780, undefined);
    at = set.length - 1;
  }
  t.same(misplaced, []);
  for (const list of both) for (let at = 16_384; at < 32_768; at++) list.set(at, undefined);
  t.equal(pushed.length, set.length);
  t.ok(isDeepStrictEqual([...pushed.entries()], [...set.entries()]));
});

t.test('who goes through it meets what is put in behind meanwhile', async (t) => {
  const list = new LongList<number>();
  for (let at = 0; at < 20_000; at++) list.set(at, at);
  let met = 0;
  for (const value of list) {
    met++;
    if (value < 20_000) list.set(list.length, list.length);
    if (value === 5) list.set(10_000, undefined);
  }
  t.equal(met, 39_999 - 1);
});

t.test('chunks that are all empty are passed over, and can be filled again', async (t) => {
  const list = new LongList<number>();
  for (let at = 0; at < 60_000; at++) list.set(at, at);
  for (let at = 0; at < 59_999; at++) list.set(at, undefined);
  t.same([...list], [59_999]);
  t.same([...list.entries()], [[59_999, 59_999]]);
  t.equal(list.length, 60_000);
  list.set(20_000, 7);
  list.set(200_000, 8);
  t.equal(list.length, 200_001);
  t.same(
    [...list.entries()],
    [
      [20_000, 7],
      [59_999, 59_999],
      [200_000, 8],
    ],
  );
  t.equal(list.get(200_000), 8);
  list.set(200_000, undefined);
  t.equal(list.get(200_000), undefined);
});
