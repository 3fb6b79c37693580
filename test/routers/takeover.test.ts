// What a takeover means for circuits and terminators: the next leader knows them, and a node that
// follows decides nothing about them.

import t from 'tap';
import { circuitKind, circuitPathKind } from '../../src/records/circuit.ts';
import { terminatorKind } from '../../src/records/terminator.ts';
import { bootStandbyNetwork } from '../simulated/standby-network.ts';

const all = ['#all'];
const cause = { actor: 'test', requestId: 'test', operation: 'test' };

/** A network in which everybody may dial a service over a router. */
async function boot() {
  const network = await bootStandbyNetwork();
  const semantic = 'AnyOf';
  const usable = { edgeRouterRoles: all, semantic };
  const routerId = await network.create('edge-routers', { name: 'router' });
  const service = { name: 'service', encryptionRequired: false };
  const serviceId = await network.create('services', service);
  const dial = { name: 'dial', type: 'Dial', semantic, identityRoles: all, serviceRoles: all };
  await network.create('service-policies', dial);
  await network.create('service-edge-router-policies', { name: 's', serviceRoles: all, ...usable });
  const policyId = await network.create('edge-router-policies', {
    name: 'e',
    identityRoles: all,
    ...usable,
  });
  const identityId = await network.createUser('alice', 'alice-password');
  return { network, routerId, serviceId, policyId, identityId };
}

t.test('the next leader knows the circuits of the former one', async (t) => {
  const { network, routerId, serviceId, identityId } = await boot();
  const terminator = { service: serviceId, router: routerId, binding: 'transport', address: 'a' };
  const terminatorId = await network.create('terminators', terminator);
  const token = await network.login('alice', 'alice-password');
  const dial = { serviceId, type: 'Dial' };
  const { id: sessionId } = await network.must<{ id: string }>('POST', 'C:/sessions', dial, token);
  const { id: apiSessionId } = await network.must<{ id: string }>(
    'GET',
    'C:/current-api-session',
    undefined,
    token,
  );
  const { env } = network;
  env.store.transact(cause, (tx) => {
    const times = { createdAt: tx.now, updatedAt: tx.now, tags: {} };
    const right = { sessionId, apiSessionId, identityId, serviceId };
    const path = { terminatorId, hostId: '', routers: [routerId], links: [] };
    const ends = { ingressId: 'i', egressId: 'e' };
    tx.put(env.store.table(circuitPathKind), { id: 'c1', ...times, ...right, ...path, ...ends });
  });
  await network.advance(0);
  t.equal(network.standby.env.store.table(circuitKind).size, 0, 'a follower has none');
  await network.crash();
  const live = () => network.env.store.table(circuitKind).peek('c1')?.record.state;
  t.equal(live(), 'active');
  t.equal(network.env.terminatorCosts.dynamicCost(terminatorId), 2);
  await network.advance(1000);
  t.equal(live(), 'active', 'its right was evaluated');
  await network.must('DELETE', `M:/sessions/${sessionId}`);
  await network.advance(1000);
  t.equal(live(), undefined);
  await network.stop();
});

t.test('the next leader evaluates terminators, and a follower does not', async (t) => {
  const { network, routerId, serviceId, policyId, identityId } = await boot();
  const { env } = network;
  const table = env.store.table(terminatorKind);
  /** A terminator of a host, as a router creates it. */
  const host = async (address: string) => {
    const terminator = { service: serviceId, router: routerId, binding: 'edge', address };
    const id = await network.create('terminators', terminator);
    env.store.transact(cause, (tx) => {
      const record = table.peek(id)?.record;
      if (record === undefined) throw new Error('there is no terminator');
      tx.put(table, { ...record, isOfRouter: true, hostId: identityId });
    });
  };
  await host('before');
  void network.standby;
  await network.must('DELETE', `M:/edge-router-policies/${policyId}`);
  await network.advance(1000);
  t.equal(table.size, 0, 'the leader has evaluated');
  t.equal(network.standby.env.store.table(terminatorKind).size, 0);
  // Nothing has it evaluated before the leader dies.
  await host('after');
  await network.advance(60_000);
  t.equal(network.standby.env.store.table(terminatorKind).size, 1);
  await network.crash();
  await network.advance(1000);
  t.equal(network.env.store.table(terminatorKind).size, 0);
  t.notMatch(network.logged.join(), /could not be removed/);
  await network.stop();
});
