// Bounded caches: recently used entries stay, and the bound holds for all caches that share it.

import t from 'tap';
import { CacheBudget, emptyCaches, RecentCache } from '../../src/containers/recent-cache.ts';

const weigh = (text: string) => text.length;

t.test('what is used stays, what is not goes', async (t) => {
  const cache = new RecentCache<number, string>(40, weigh);
  cache.set(0, 'ten chars.');
  for (let key = 1; key < 20; key++) {
    cache.set(key, 'ten chars.');
    t.equal(cache.get(0), 'ten chars.', `after ${key}`);
  }
  const kept = Array.from({ length: 20 }, (_, key) => cache.get(key)).filter(Boolean);
  t.ok(kept.length <= 4, `${kept.length} kept`);
});

t.test('one that is used much takes the room of the others', async (t) => {
  const budget = new CacheBudget(100);
  const busy = new RecentCache<number, string>(budget, weigh);
  const idle = new RecentCache<number, string>(budget, weigh);
  idle.set(0, 'ten chars.');
  for (let key = 0; key < 9; key++) busy.set(key, 'ten chars.');
  t.equal(idle.get(99), undefined);
  t.equal(busy.get(8), 'ten chars.');
  for (let key = 9; key < 30; key++) busy.set(key, 'ten chars.');
  t.equal(idle.get(0), undefined, 'the idle one holds nothing any more');
  const kept = Array.from({ length: 30 }, (_, key) => busy.get(key)).filter(Boolean);
  t.ok(kept.length >= 5 && kept.length <= 10, `${kept.length} kept`);
});

t.test('all of the process are emptied together', async (t) => {
  const shared = new CacheBudget(100);
  const caches = [shared, shared, 100].map((of) => new RecentCache<number, string>(of, weigh));
  for (const cache of caches) for (let key = 0; key < 8; key++) cache.set(key, 'ten chars.');
  emptyCaches();
  for (const cache of caches) {
    for (let key = 0; key < 8; key++) t.equal(cache.get(key), undefined);
    cache.set(0, 'ten chars.');
    t.equal(cache.get(0), 'ten chars.');
  }
});
