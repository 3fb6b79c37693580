// Work in lines: in order, and never more of it at once than there are lines.

import t from 'tap';
import { inLines } from '../../src/turns/lines.ts';

t.test('all items are taken in their order, a few at a time', async (t) => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const done = inLines([1, 2, 3, 4, 5], 2, (item) => {
    begun.push(item);
    return new Promise((resolve) => ends.push(resolve));
  });
  t.same(begun, [1, 2]);
  ends[1]?.();
  await new Promise(setImmediate);
  t.same(begun, [1, 2, 3], 'a line goes on as soon as it is free');
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise(setImmediate);
  }
  await done;
  t.same(begun, [1, 2, 3, 4, 5]);
});

t.test('more lines than items, and none at all', async (t) => {
  const done: string[] = [];
  await inLines(['a'], 9, async (item) => void done.push(item));
  await inLines([], 9, async () => void t.fail('there is no item'));
  t.same(done, ['a']);
});

t.test('what goes wrong in one line is told', async (t) => {
  const done: number[] = [];
  const work = async (item: number) => {
    if (item === 1) throw new Error('no answer');
    done.push(item);
  };
  await t.rejects(inLines([1, 2, 3], 2, work), /no answer/);
  await new Promise(setImmediate);
  t.same(done, [2, 3]);
});
