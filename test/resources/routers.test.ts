// Routers over their life: enrolled, connected, disabled, enrolled again, deleted.

import t from 'tap';
import { enrollmentKind } from '../../src/records/enrollment.ts';
import { routerKind } from '../../src/records/router.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const at = (network: Network, path: string) => network.must<Record<string, unknown>>('GET', path);

/** What the enrollment operation does to the router and its enrollment. */
function enroll(network: Network, id: string): void {
  const { env } = network;
  const cause = { actor: 'router', requestId: 'test', operation: 'enroll' };
  env.store.transact(cause, (tx) => {
    const certificate = { fingerprint: 'aabb', certPem: 'a certificate' };
    env.send(tx, 'router', id, { type: 'enroll', now: tx.now, ...certificate });
    for (const { record } of [...env.store.table(enrollmentKind).members('routerId', id)]) {
      env.send(tx, 'enrollment', record.id, { type: 'remove', now: tx.now });
    }
  });
}

for (const path of ['edge-routers', 'routers']) {
  t.test(`${path}: once verified, nothing is shown of the enrollment`, async (t) => {
    const network = await bootNetwork();
    const id = await network.create(path, { name: 'router' });
    enroll(network, id);
    const wanted = {
      isVerified: true,
      fingerprint: 'aabb',
      enrollmentToken: null,
      enrollmentJwt: null,
      enrollmentCreatedAt: null,
      enrollmentExpiresAt: null,
    };
    t.match(await at(network, `M:/${path}/${id}`), wanted);
    t.match(await at(network, `M:/transit-routers/${id}`), wanted);
    await network.must('PUT', `M:/${path}/${id}`, { name: 'renamed' });
    t.match(await at(network, `M:/${path}/${id}`), { ...wanted, name: 'renamed' });
    await network.stop();
  });
}

t.test('an edge router tells of itself by its hello', async (t) => {
  const network = await bootNetwork();
  const id = await network.create('edge-routers', { name: 'edge' });
  network.presence.connect(id, 'host');
  t.match(await at(network, `M:/edge-routers/${id}`), {
    isOnline: true,
    hostname: 'host',
    supportedProtocols: { tls: 'tls://host:3022' },
    syncStatus: 'SYNC_DONE',
    versionInfo: { arch: 'amd64', os: 'linux', version: 'v2' },
  });
  await network.stop();
});

t.test('a change that is refused leaves the connection', async (t) => {
  const network = await bootNetwork();
  await network.create('identities', { name: 'edge', type: 'Default', isAdmin: false });
  const id = await network.create('edge-routers', { name: 'edge' });
  network.presence.connect(id, 'host');
  // Its tunneler would get the name of the identity.
  const body = { disabled: true, isTunnelerEnabled: true };
  t.match(await network.call('PATCH', `M:/edge-routers/${id}`, { body }), { status: 400 });
  t.match(await at(network, `M:/edge-routers/${id}`), { disabled: false, isOnline: true });
  await network.stop();
});

t.test('re-enrollment takes the certificate away', async (t) => {
  const network = await bootNetwork();
  const id = await network.create('edge-routers', { name: 'edge' });
  enroll(network, id);
  await network.must('POST', `M:/edge-routers/${id}/re-enroll`);
  t.match(await at(network, `M:/edge-routers/${id}`), {
    isVerified: false,
    isOnline: false,
    fingerprint: null,
    enrollmentJwt: String,
  });
  const first = await at(network, `M:/edge-routers/${id}`);
  await network.must('POST', `M:/edge-routers/${id}/re-enroll`);
  const second = await at(network, `M:/edge-routers/${id}`);
  t.not(second['enrollmentToken'], first['enrollmentToken']);
  const enrollments = network.env.store.table(enrollmentKind).members('routerId', id);
  t.equal([...enrollments].length, 1, 'the one before is gone');
  await network.stop();
});

t.test('methods of enrollment by the place a router is made at', async (t) => {
  const network = await bootNetwork();
  const methods = { 'edge-routers': 'erott', routers: 'trott', 'transit-routers': 'trott' };
  for (const [path, method] of Object.entries(methods)) {
    const id = await network.create(path, { name: path });
    const [row] = network.env.store.table(enrollmentKind).members('routerId', id);
    t.match(row?.record, { method });
    const { record } = network.env.store.table(routerKind).find(id) ?? {};
    t.match(record, { isEdge: path === 'edge-routers', isTunnelerEnabled: false });
  }
  await network.stop();
});

t.test('routers survive a crash with configs and listeners', async (t) => {
  const network = await bootNetwork();
  const ctrlChanListeners = { 'tls:hub:6262': ['default'] };
  const id = await network.create('routers', { name: 'hub', ctrlChanListeners });
  await network.crash();
  await network.logInAdmin();
  t.match(await at(network, `M:/routers/${id}`), { ctrlChanListeners, configs: null });
  await network.stop();
});
