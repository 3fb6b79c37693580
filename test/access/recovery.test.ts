// Access after a recovery: members and policies arrive in any order, and count as no change.

import t from 'tap';
import { Access } from '../../src/access/access.ts';
import { connectAccess, storedIds } from '../../src/access/store-access.ts';
import { identityKind } from '../../src/records/identity.ts';
import { serviceKind } from '../../src/records/service.ts';
import { servicePolicyKind } from '../../src/records/service-policy.ts';
import { kinds } from '../../src/resources/index.ts';
import { sessionSource } from '../../src/resources/sessions/session-sources.ts';
import { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

const members = ['identity', 'service', 'router'];
const policies = ['servicePolicy', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'];

/** By attribute and by id on both sides, so that a policy names members it does not know yet. */
async function filled(): Promise<Network> {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'a-password', { roleAttributes: ['sales'] });
  await network.createUser('bert', 'a-password', { roleAttributes: ['sales'] });
  const service = { encryptionRequired: true };
  const crm = await network.create('services', { ...service, name: 'crm' });
  await network.create('services', { ...service, name: 'mail', roleAttributes: ['office'] });
  const policy = { type: 'Dial', semantic: 'AnyOf' };
  await network.create('service-policies', {
    ...policy,
    name: 'one',
    identityRoles: [`@${alice}`],
    serviceRoles: ['#office'],
  });
  await network.create('service-policies', {
    ...policy,
    name: 'two',
    identityRoles: ['#sales'],
    serviceRoles: [`@${crm}`],
  });
  return network;
}

function recovered(network: Network, order: readonly string[]) {
  const clock = new SimulatedClock();
  const tables = kinds.map(({ table }) => table);
  const store = new Store({
    clock,
    tables,
    freeze: false,
    cascadeRowsMax: 100,
    fatal: endProcess,
  });
  const access = new Access({ memosMax: 10, ids: storedIds(store, kinds) });
  const affected: unknown[] = [];
  connectAccess({
    store,
    access,
    kinds,
    sessions: sessionSource,
    clock,
    endings: [],
    condition: { isUsed: false, isMet: () => true },
    evaluatedMax: 10,
    evaluatedMs: 10,
    affected: (identities) => affected.push(identities),
    renewed: () => undefined,
    newId: () => 'new',
  });
  for (const kind of order) {
    for (const { record } of network.env.store.tableNamed(kind).all()) {
      store.tableNamed(kind).load(record, 1);
    }
  }
  store.attach(new MemoryJournal());
  return { store, access, affected };
}

function mayDial(store: Store, access: Access): string[] {
  const found: string[] = [];
  for (const identity of store.table(identityKind).all()) {
    for (const service of store.table(serviceKind).all()) {
      if (!access.mayDial(identity.slot, service.slot)) continue;
      found.push(`${identity.record.name} ${service.record.name}`);
    }
  }
  return found.sort();
}

t.test('members and policies may come in any order', async (t) => {
  const network = await filled();
  for (const order of [
    [...members, ...policies],
    [...policies, ...members],
    ['service', ...policies, 'identity', 'router'],
  ]) {
    const { store, access } = recovered(network, order);
    const expected = ['alice crm', 'alice mail', 'bert crm'];
    t.same(mayDial(store, access), expected, order.join(' '));
  }
  await network.stop();
});

t.test('recovered records are no change, later ones are', async (t) => {
  const network = await filled();
  const { store, affected } = recovered(network, [...members, ...policies]);
  t.same(affected, []);
  const [row] = store.table(servicePolicyKind).all();
  if (row === undefined) throw new Error('no policy');
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  store.transact(cause, (tx) => tx.delete(store.table(servicePolicyKind), row.record.id));
  t.equal(affected.length, 1);
  await network.stop();
});
