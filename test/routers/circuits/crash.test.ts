// A crash at any frame: circuits on disk are those of some moment since the newest durable frame,
// and those whose right has gone in the meantime end after the restart.

import t, { type Test } from 'tap';
import { fabric } from '../../../src/channel/messages/messages.ts';
import { circuitKind, circuitPathKind } from '../../../src/records/circuit.ts';
import { CircuitWorld, routesOf } from './world.ts';

const all = ['r1', 'r2', 'r3'];

/** What happens in turn, each with at least one frame for circuits. */
const steps: readonly ((world: CircuitWorld, ids: string[]) => unknown)[] = [
  (world, ids) => ids.push(world.circuit('r1', ['r1', 'r2'])),
  (world, ids) => ids.push(world.circuit('r1', ['r1', 'r2'])),
  (world, ids) => world.fault('r1', fabric.FaultSubject.INGRESS, ids[0] ?? ''),
  (world) => {
    world.paths.remove('l');
    world.network.clock.drain();
    world.answerRoutes(all);
  },
  (world, ids) => ids.push(world.circuit('r3', all)),
  async (world) => {
    world.ids.set('ended', world.id('session'));
    await world.network.must('DELETE', `M:/sessions/${world.id('session')}`);
  },
  (world) => world.network.clock.drain(),
  async (world, ids) => {
    world.ids.set('session', await world.session());
    ids.push(world.circuit('r2', ['r2']));
  },
];

/** The circuits on disk as texts. */
function keptBy(world: CircuitWorld): string[] {
  const rows = world.network.env.store.table(circuitPathKind).all();
  return [...rows].map(({ record: { id, links } }) => `${id} ${links}`).sort();
}

async function boot(): Promise<CircuitWorld> {
  const world = await CircuitWorld.boot(3);
  await world.terminator('r2');
  world.paths.add('l', world.id('r1'), world.id('r2'));
  world.paths.add('l1', world.id('r1'), world.id('r3'), 50);
  world.paths.add('l2', world.id('r3'), world.id('r2'), 50);
  return world;
}

for (const ending of ['crash', 'kill'] as const) {
  for (const isTurned of [true, false]) {
    for (const count of steps.keys()) {
      const turned = isTurned ? 'with its frames on disk' : 'with frames on their way';
      t.test(`${ending} after step ${count + 1}, ${turned}`, async (t) => {
        const world = await boot();
        /** By LSN, what was kept after it. */
        const moments = new Map<number, string[]>();
        const { store, journal } = { ...world.network.core, ...world.network.env };
        const note = () => moments.set(journal.lastLsn, keptBy(world));
        note();
        store.follow(({ hasFrame }) => hasFrame && note());
        const ids: string[] = [];
        for (const step of steps.slice(0, count + 1)) await step(world, ids);
        if (isTurned) world.network.clock.turn();
        const { durableLsn } = journal;
        await world[ending]();
        const possible = [...moments].filter(([lsn]) => lsn >= durableLsn).map(([, kept]) => kept);
        const latestBefore = [...moments].filter(([lsn]) => lsn <= durableLsn).at(-1)?.[1] ?? [];
        const found = keptBy(world);
        t.ok(
          [latestBefore, ...possible].some((kept) => String(kept) === String(found)),
          `${found} are there`,
        );
        if (ending === 'kill') t.same(found, [...moments.values()].at(-1), 'nothing was lost');
        const live = world.network.env.store.table(circuitKind);
        t.same([...live.all()].length, found.length, 'all of them live again');
        checkRights(t, world);
      });
    }
  }
}

/** The circuits of the session that has ended are gone; the routers are told on their return. */
function checkRights(t: Test, world: CircuitWorld): void {
  const { store } = world.network.env;
  world.network.clock.drain();
  for (const name of all) world.connect(name);
  world.network.clock.drain();
  const kept = [...store.table(circuitPathKind).all()];
  const sessions = store.tableNamed('session');
  const orphans = kept.filter(({ record }) => !sessions.find(record.sessionId ?? ''));
  t.same(orphans, []);
  t.equal(store.table(circuitKind).size, kept.length);
  t.same(routesOf(world.router('r1')), [], 'nothing is rerouted for it');
}
