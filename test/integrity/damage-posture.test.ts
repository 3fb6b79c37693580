// Damage to what posture remembers of policies, and to cascades that are being carried out.

import t from 'tap';
import { Scene as LiveScene } from '../posture/live-scene.ts';
import { type Damage, testDamages } from './damages.ts';
import { guard, guardedPolicy, vaultId, vaultSessions } from './guarded.ts';
import { rowOf, type Scene } from './scene.ts';

const known = ({ network }: Scene) =>
  network.env.posture.known as (readonly object[] | undefined)[];

/** Carol, of the sales too, has proven nothing, and dials what asks for MFA. */
async function dialUnproven(scene: Scene): Promise<void> {
  const live = new LiveScene(scene.network);
  await live.dial(await live.person('carol', { roleAttributes: ['sales'] }), vaultId(scene));
}

const remembered: readonly Damage[] = [
  {
    what: 'a policy is remembered without its checks: who lived by that must end',
    async do(scene) {
      await dialUnproven(scene).then(
        () => t.fail('carol has proven nothing'),
        () => undefined,
      );
      known(scene)[guardedPolicy(scene)] = [];
      const live = new LiveScene(scene.network);
      await live.dial(await live.logIn('carol'), vaultId(scene));
      t.equal(vaultSessions(scene), 3);
    },
    found: [/^posture: servicePolicy .+ is remembered with other checks than it has$/],
    frames: 1,
    after(scene) {
      t.equal(vaultSessions(scene), 2);
      const { access, posture } = scene.network.env;
      t.equal(posture.checksOf(guardedPolicy(scene)).length, 1);
      const { slot } = rowOf(scene.network, 'identity', scene.ids.alice);
      t.ok(
        (access.changeStamps.at(slot) ?? 0) > scene.network.clock.now() - 10_000,
        'all are told',
      );
    },
  },
  {
    what: 'a policy that is not there is remembered, and a check that is not asked for',
    do(scene) {
      const { record } = rowOf(scene.network, 'postureCheck', scene.ids.check);
      const own = known(scene)[guardedPolicy(scene)] ?? [];
      known(scene)[guardedPolicy(scene)] = [...own, record];
      known(scene)[20] = [record];
    },
    found: [/^posture: servicePolicy .+ is remembered with other checks than it has$/],
  },
  {
    what: 'a check is remembered as it was before',
    do(scene) {
      const [check = {}] = known(scene)[guardedPolicy(scene)] ?? [];
      known(scene)[guardedPolicy(scene)] = [{ ...check, timeoutSeconds: -1 }];
    },
    found: [/^posture: servicePolicy .+ is remembered with other checks than it has$/],
  },
];

testDamages(
  t,
  remembered.map((damage) => ({ ...damage, prepare: guard })),
);

/** Notes one that nobody will carry out. */
function noteLost({ network }: Scene, work = 'endSessions'): void {
  const { store } = network.env;
  store.deferredCascades.nextSlice.requestIn(Number.MAX_SAFE_INTEGER);
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  store.transact(cause, (tx) => store.deferredCascades.note(tx, 'lost', work, ['lost']));
}

let called = 0;

testDamages(t, [
  {
    what: 'an open consequence has lost its turn',
    do(scene) {
      noteLost(scene);
      scene.network.env.store.deferredCascades.nextSlice.cancel();
    },
    found: [/^deferred cascades: an open cascade is carried out by nobody$/],
    frames: 1,
    after: ({ network }) => void t.notOk(network.env.store.deferredCascades.isOpen),
  },
  {
    what: 'readers are not kept from what an open consequence takes away',
    do(scene) {
      noteLost(scene);
      scene.network.env.store.deferredCascades.nextSlice.cancel();
      scene.network.env.store.fence.cascadesOpen = false;
    },
    found: [/^deferred cascades: readers are shown what an open cascade deletes$/],
    frames: 1,
  },
  {
    what: 'readers of a kind are not kept from what an open consequence takes away',
    do(scene) {
      noteLost(scene);
      scene.network.env.store.deferredCascades.nextSlice.cancel();
      scene.network.env.store.fence.kindsBeingDeleted = new Set();
    },
    found: [/^deferred cascades: readers are shown what an open cascade deletes$/],
    frames: 1,
  },
  {
    what: 'cascades are said to be open',
    do: ({ network }) => void (network.env.store.fence.cascadesOpen = true),
    found: [/^deferred cascades: cascades are said to be open, and none is$/],
  },
  {
    what: 'somebody waits for what is over',
    do({ network }) {
      const { deferredCascades } = network.env.store;
      deferredCascades.holdsGrants = true;
      deferredCascades.onceGrantsMayGo(() => called++);
      deferredCascades.holdsGrants = false;
    },
    found: [/^deferred cascades: somebody waits for a cascade, and none is open$/],
    after: () => void t.equal(called, 1),
  },
  {
    what: 'a consequence that nobody knows how to carry out',
    do: (scene) => noteLost(scene, 'grow'),
    found: [/^followUp lost is of the work grow, which nobody does: restore a backup: /],
    left: [/^followUp lost is of the work grow, which nobody does: restore a backup: /],
  },
  {
    what: 'sessions are looked for on behalf of no consequence',
    do: ({ network }) =>
      void network.core.endings.scans.set('gone', { rows: [].values(), taken: [] }),
    found: [
      /^deferred cascades: sessions are looked for by the followUp gone, which is not there$/,
    ],
    after: ({ network }) => void t.equal(network.core.endings.scans.size, 0),
  },
]);
