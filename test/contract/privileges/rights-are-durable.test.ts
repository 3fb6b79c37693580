// An answer that shows a right, or a router for its use, waits until the policies that grant it are
// durable: no crash may take back what was answered.

import t from 'tap';
import { bootNetwork } from '../../simulated/network.ts';

t.test('answers depend on the policies behind them', async (t) => {
  const network = await bootNetwork();
  const { store } = network.env;
  const alice = await network.createUser('alice', 'some-password', { roleAttributes: ['staff'] });
  const roles = { semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: ['#all'] };
  await network.create('service-policies', { name: 'dial', type: 'Dial', ...roles });
  const everywhere = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', {
    ...everywhere,
    name: 'usable',
    identityRoles: ['#all'],
  });
  await network.create('service-edge-router-policies', {
    ...everywhere,
    name: 'carried',
    serviceRoles: ['#all'],
  });
  await network.create('edge-routers', { name: 'edge' });
  const service = await network.create('services', { name: 's', encryptionRequired: true });
  const token = await network.login('alice', 'some-password');
  const { id: session } = await network.must<{ id: string }>(
    ...(['POST', 'C:/sessions', { serviceId: service }, token] as const),
  );

  const renamed = async (path: string, name: string) => {
    const [found] = await network.must<{ id: string }[]>('GET', `M:/${path}?filter=name="${name}"`);
    await network.must('PATCH', `M:/${path}/${found?.id}`, {
      tags: { at: String(network.clock.now()) },
    });
  };
  const writes = {
    servicePolicy: () => renamed('service-policies', 'dial'),
    edgeRouterPolicy: () => renamed('edge-router-policies', 'usable'),
    serviceEdgeRouterPolicy: () => renamed('service-edge-router-policies', 'carried'),
    router: () => renamed('edge-routers', 'edge'),
  };
  const rights = ['servicePolicy'] as const;
  const routes = ['edgeRouterPolicy', 'serviceEdgeRouterPolicy', 'router'] as const;
  const cases: readonly (readonly [readonly (keyof typeof writes)[], string, string])[] = [
    [rights, `C:/services/${service}`, token],
    [rights, `C:/services/${service}/terminators`, token],
    [rights, `C:/services/${service}/edge-routers`, token],
    [rights, 'C:/services', token],
    [rights, `M:/services?asIdentity=${alice}`, network.admin],
    [rights, `M:/services/${service}?asIdentity=alice`, network.admin],
    [rights, `M:/identities/${alice}/services`, network.admin],
    [routes, 'C:/sessions', token],
    [routes, `C:/sessions/${session}`, token],
    [routes, `M:/sessions/${session}`, network.admin],
    [routes, `C:/services/${service}/edge-routers`, token],
  ];
  for (const [kinds, path, caller] of cases) {
    for (const kind of kinds) {
      await writes[kind]();
      const { lastLsn } = store.tableNamed(kind);
      t.equal((await network.call('GET', path, { token: caller })).status, 200, path);
      t.ok(store.fence.lsn >= lastLsn, `${path} rests on the last change of ${kind}`);
    }
  }
  // The session that is there already is answered again: nothing is written then.
  for (const kind of routes) {
    await writes[kind]();
    const { lastLsn } = store.tableNamed(kind);
    await network.must('POST', 'C:/sessions', { serviceId: service }, token);
    t.ok(store.fence.lsn >= lastLsn, `an existing session rests on the last change of ${kind}`);
  }
  await network.stop();
});
