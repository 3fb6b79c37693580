// What clients are told of the beginning of a controller, and of a leadership.

import t from 'tap';
import { Beginning } from '../../src/assembly/beginning.ts';
import { createIds } from '../../src/platform/ids.ts';
import { seededRandom } from '../pki/context.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function begin(seed: number, lastTimeMs: number, cluster = 'a 1') {
  const clock = new SimulatedClock();
  const ids = createIds(seededRandom(`start ${seed}`), clock);
  return new Beginning({ clock, ids, journal: { lastTimeMs }, cluster });
}

t.test('each start is another instance', async (t) => {
  t.not(begin(1, 0).instanceId, begin(2, 0).instanceId);
  const later = new SimulatedClock().now() + 1000;
  t.equal(begin(1, later).startedAt, later, 'no earlier than what was told before');
});

t.test('all nodes tell the same of a leadership', async (t) => {
  const now = new SimulatedClock().now();
  const nodes = [begin(1, 0), begin(2, now + 7), begin(3, 0, 'a 2'), begin(4, 0)];
  for (const [at, node] of nodes.entries()) node.termBegan(at === 3 ? 6 : 5, now + 7);
  const [one, two, ofOther, later] = nodes.map(({ instanceId }) => instanceId);
  t.equal(one, two);
  t.match(one, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.not(ofOther, one, 'of another generation');
  t.not(later, one, 'of another term');
  t.same(new Set(nodes.map(({ startedAt }) => startedAt)), new Set([now + 7]));
});
