// Bounds per identity or policy, and the data in memory that is deleted with it.

import t from 'tap';
import { bootNetwork } from '../../simulated/network.ts';

t.test('an identity has at most identityServiceConfigsMax configs of its own', async (t) => {
  const network = await bootNetwork({ bounds: { identityServiceConfigsMax: 2 } });
  const identity = await network.create('identities', {
    name: 'alice',
    type: 'Default',
    isAdmin: false,
  });
  const typeId = await network.create('config-types', { name: 'tray.v1' });
  const config = { name: 'upper', configTypeId: typeId, data: {} };
  const configId = await network.create('configs', config);
  const pairs = [];
  for (const name of ['a', 'b', 'c']) {
    const serviceId = await network.create('services', { name, encryptionRequired: true });
    pairs.push({ serviceId, configId });
  }
  const path = `M:/identities/${identity}/service-configs`;
  const refused = await network.call('POST', path, { body: pairs });
  t.match(refused, { status: 400, code: 'COULD_NOT_VALIDATE', cause: { field: 'body' } });
  t.same(await network.must('GET', path), [], 'none of them was taken');
  await network.must('POST', path, pairs.slice(0, 2));
  await network.must('POST', path, pairs.slice(0, 2));
  t.match(await network.call('POST', path, { body: pairs.slice(2) }), { status: 400 });
  t.match(await network.must<unknown[]>('GET', path), { length: 2 });
  await network.stop();
});

t.test('tracesMax identities are traced at a time; a trace goes with its identity', async (t) => {
  const network = await bootNetwork({ bounds: { tracesMax: 1 } });
  const make = (name: string) =>
    network.create('identities', { name, type: 'Default', isAdmin: false });
  const [alice, bob] = [await make('alice'), await make('bob')];
  const start = (id: string) =>
    network.call('PUT', `M:/identities/${id}/trace`, { body: { enabled: true, duration: '5m' } });
  t.match(await start(alice), { status: 200, data: { enabled: true } });
  t.match(await start(bob), { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  t.ok(network.env.traces.of(alice, network.clock.now()));
  await network.must('DELETE', `M:/identities/${alice}`);
  t.equal(network.env.traces.size, 0);
  t.match(await start(bob), { status: 200 });
  await network.advance(5 * 60_000);
  t.equal(network.env.traces.of(bob, network.clock.now()), undefined);
  await network.stop();
});

t.test('a member has at most roleAttributesMax attributes', async (t) => {
  const network = await bootNetwork({ bounds: { roleAttributesMax: 2 } });
  const members = {
    identities: { name: 'm', type: 'Default', isAdmin: false },
    services: { name: 'm', encryptionRequired: true },
    'edge-routers': { name: 'r' },
    'posture-checks': { name: 'm', typeId: 'MFA' },
  };
  const refused = {
    status: 400,
    code: 'COULD_NOT_VALIDATE',
    cause: { field: 'roleAttributes', reason: 'must have at most 2 entries' },
  };
  for (const [path, body] of Object.entries(members)) {
    const some = { ...body, roleAttributes: ['a', 'b', 'a'] };
    const id = await network.create(path, some);
    const more = { ...body, roleAttributes: ['a', 'b', 'c'] };
    t.match(await network.call('PATCH', `M:/${path}/${id}`, { body: more }), refused, path);
    t.match(await network.call('PUT', `M:/${path}/${id}`, { body: more }), refused, path);
    t.match(
      await network.call('POST', `M:/${path}`, { body: { ...more, name: 'n' } }),
      refused,
      path,
    );
  }
  await network.stop();
});

t.test('a list of a policy has at most policyRolesMax roles', async (t) => {
  const network = await bootNetwork({ bounds: { policyRolesMax: 2 } });
  const policies = {
    'service-policies': ['identityRoles', 'serviceRoles', 'postureCheckRoles'],
    'edge-router-policies': ['identityRoles', 'edgeRouterRoles'],
    'service-edge-router-policies': ['serviceRoles', 'edgeRouterRoles'],
  };
  for (const [path, lists] of Object.entries(policies)) {
    const body = { name: 'p', type: 'Dial', semantic: 'AnyOf' };
    const id = await network.create(path, body);
    for (const list of lists) {
      const change = (roles: string[]) =>
        network.call('PATCH', `M:/${path}/${id}`, { body: { [list]: roles } });
      t.match(await change(['#a', '#b', '#a']), { status: 200 }, `${path} ${list}`);
      t.match(await change(['#a', '#b', '#c']), {
        status: 400,
        code: 'COULD_NOT_VALIDATE',
        cause: { field: list, reason: 'must have at most 2 entries' },
      });
    }
  }
  await network.stop();
});
