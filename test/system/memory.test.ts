// A small heap is filled by a client that creates records without end: it is refused, others are
// answered, and a start with the same heap survives what the process held.

import { t } from 'tap';
import { isNightly } from '../campaigns.ts';
import { attackMemory } from './hostile/memory.ts';

t.setTimeout(180_000);

t.test('one client fills the heap', async (t) => {
  const outcome = await attackMemory(isNightly ? 10 : 2);
  t.comment(JSON.stringify(outcome));
  t.ok(outcome.refused > 0, 'creations are refused');
  t.ok(outcome.isShown, 'the health check says so');
  t.equal(outcome.failed, 0, 'what creates nothing is answered');
  t.ok(outcome.isRestarted, 'a start with the same heap gets through');
  t.ok(outcome.isFreed, 'deletions make room');
  t.ok(outcome.isHeld);
});
