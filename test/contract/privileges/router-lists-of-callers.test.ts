// Routers as clients list them: verified ones, connected ones first, no more than a session shows.

import t from 'tap';
import { edgeRouterPolicyKind } from '../../../src/records/edge-router-policy.ts';
import { routerKind } from '../../../src/records/router.ts';
import { serviceKind } from '../../../src/records/service.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

interface Shown {
  readonly name: string;
  readonly isOnline: boolean;
}

async function netWithRouters(routers: number, bounds = {}): Promise<Network> {
  const network = await bootNetwork({ bounds });
  await network.createUser('alice', 'alice-password', { roleAttributes: ['staff'] });
  await network.create('services', { name: 'printer', encryptionRequired: true });
  for (let i = 0; i < routers; i++) await network.create('edge-routers', { name: `edge-${i}` });
  const all = { semantic: 'AnyOf' };
  await network.create('service-policies', {
    ...all,
    name: 'dial',
    type: 'Dial',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  await network.create('edge-router-policies', {
    ...all,
    name: 'erp',
    identityRoles: ['#staff'],
    edgeRouterRoles: ['#all'],
  });
  await network.create('service-edge-router-policies', {
    ...all,
    name: 'serp',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  return network;
}

/** As enrollment verifies it. */
function verify({ env }: Network, name: string): void {
  const id = routerId({ env }, name);
  env.store.transact({ actor: 'test', requestId: '-', operation: 'test' }, (tx) => {
    env.send(tx, 'router', id, {
      type: 'enroll',
      now: tx.now,
      fingerprint: `print of ${name}`,
      certPem: '-',
    });
  });
}

function routerId({ env }: Pick<Network, 'env'>, name: string): string {
  return env.store.table(routerKind).findBy('name', name)?.record.id ?? '';
}

t.test('the own routers of a caller are verified ones', async (t) => {
  const network = await netWithRouters(3);
  const token = await network.login('alice', 'alice-password');
  const own = async (as?: string) =>
    (await network.must<Shown[]>('GET', 'C:/current-identity/edge-routers', undefined, as))
      .map(({ name }) => name)
      .sort();
  t.same(await own(token), []);
  verify(network, 'edge-0');
  verify(network, 'edge-2');
  t.same(await own(token), ['edge-0', 'edge-2']);
  t.same(await own(), ['edge-0', 'edge-2'], 'an administrator needs no policy');
  const policy = network.env.store.table(edgeRouterPolicyKind).findBy('name', 'erp');
  await network.must('DELETE', `M:/edge-router-policies/${policy?.record.id}`);
  t.same(await own(token), []);
  t.same(await own(), ['edge-0', 'edge-2']);
  await network.stop();
});

t.test('routers of a service: connected ones first, as many as a session shows', async (t) => {
  const network = await netWithRouters(4, { sessionEdgeRoutersMax: 3 });
  const token = await network.login('alice', 'alice-password');
  const service = network.env.store.table(serviceKind).findBy('name', 'printer');
  const path = `C:/services/${service?.record.id}/edge-routers`;
  const shown = async (query = '') => {
    const data = await network.must<{ edgeRouters: Shown[] }>(
      ...(['GET', `${path}${query}`, undefined, token] as const),
    );
    return data.edgeRouters;
  };
  const [, , , last] = (await shown('?limit=10')).map(({ name }) => name);
  t.ok(last, 'a page may show all four');
  network.presence.connect(routerId(network, last ?? ''), 'edge.example');
  const first = await shown();
  t.equal(first.length, 3);
  t.match(first[0], {
    name: last,
    isOnline: true,
    hostname: 'edge.example',
    supportedProtocols: { tls: 'tls://edge.example:3022' },
  });
  t.same(
    first.slice(1).map(({ isOnline }) => isOnline),
    [false, false],
  );
  await network.stop();
});
