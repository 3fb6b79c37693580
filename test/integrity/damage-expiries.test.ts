// Damage to what ends MFA that runs out: orders of stamps, cursors along them, their deadlines.

import t from 'tap';
import type { ExpiryCursor } from '../../src/posture/timelines.ts';
import { type Damage, testDamages } from './damages.ts';
import { guard, proven, timeoutMs, vaultSessions } from './guarded.ts';
import { rowOf, type Scene, slip } from './scene.ts';

const expiries = ({ network }: Scene) => network.core.expiries;
const codes = (scene: Scene) => expiries(scene).timelines.mfaPassedAt;

function cursor(scene: Scene): ExpiryCursor {
  const found = codes(scene).cursors.get(timeoutMs + 1);
  if (found === undefined) throw new Error('nothing runs out');
  return found;
}

/** Everybody's code counts for its time, and no longer. */
async function endsInTime(scene: Scene): Promise<void> {
  const { network } = scene;
  const [first] = proven(scene);
  const { mfaPassedAt } = first.record as { mfaPassedAt?: number };
  await network.advance((mfaPassedAt ?? 0) + timeoutMs - network.clock.now());
  t.equal(vaultSessions(scene), 2);
  await network.advance(1);
  t.equal(vaultSessions(scene), 1);
  await network.advance(timeoutMs);
  t.equal(vaultSessions(scene), 0);
}

const damages: readonly Damage[] = [
  {
    what: 'an API session has lost its place',
    do: (scene) => codes(scene).order.remove(proven(scene)[0].slot),
    found: [
      /^expiries: apiSession .+ has another place in the order by mfaPassedAt than its time$/,
    ],
  },
  {
    what: 'an API session stands at the time of another',
    do(scene) {
      const [first, second] = proven(scene).map(({ slot }) => slot) as [number, number];
      const { times } = expiries(scene).timelines.wokenAt.order.internals;
      times[first] = times[second] ?? 0;
    },
    found: [/^expiries: apiSession .+ has another place in the order by wokenAt than its time$/],
  },
  {
    what: 'an order leads round',
    do(scene) {
      const [first, second] = proven(scene);
      expiries(scene).timelines.unlockedAt.order.internals.next[second.slot] = first.slot;
    },
    found: [/^expiries: apiSession .+ has another place in the order by unlockedAt than its time$/],
  },
  {
    what: 'an order does not lead back',
    do: (scene) => void (codes(scene).order.internals.previous[proven(scene)[1].slot] = 99),
    found: [
      /^expiries: apiSession .+ has another place in the order by mfaPassedAt than its time$/,
    ],
  },
  {
    what: 'an API session without a stamp has a place, and a slot without an API session',
    do(scene) {
      const { network, ids } = scene;
      const { order } = codes(scene);
      const now = network.clock.now();
      order.add(rowOf(network, 'apiSession', ids.apiSession).slot, now);
      order.add(77, now);
    },
    found: [
      /^expiries: apiSession .+ has another place in the order by mfaPassedAt than its time$/,
    ],
  },
  {
    what: 'the stamp of an API session is another one',
    do(scene) {
      const [{ record }, second] = proven(scene);
      const { wokenAt } = record as { wokenAt?: number };
      slip(second, { wokenAt });
    },
    found: [/^expiries: apiSession .+ has another place in the order by wokenAt than its time$/],
  },
  {
    what: 'an order goes on from nowhere',
    do: (scene) => void (codes(scene).order.recent = 77),
    found: [/^expiries: the order by mfaPassedAt goes on from a place that is none of it$/],
  },
  {
    what: 'a cursor is lost',
    do: (scene) => void codes(scene).cursors.delete(timeoutMs + 1),
    found: [/^expiries: postureCheck .+ does not run out after mfaPassedAt$/],
  },
  {
    what: 'a cursor of no check, and one of another check',
    do(scene) {
      const [idle] = [...codes(scene).cursors.values()].filter((one) => one !== cursor(scene));
      for (const id of idle?.checks ?? []) cursor(scene).checks.add(id);
      idle?.checks.clear();
    },
    found: [/^expiries: postureCheck .+ does not run out after mfaPassedAt$/],
  },
  {
    what: 'a cursor waits for the next but one',
    do: (scene) => void (cursor(scene).next = proven(scene)[1].slot),
    found: [
      /^expiries: what runs out 600001 ms after mfaPassedAt passes over what has not run out$/,
    ],
  },
  {
    what: 'a cursor waits for nothing',
    do: (scene) => void (cursor(scene).next = undefined),
    found: [
      /^expiries: what runs out 600001 ms after mfaPassedAt passes over what has not run out$/,
    ],
  },
  {
    what: 'a cursor has lost its deadline, and another has a wrong one',
    do(scene) {
      const { deadlines } = expiries(scene);
      deadlines.clear('mfaPassedAt', String(timeoutMs + 1));
      deadlines.set('wokenAt', '300001', scene.network.clock.now() + 7 * timeoutMs);
    },
    found: [
      /^expiries: what runs out 600001 ms after mfaPassedAt has no deadline, or one for nothing$/,
    ],
  },
  {
    what: 'a deadline is of nobody, and another one is not found again',
    do(scene) {
      const { heap } = expiries(scene).deadlines;
      heap.add(scene.network.clock.now() + 10 * timeoutMs);
      heap.internals.positions[heap.slotAt(1)] = 0;
    },
    found: [/^expiries: there are 5 deadlines, and 4 are waited for$/],
  },
];

testDamages(
  t,
  damages.map((damage) => ({ ...damage, prepare: guard, after: endsInTime })),
);

testDamages(t, [
  {
    what: 'what has run out in the meantime ends with the fix',
    prepare: guard,
    async do(scene) {
      cursor(scene).next = undefined;
      expiries(scene).deadlines.clear('mfaPassedAt', String(timeoutMs + 1));
      await scene.network.advance(timeoutMs - 30_000);
    },
    found: [
      /^expiries: what runs out 600001 ms after mfaPassedAt passes over what has not run out$/,
      /^session .+ has lost the owner or the access that it rests on, and no reader sees it$/,
    ],
    frames: 1,
    async after(scene) {
      t.equal(vaultSessions(scene), 1, 'whose time is over');
      await scene.network.advance(30_000);
      t.equal(vaultSessions(scene), 0);
    },
  },
]);
