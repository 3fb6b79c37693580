// Equal values of many records are shared, as long as that saves memory.

import t from 'tap';
import { ValuePool } from '../../src/containers/value-pool.ts';

t.test('lists and empty maps are shared, what differs is not', async (t) => {
  const pool = new ValuePool({ keeps: true });
  const list = ['a', 'b'];
  t.equal(pool.shared(list), list);
  t.equal(pool.shared(['a', 'b']), list);
  t.strictSame(pool.shared(['ab']), ['ab']);
  t.strictSame(pool.shared(['a', '1:b']), ['a', '1:b']);
  t.equal(pool.shared({}), pool.shared({}));
  t.equal(pool.shared([]), pool.shared([]));
  t.strictSame([pool.shared([]), pool.shared({})], [[], {}]);
  for (const value of [{ a: 1 }, [1], ['a', 1], 0, false, 'text', Buffer.from('bytes')]) {
    t.equal(pool.shared(value), value);
  }
  t.strictSame([pool.shared(null), pool.shared(undefined)], [undefined, undefined]);
  const long = () => Array.from({ length: 17 }, (_, at) => `item ${at}`);
  pool.shared(long());
  const other = long();
  t.equal(pool.shared(other), other, "long lists are nobody else's");
});

t.test('an equal one is met again behind others', async (t) => {
  const pool = new ValuePool({ keeps: true });
  const [first, second] = [['a', 'b'], ['a']];
  for (let round = 0; round < 3; round++) {
    t.equal(pool.shared(round === 0 ? first : ['a', 'b']), first);
    t.equal(pool.shared(round === 0 ? second : ['a']), second);
    t.equal(pool.shared('a'), 'a');
    t.equal(pool.shared(''), '');
    t.equal(pool.shared(['a']), second);
  }
});

t.test('values that must not outlive their record are left alone', async (t) => {
  const pool = new ValuePool({ keeps: false });
  pool.shared(['a']);
  const list = ['a'];
  t.equal(pool.shared(list), list);
  t.equal(pool.shared({}), pool.shared({}));
  const longItem = () => ['x'.repeat(65)];
  const keeping = new ValuePool({ keeps: true });
  keeping.shared(longItem());
  const other = longItem();
  t.equal(keeping.shared(other), other, 'nor are lists of long texts shared');
});

t.test('a pool that found no equal values is not used again', async (t) => {
  const vain = new ValuePool({ keeps: true });
  const used = new ValuePool({ keeps: true });
  const first = ['first'];
  for (const pool of [vain, used]) pool.shared(first);
  for (let at = 0; at < 2000; at++) {
    vain.shared([`item ${at}`]);
    used.shared([`item ${at}`]);
    for (let times = 0; times < 2; times++) used.shared(['first']);
  }
  t.equal(used.shared(['first']), first);
  t.not(vain.shared(['first']), first);
});
