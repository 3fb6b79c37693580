// The watch over the heap: when it asks for full collections, and when no more records are created.

import t from 'tap';
import { HeapWatch } from '../../src/observe/heap-watch.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedHeap } from '../simulated/heap.ts';

const limits = { heapLivePercentMax: 85 };

function start() {
  const clock = new SimulatedClock();
  const heap = new SimulatedHeap();
  const caches = { emptied: 0 };
  const emptyCaches = () => void caches.emptied++;
  const watch = new HeapWatch({ clock, heap, limits, emptyCaches });
  watch.start();
  return { clock, heap, watch, caches };
}

const code = 'MEMORY_LIMIT_REACHED';

t.test('live is what a full collection left, not what is used', async (t) => {
  const { heap, watch } = start();
  heap.used = 990;
  t.equal(watch.isFull, false);
  watch.admitRecord();
  heap.collect(700);
  t.equal(watch.liveBytes, 700);
  heap.used = 990;
  t.equal(watch.isFull, false, 'garbage does not count');
  heap.fill(850);
  t.equal(watch.isFull, false);
  heap.fill(851);
  t.equal(watch.isFull, true);
  t.throws(() => watch.admitRecord(), { code, status: 429, headers: [['retry-after', '5']] });
  heap.collect(850);
  watch.admitRecord();
});

t.test('a collection is asked for when more is used than may be live', async (t) => {
  const { clock, heap, watch } = start();
  heap.used = 850;
  clock.advance(60_000);
  t.equal(heap.asked, 0);
  heap.used = 851;
  clock.advance(1000);
  t.equal(heap.asked, 1);
  clock.advance(2000);
  t.equal(heap.asked, 3, 'again until it comes');
  heap.collect(700);
  clock.advance(60_000);
  t.equal(heap.asked, 3);
  watch.stop();
  heap.used = 1000;
  clock.advance(60_000);
  t.equal(heap.asked, 3);
});

t.test(
  'while it is full it is measured again and again, a tenth of the time at most',
  async (t) => {
    const { clock, heap, watch } = start();
    heap.used = 900;
    clock.advance(1000);
    heap.fill(900);
    t.equal(watch.isFull, true);
    const before = heap.asked;
    clock.advance(4999);
    t.equal(heap.asked, before);
    clock.advance(1);
    t.equal(heap.asked, before + 1, 'after heapCollectMs');
    clock.advance(1000);
    heap.collect();
    const { asked } = heap;
    clock.advance(9000);
    t.equal(heap.asked, asked, 'what took long is done less often');
    clock.advance(1500);
    t.ok(heap.asked > asked);
    heap.collect(300);
    t.equal(watch.isFull, false, 'deletions are noticed');
  },
);

t.test('records that are created have the heap looked at more often', async (t) => {
  const { clock, heap, watch } = start();
  heap.used = 851;
  watch.admitRecord();
  t.equal(heap.asked, 1, 'at once after a rest');
  clock.advance(249);
  watch.admitRecord();
  t.equal(heap.asked, 1);
  clock.advance(1);
  watch.admitRecord();
  t.equal(heap.asked, 2, 'every 250 ms');
  watch.stop();
  clock.advance(1000);
  watch.admitRecord();
  t.equal(heap.asked, 2, 'not after the end');
});

t.test('a small heap keeps room for two young spaces', async (t) => {
  const { heap, watch } = start();
  heap.youngBytes = 100;
  t.equal(watch.boundBytes, 800);
  heap.fill(801);
  t.equal(watch.isFull, true);
});

t.test('caches are emptied before records are refused', async (t) => {
  const { heap, watch, caches } = start();
  heap.collect(765);
  t.equal(caches.emptied, 0);
  heap.collect(766);
  t.equal(caches.emptied, 1, 'from nine tenths of the bound on');
  t.equal(watch.isFull, false);
  heap.collect(850);
  t.equal(watch.isFull, false);
  heap.collect(700);
  t.equal(caches.emptied, 2);
  heap.collect(851);
  t.equal(caches.emptied, 3, 'they have filled again');
  t.equal(watch.isFull, false, 'they may be what is too much');
  t.equal(heap.asked, 1, 'the next collection tells');
  heap.collect(851);
  t.equal(watch.isFull, true, 'it is the records');
  heap.collect(850);
  t.equal(watch.isFull, false);
});
