// Access is rebuilt from the records while writes go on that the damaged access refuses.

import t from 'tap';
import { Access } from '../../src/access/access.ts';
import { connectAccess, storedIds } from '../../src/access/store-access.ts';
import { identityKind } from '../../src/records/identity.ts';
import { kinds } from '../../src/resources/index.ts';
import { sessionSource } from '../../src/resources/sessions/session-sources.ts';
import { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { bootNetwork } from '../simulated/network.ts';

t.test('a change that the damaged access refuses is not in the rebuilt one either', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'a-password', { roleAttributes: ['sales'] });
  await network.create('services', { name: 'crm', encryptionRequired: true });
  await network.create('edge-routers', { name: 'north' });
  const record = network.env.store.table(identityKind).find(alice)?.record;
  if (record === undefined) throw new Error('no alice');
  // At each step of the walk: before it has come by Alice, and behind.
  let stepsTaken = 0;
  for (let stepsBefore = 0; stepsBefore <= stepsTaken; stepsBefore++) {
    const clock = new SimulatedClock();
    const tables = kinds.map(({ table }) => table);
    const store = new Store({
      clock,
      tables,
      freeze: false,
      cascadeRowsMax: 100,
      fatal: endProcess,
    });
    const table = store.table(identityKind);
    for (const kind of ['identity', 'service', 'router']) {
      for (const row of network.env.store.tableNamed(kind).all())
        store.tableNamed(kind).load(row.record, 1);
    }
    const { slot } = table.peek(alice) ?? { slot: -1 };
    const access = new Access({ memosMax: 10, ids: storedIds(store, kinds) });
    const connected = connectAccess({
      store,
      access,
      kinds,
      sessions: sessionSource,
      clock,
      endings: [],
      condition: { isUsed: false, isMet: () => true },
      evaluatedMax: 10,
      evaluatedMs: 10,
      affected: () => undefined,
      renewed: () => undefined,
      newId: () => 'new',
    });
    access.changeMember('identity', slot, alice, ['sales'], ['damaged']);
    const steps = connected.rebuild({ memosMax: 10, ids: storedIds(store, kinds) }, () =>
      clock.now(),
    );
    let taken = 0;
    const step = () => !steps.next().done && ++taken > 0;
    while (taken < stepsBefore && step());
    const changed = { ...record, roleAttributes: ['board'] };
    t.throws(() => table.write(alice, changed), /not as it is known/);
    while (step());
    t.equal(access.membersWith('identity', 'board'), 0, `after ${stepsBefore} steps`);
    t.equal(access.membersWith('identity', 'sales'), 1);
    t.doesNotThrow(() => table.write(alice, changed));
    t.equal(access.membersWith('identity', 'board'), 1);
    stepsTaken = Math.max(stepsTaken, taken - 1);
  }
  t.ok(stepsTaken > 0);
  await network.stop();
});
