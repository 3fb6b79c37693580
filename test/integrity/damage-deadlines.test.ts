// Damage to the deadlines, and to the stamps that those of API sessions rest on.

import t from 'tap';
import { type Damage, testDamages } from './damages.ts';
import { rowOf, type Scene } from './scene.ts';

const hourMs = 3_600_000;
const deadlines = ({ network }: Scene) => network.core.deadlines;

const damages: readonly Damage[] = [
  {
    what: 'a deadline is lost',
    do: (scene) => deadlines(scene).clear('enrollment', scene.ids.enrollment),
    found: [/^deadlines: enrollment .+ waits for 2026-.+ and its deadline is missing$/],
    async after({ network, ids }) {
      await network.advance(hourMs);
      t.match(rowOf(network, 'enrollment', ids.enrollment).record, { state: 'expired' });
    },
  },
  {
    what: 'a deadline is too late, and another one too early',
    do(scene) {
      const { network, ids } = scene;
      const now = network.clock.now();
      deadlines(scene).set('apiSession', ids.apiSession, now + hourMs);
      deadlines(scene).set('enrollment', ids.enrollment, now + 5000);
    },
    found: [/^deadlines: apiSession .+ waits for 2026-.+ and its deadline is 2026-/],
  },
  {
    what: 'a deadline for what waits for nothing, and for what is not there',
    do(scene) {
      const { network, ids } = scene;
      deadlines(scene).set('identity', ids.alice, network.clock.now() + hourMs);
      deadlines(scene).set('enrollment', 'gone', network.clock.now() + hourMs);
    },
    found: [/^deadlines: there is one for enrollment gone, which is not there$/],
  },
  {
    what: 'an API session has lost its stamp',
    do: ({ network, ids }) =>
      network.env.activity.release(rowOf(network, 'apiSession', ids.apiSession).slot),
    found: [
      /^times of last activity: apiSession .+ has none$/,
      /^deadlines: there is one for apiSession .+, which waits for nothing$/,
    ],
  },
  {
    what: 'a stamp that moved is flushed by nobody',
    prepare: ({ network }) => network.advance(hourMs / 4),
    do: ({ network, ids }) =>
      void (network.env.activity.marks[rowOf(network, 'apiSession', ids.apiSession).slot] = 1),
    found: [/^times of last activity: a flush would pass over some$/],
    after: ({ network }) => void t.equal(network.env.activity.dirtyCount, 1),
  },
  {
    what: 'a deadline is not where its time says',
    do(scene) {
      const heap = deadlines(scene).heap;
      // The last of the tree becomes the first that is due.
      const last = heap.slotAt(heap.size - 1);
      heap.internals.times[last] = scene.network.clock.now() - hourMs;
    },
    found: [/^deadlines: enrollment .+ waits for .+ and its deadline is 2025-/],
  },
  {
    what: 'a deadline that is of nobody',
    do: (scene) => void deadlines(scene).heap.add(scene.network.clock.now() + 10 * hourMs),
    found: [/^deadlines: one is of nobody/],
  },
  {
    what: 'a deadline that is not found again',
    do(scene) {
      const heap = deadlines(scene).heap;
      heap.internals.positions[heap.slotAt(1)] = 0;
    },
    found: [/^deadlines: that of \w+ .+ is not due in its turn$/],
  },
  {
    what: 'a deadline that is not in the heap',
    do(scene) {
      const heap = deadlines(scene).heap;
      heap.remove(heap.slotAt(1));
    },
    found: [/^deadlines: one is not in the heap$/],
  },
];

testDamages(t, damages);
