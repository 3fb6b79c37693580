// The times of records are collected during recovery.

import t from 'tap';
import { Activity } from '../../src/auth/activity.ts';
import { RecoveredTimes } from '../../src/auth/recovered-times.ts';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import type { IdentityRecord } from '../../src/records/identity.ts';
import { identityKind } from '../../src/records/identity.ts';
import { kinds } from '../../src/resources/index.ts';
import { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

/** What records of both kinds cannot do without. */
const base = {
  createdAt: 1,
  updatedAt: 1,
  tags: {},
  typeId: 'Default',
  authPolicyId: 'default',
  roleAttributes: [],
  serviceHostingCosts: {},
  serviceHostingPrecedences: {},
  serviceConfigs: [],
  authenticatorId: 'a',
  configTypes: [],
};

const cause = { actor: 'test', requestId: '', operation: 'op' };

function recovering() {
  const clock = new SimulatedClock();
  const tables = kinds.map(({ table }) => table);
  const store = new Store({ clock, tables, freeze: false, cascadeRowsMax: 3, fatal: endProcess });
  const activity = new Activity();
  const times = new RecoveredTimes({ store, kinds, activity });
  const kindOf = (name: string) => kinds.find(({ kind }) => kind === name) as Kind;
  /** Brings a record as a start does. */
  const bring = (name: string, id: string, fields: object) => {
    const { codec } = kindOf(name);
    const values = codec.encode({ id, ...base, ...fields });
    store.load({ kind: name, id, lsn: 1, version: codec.version, values });
  };
  return { store, activity, times, bring };
}

t.test('deadlines and last activity of recovered records', async (t) => {
  const { store, activity, times, bring } = recovering();
  bring('identity', 'waits', { name: 'one', state: 'disabled', disabledUntil: 70 });
  bring('identity', 'is-free', { name: 'two', state: 'enabled' });
  bring('identity', 'goes', { name: 'three', state: 'disabled', disabledUntil: 80 });
  bring('identity', 'moves', { name: 'four', state: 'disabled', disabledUntil: 90 });
  bring('apiSession', 'session', { identityId: 'is-free', lastActivityAt: 55 });
  store.attach(new MemoryJournal());
  store.transact(cause, (tx) => {
    const table = store.table(identityKind);
    tx.delete(table, 'goes');
    const { record } = table.find('moves') ?? {};
    tx.put(table, { ...record, disabledUntil: 95 } as IdentityRecord);
  });
  t.same(
    [...times.deadlines()],
    [
      { kind: 'identity', id: 'waits', at: 70 },
      { kind: 'identity', id: 'moves', at: 95 },
    ],
    'as they are now',
  );
  t.same([...times.deadlines()], [], 'once');
  const slot = store.table(apiSessionKind).peek('session')?.slot ?? -1;
  t.equal(activity.lastActivityAt(slot), 55);
});
