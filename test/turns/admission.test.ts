// The bounded queue in front of slow tasks.

import t from 'tap';
import { Admission, Busy, FifoQueue } from '../../src/turns/admission.ts';

/** Lets everything that is due run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

t.test('a newcomer never overtakes a waiting task', async (t) => {
  const admission = new Admission({ runningMax: 1, queue: new FifoQueue(10) });
  const order: string[] = [];
  const task = (name: string) => async (): Promise<void> => {
    order.push(name);
    await settle();
  };
  const first = admission.run(task('first'));
  const second = admission.run(task('second'));
  const third = first.then(() => admission.run(task('third')));
  const fourth = admission.run(task('fourth'));
  await Promise.all([first, second, third, fourth]);
  t.same(order, ['first', 'second', 'fourth', 'third']);
});

t.test('a task that fails gives its place back', async (t) => {
  const admission = new Admission({ runningMax: 1, queue: new FifoQueue(1) });
  const failing = admission.run(() => Promise.reject(new Error('broken')));
  const thrower = admission.run(() => {
    throw new Error('thrown');
  });
  await t.rejects(failing, /broken/);
  await t.rejects(thrower, /thrown/);
  t.equal(await admission.run(async () => 7), 7);
  t.same(admission.figures, { running: 0, waiting: 0, admitted: 3, refused: 0 });
});

t.test('without places to wait', async (t) => {
  const admission = new Admission({ runningMax: 1, queue: new FifoQueue(0) });
  const running = admission.run(settle);
  await t.rejects(admission.run(settle), Busy);
  await running;
  await t.resolves(admission.run(settle));
});
