// The latest values of each key: how many, how heavy, and of how many keys.

import t from 'tap';
import { RecentByKey } from '../../src/containers/recent-by-key.ts';

const roomy = { valuesMax: 3, keyWeightMax: 1000, weightMax: 1000 };
const recent = (bounds: Partial<typeof roomy> = {}) =>
  new RecentByKey<string>({ ...roomy, ...bounds }, ({ length }) => length);

t.test('the last values of a key, the oldest first', (t) => {
  const values = recent();
  t.same(values.of('a'), []);
  for (const value of ['1', '2', '3', '4', '5']) values.add('a', value);
  values.add('b', '6');
  t.same([values.of('a'), values.of('b')], [['3', '4', '5'], ['6']]);
  t.same(values.size, { keys: 2, weight: 4 });
  values.forget('a');
  values.forget('a');
  t.same(values.size, { keys: 1, weight: 1 });
  t.end();
});

t.test('no more weight of a key than its bound, yet one value', (t) => {
  const values = recent({ keyWeightMax: 5 });
  for (const value of ['aa', 'bb', 'cc']) values.add('a', value);
  t.same(values.of('a'), ['bb', 'cc']);
  values.add('a', 'a long text');
  t.same(values.of('a'), ['a long text']);
  values.add('a', 'dd');
  t.same(values.of('a'), ['dd']);
  t.end();
});

t.test('beyond the bound of all keys, the one added to longest ago is forgotten', (t) => {
  const values = recent({ weightMax: 6 });
  for (const key of ['a', 'b', 'a', 'c']) values.add(key, 'xx');
  t.same([values.of('a'), values.of('b'), values.of('c')], [['xx', 'xx'], [], ['xx']]);
  values.add('d', 'xxxxxxx');
  t.same(values.size, { keys: 0, weight: 0 }, 'one value alone may be too much');
  t.end();
});
