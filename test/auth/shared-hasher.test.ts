// The bounded queue in front of the hasher.

import t from 'tap';
import { FairQueue, type Share } from '../../src/auth/passwords/login-queue.ts';
import { admittedHasher, planHashing } from '../../src/auth/passwords/shared-hasher.ts';
import { Admission, Busy } from '../../src/turns/admission.ts';
import { SimulatedHasher } from '../simulated/hasher.ts';

const share: Share = { address: '127.0.0.1', username: 'somebody', isKnown: false };
const parameters = { memoryKib: 64, timeCost: 1, parallelism: 1 };

/** Lets everything that is due run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

t.test('tasks run and wait up to the bounds, and one more is refused', async (t) => {
  const hasher = new SimulatedHasher();
  const admission = new Admission<Share>({ runningMax: 2, queue: new FairQueue(3) });
  const admitted = admittedHasher(hasher, admission);
  hasher.hold();
  const runs = ['a', 'b', 'c', 'd', 'e'].map((password) =>
    admitted.hash(password, parameters, share),
  );
  await settle();
  t.equal(hasher.heldCount, 2);
  t.same(admission.figures, { running: 2, waiting: 3, admitted: 2, refused: 0 });
  await t.rejects(admitted.hash('f', parameters, share), Busy);
  t.same(admission.figures, { running: 2, waiting: 3, admitted: 2, refused: 1 });

  hasher.letGo(1);
  await settle();
  t.same(admission.figures, { running: 2, waiting: 2, admitted: 3, refused: 1 });
  const late = admitted.hash('g', parameters, share);
  hasher.release();
  await Promise.all([...runs, late]);
  t.same(admission.figures, { running: 0, waiting: 0, admitted: 6, refused: 1 });
  t.equal(hasher.calls.map((call) => call.password).join(''), 'abcdeg', 'in the order they came');
});

t.test('a task that has to leave for another one is refused', async (t) => {
  const hasher = new SimulatedHasher();
  const admission = new Admission<Share>({ runningMax: 1, queue: new FairQueue(2) });
  const admitted = admittedHasher(hasher, admission);
  hasher.hold();
  const other = { ...share, address: '127.0.0.2' };
  const flood = ['a', 'b', 'c'].map((password) => admitted.hash(password, parameters, share));
  await settle();
  const honest = admitted.hash('right', parameters, other);
  await t.rejects(async () => await flood[2], Busy, 'the newest of the larger share');
  t.match(admission.figures, { running: 1, waiting: 2, refused: 1 });
  hasher.release();
  await Promise.all([flood[0], flood[1], honest]);
  t.match(admission.figures, { running: 0, waiting: 0, admitted: 3, refused: 1 });
});

t.test('hashing leaves threads of the pool for other work', async (t) => {
  t.same(planHashing(1), { runningMax: 1, poolThreads: 3 });
  t.same(planHashing(8), { runningMax: 8, poolThreads: 10 });
  t.same(planHashing(0), { runningMax: 1, poolThreads: 3 });
});
