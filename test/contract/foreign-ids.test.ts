// Ids that other controllers make and ours never does: they begin with `-` or `.`, or look like a
// number. Records keep them when a network is taken over, and they work wherever an id is written.

import t from 'tap';
import { identityKind } from '../../src/records/identity.ts';
import { serviceKind } from '../../src/records/service.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const foreignIds = ['-63w5SELEa', '.7Dw5dEL2a', '--Aw5dEL2a', '..-w5dEL2a', '1234567890', '-1'];

/** Puts a copy of a record in the place of the record, with another id. */
function renumber(network: Network, kind: 'identity' | 'service', from: string, to: string): void {
  const { store } = network.env;
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const [identities, services] = [store.table(identityKind), store.table(serviceKind)];
    const identity = identities.peek(from)?.record;
    const service = services.peek(from)?.record;
    if (kind === 'identity') tx.delete(identities, from);
    else tx.delete(services, from);
    if (kind === 'identity' && identity !== undefined) tx.put(identities, { ...identity, id: to });
    if (kind === 'service' && service !== undefined) tx.put(services, { ...service, id: to });
  });
}

/** An identity and a service, each with this id, and nothing else that knows of it. */
async function things(network: Network, id: string) {
  const name = `named ${id}`;
  const person = { name, type: 'Default', isAdmin: false };
  renumber(network, 'identity', await network.create('identities', person), id);
  const offered = { name, encryptionRequired: true };
  renumber(network, 'service', await network.create('services', offered), id);
  return name;
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

for (const id of foreignIds) {
  t.test(`${id} works in paths, patches, bodies and lists of related records`, async (t) => {
    const network = await bootNetwork();
    const name = await things(network, id);
    for (const segment of [id, encodeURIComponent(id), id.replace(/^\./, '%2E')]) {
      t.match(await network.must('GET', `M:/identities/${segment}`), { id, name });
    }
    await network.must('PATCH', `M:/identities/${id}`, {
      tags: { floor: '2' },
      serviceHostingCosts: { [id]: 7 },
      serviceHostingPrecedences: { [id]: 'required' },
    });
    await network.must('PUT', `M:/services/${id}`, {
      name,
      encryptionRequired: true,
      roleAttributes: ['printers'],
    });
    t.match(await network.must('GET', `M:/services/${id}`), { roleAttributes: ['printers'] });
    t.match(await network.must('GET', `M:/identities/${id}`), {
      tags: { floor: '2' },
      serviceHostingCosts: { [id]: 7 },
      _links: { self: { href: `./identities/${id}` } },
    });
    const given = { method: 'updb', identityId: id, username: 'someone', password: 'long-enough' };
    await network.create('authenticators', given);
    t.match(await network.must('GET', `M:/identities/${id}/authenticators`), [{ identityId: id }]);
    await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 1 });
    t.match(await network.must('GET', `M:/identities/${id}`), { disabled: true });
    await network.must('DELETE', `M:/services/${id}`);
    await network.must('DELETE', `M:/identities/${id}`);
    t.equal((await network.call('GET', `M:/identities/${id}`)).status, 404);
    t.same(network.logged, []);
    await network.stop();
  });

  t.test(`${id} works in roles, and in the access that follows from them`, async (t) => {
    const network = await bootNetwork();
    await things(network, id);
    const policy = await network.create('service-policies', {
      name: 'dial',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${id}`],
      serviceRoles: [`@${id}`],
    });
    const router = await network.create('edge-routers', { name: 'edge' });
    const routers = { name: 'routers', semantic: 'AnyOf', edgeRouterRoles: [`@${router}`] };
    await network.create('edge-router-policies', { ...routers, identityRoles: [`@${id}`] });
    await network.create('service-edge-router-policies', { ...routers, serviceRoles: [`@${id}`] });
    const path = `M:/service-policies/${policy}`;
    t.match(await network.must('GET', path), {
      identityRoles: [`@${id}`],
      identityRolesDisplay: [{ role: `@${id}`, name: `@named ${id}` }],
    });
    for (const [list, of] of [
      [`service-policies/${policy}/identities`, id],
      [`service-policies/${policy}/services`, id],
      [`identities/${id}/services`, id],
      [`identities/${id}/service-policies`, policy],
      [`services/${id}/identities`, id],
      [`services/${id}/edge-routers`, router],
      [`identities/${id}/edge-routers`, router],
    ] as const) {
      t.same(idsOf(await network.must('GET', `M:/${list}`)), [of], list);
    }
    const advice = await network.must('GET', `M:/identities/${id}/policy-advice/${id}`);
    t.match(advice, { identityId: id, serviceId: id, isDialAllowed: true });
    const given = { method: 'updb', identityId: id, username: 'someone', password: 'long-enough' };
    await network.create('authenticators', given);
    const token = await network.login('someone', 'long-enough');
    const session = await network.must(
      'POST',
      'C:/sessions',
      { serviceId: id, type: 'Dial' },
      token,
    );
    t.match(session, { type: 'Dial', service: { id } });
    t.match(await network.must('GET', 'C:/current-identity', undefined, token), { id });
    await network.must('PATCH', path, { identityRoles: [] });
    t.same(idsOf(await network.must('GET', `M:/identities/${id}/services`)), []);
    t.same(network.logged, []);
    await network.stop();
  });
}

t.test('they work in filters and orders', async (t) => {
  const network = await bootNetwork();
  for (const id of foreignIds) await things(network, id);
  const policies = new Map<string, string>();
  for (const id of foreignIds) {
    const body = { name: `dial ${id}`, type: 'Dial', semantic: 'AnyOf' };
    const roles = { identityRoles: [`@${id}`], serviceRoles: ['#all'] };
    policies.set(id, await network.create('service-policies', { ...body, ...roles }));
  }
  const found = async (list: string, filter: string) =>
    idsOf(await network.must('GET', `M:/${list}?filter=${encodeURIComponent(filter)}`));
  for (const id of foreignIds) {
    t.same(await found('identities', `id = "${id}"`), [id]);
    t.same(await found('services', `id in ["${id}", "nobody"]`), [id]);
    t.same(await found('identities', `id contains "${id}" and name != "x"`), [id]);
    const roles = `anyOf(identityRoles) = "@${id}"`;
    t.same(await found('service-policies', roles), [policies.get(id)]);
    t.same(await found('service-policies', `anyOf(identities) = "${id}"`), [policies.get(id)]);
  }
  const sorted = await found('services', 'true sort by id');
  t.same(sorted, [...foreignIds].sort());
  const list = foreignIds.map((id) => `"${id}"`).join();
  t.same((await found('identities', `id in [${list}] sort by id desc`)).reverse(), sorted);
  await network.restart();
  await network.logInAdmin();
  t.same(await found('services', 'true sort by id'), sorted, 'a start reads them');
  await network.stop();
});
