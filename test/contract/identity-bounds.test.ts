// Bounds of what hangs on one identity, and what goes with it in memory.

import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';

t.test('an identity has at most identityServiceConfigsMax configs of its own', async (t) => {
  const network = await bootNetwork({ limits: { identityServiceConfigsMax: 2 } });
  const identity = await network.create('identities', {
    ...{ name: 'alice', type: 'Default', isAdmin: false },
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
  const network = await bootNetwork({ limits: { tracesMax: 1 } });
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
