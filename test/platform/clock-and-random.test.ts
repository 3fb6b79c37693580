// The real clock and chance, as far as a test may evaluate them without waiting.

import t from 'tap';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';

t.test('times', async (t) => {
  t.ok(Number.isInteger(systemClock.now()));
  const first = systemClock.monotonic();
  t.ok(systemClock.monotonic() >= first);
});

t.test('a timer runs once, and not after it was taken back', async (t) => {
  const order: string[] = [];
  const cancelled = systemClock.after(0, () => order.push('cancelled'));
  cancelled.cancel();
  cancelled.cancel();
  const keepAlive = setInterval(() => {}, 1000);
  await new Promise<void>((resolve) => {
    const timer = systemClock.after(1, () => {
      order.push('ran');
      timer.cancel();
      systemClock.after(0, resolve);
    });
  });
  clearInterval(keepAlive);
  t.same(order, ['ran']);
});

t.test('a delay beyond what Node can sleep does not run at once', async (t) => {
  let hasRun = false;
  const timer = systemClock.after(2 ** 31 + 1000, () => {
    hasRun = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  timer.cancel();
  t.notOk(hasRun);
});

t.test('soon is behind what runs now', async (t) => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.soon(() => {
      order.push('soon');
      resolve();
    });
    order.push('now');
  });
  t.same(order, ['now', 'soon']);
});

t.test('chance', async (t) => {
  t.equal(systemRandom.bytes(16).length, 16);
  t.notSame(systemRandom.bytes(16), systemRandom.bytes(16));
});
