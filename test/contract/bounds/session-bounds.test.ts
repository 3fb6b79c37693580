// Bounds per identity: API sessions, sessions, and certificates of API sessions.

import t from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { serviceKind } from '../../../src/records/service.ts';
import { sessionKind } from '../../../src/records/session.ts';
import { bootScene, type Person, type Scene } from '../../posture/live-scene.ts';
import { makeRequest } from '../../simulated/certificates.ts';
import { injectAbortable } from '../../simulated/inject.ts';
import { type NetworkOptions, urlOf } from '../../simulated/network.ts';

async function isAlive({ network }: Scene, token: string): Promise<boolean> {
  return (await network.call('GET', 'C:/current-api-session', { token })).status === 200;
}

/** A scene with a person who may dial as many services. */
async function bootDialing(
  options: NetworkOptions,
  count: number,
): Promise<{ scene: Scene; person: Person; services: string[] }> {
  const scene = await bootScene(options);
  await scene.policy('p');
  const person = await scene.person('alice');
  const services: string[] = [];
  for (let n = 0; n < count; n++) services.push(await scene.service(`s${n}`));
  return { scene, person, services };
}

t.test('one login beyond apiSessionsPerIdentityMax ends the one idle longest', async (t) => {
  const scene = await bootScene({ limits: { apiSessionsPerIdentityMax: 3 } });
  const { network } = scene;
  const other = await scene.person('robert');
  const first = await scene.person('alice');
  const tokens = [first.token];
  for (let n = 0; n < 2; n++) {
    await network.advance(1000);
    tokens.push((await scene.logIn('alice')).token);
  }
  await network.advance(1000);
  t.equal(await isAlive(scene, first.token), true, 'and so it is not the idlest any more');
  tokens.push((await scene.logIn('alice')).token);
  const alive = [];
  for (const token of tokens) alive.push(await isAlive(scene, token));
  t.same(alive, [true, false, true, true]);
  t.equal(await isAlive(scene, other.token), true);
  await network.crash();
  for (const [at, token] of tokens.entries()) t.equal(await isAlive(scene, token), at !== 1);
  await network.stop();
});

t.test('a home that holds more comes back to the bound, some at a login', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  await scene.person('alice');
  for (let n = 0; n < 19; n++) await scene.logIn('alice');
  const { limits } = network.config;
  network.config = { ...network.config, limits: { ...limits, apiSessionsPerIdentityMax: 2 } };
  await network.restart();
  const left = () => network.env.store.table(apiSessionKind).size;
  const administrators = left() - 20;
  await scene.logIn('alice');
  t.equal(left() - administrators, 20 - 8 + 1);
  for (let n = 0; n < 3; n++) await scene.logIn('alice');
  t.equal(left() - administrators, 2);
  await network.stop();
});

t.test('its rows are gone for every reader at once, and nobody waits for them', async (t) => {
  const options = { limits: { apiSessionsPerIdentityMax: 1 }, bounds: { cascadeRowsMax: 2 } };
  const { scene, person, services } = await bootDialing(options, 6);
  const { network } = scene;
  const sessions: string[] = [];
  for (const id of services) sessions.push(await scene.dial(person, id));
  const { deferredCascades } = network.env.store;
  const login = injectAbortable(network.core.handler, {
    method: 'POST',
    url: urlOf('C:/authenticate?method=password'),
    headers: {},
    body: { username: 'alice', password: 'alice-password' },
  });
  // The hash takes turns of the event loop, and none of the clock, which carries out deferred
  // cascades.
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  t.equal(deferredCascades.isOpen, true);
  t.equal(scene.rows('session'), 6, 'none of them went with the login');
  t.same(scene.seen(), []);
  t.equal(network.env.store.table(sessionKind).count(), 0);
  const create = injectAbortable(network.core.handler, {
    method: 'POST',
    url: urlOf('M:/services'),
    headers: { 'zt-session': network.admin },
    body: { name: 'new', encryptionRequired: true },
  });
  t.equal(deferredCascades.isOpen, true);
  t.equal(deferredCascades.waiting, 0);
  t.ok(network.env.store.table(serviceKind).findBy('name', 'new'), 'decided in its own turn');
  await network.advance(1000);
  t.equal((await login.answer).status, 200);
  t.equal((await create.answer).status, 201);
  t.equal(scene.rows('session'), 0);
  await network.stop();
});

t.test('API sessions that are on their way out do not count', async (t) => {
  const scene = await bootScene({
    limits: { apiSessionsPerIdentityMax: 4 },
    bounds: { cascadeRowsMax: 2 },
  });
  const { network } = scene;
  const { id } = await scene.person('alice');
  const tokens: string[] = [];
  for (let n = 0; n < 3; n++) tokens.push((await scene.logIn('alice')).token);
  const { store } = network.env;
  const table = store.table(apiSessionKind);
  // As if their credential had ended: two of the four are hidden, and their rows still there.
  const departing = [...table.members('identityId', id)].slice(0, 2).map((row) => row.id);
  const further = table.isLive;
  table.isLive = (record) => !departing.includes(record.id) && (further?.(record) ?? true);
  let isStuck = true;
  store.deferredCascades.register('stuck', {
    takes: () => ['apiSession'],
    slice() {
      if (isStuck) throw new Error('the log takes nothing');
      return 'done';
    },
  });
  scene.write((tx) => store.deferredCascades.note(tx, 'stuck', 'stuck', []));
  const more = [(await scene.logIn('alice')).token, (await scene.logIn('alice')).token];
  for (const token of [...tokens.slice(1), ...more]) t.equal(await isAlive(scene, token), true);
  isStuck = false;
  await network.advance(1000);
  await network.stop();
});

t.test('an API session has at most sessionsPerApiSessionMax sessions', async (t) => {
  const { scene, person, services } = await bootDialing(
    { limits: { sessionsPerApiSessionMax: 2 } },
    3,
  );
  const { network } = scene;
  const [first = '', , last = ''] = services;
  const ids = [];
  for (const id of services.slice(0, 2)) ids.push(await scene.dial(person, id));
  const refused = await network.call('POST', 'C:/sessions', {
    token: person.token,
    body: { serviceId: last },
  });
  t.match(refused, { status: 429, code: 'QUOTA_EXCEEDED', cause: { field: 'sessions' } });
  t.equal(scene.rows('session'), 2);
  t.equal(await scene.dial(person, first), ids[0], 'one that there is costs nothing');
  await network.must('DELETE', `C:/sessions/${ids[0]}`, undefined, person.token);
  t.ok(await scene.dial(person, last));
  t.ok(await scene.dial(await scene.logIn('alice'), first), 'another API session has its own');
  await network.stop();
});

t.test('an identity has at most sessionsPerIdentityMax sessions', async (t) => {
  const { scene, person, services } = await bootDialing(
    { limits: { sessionsPerIdentityMax: 2 } },
    2,
  );
  const { network } = scene;
  for (const id of services) await scene.dial(person, id);
  const { token } = await scene.logIn('alice');
  const body = { serviceId: services[0] };
  const refused = await network.call('POST', 'C:/sessions', { token, body });
  t.match(refused, { status: 429, code: 'QUOTA_EXCEEDED', cause: { field: 'sessions' } });
  const robert = await scene.person('robert');
  t.ok(await scene.dial(robert, services[0] ?? ''), 'others have their own');
  await network.stop();
});

t.test('an identity has at most sessionCertificatesPerIdentityMax of them', async (t) => {
  const scene = await bootScene({ limits: { sessionCertificatesPerIdentityMax: 2 } });
  const { network } = scene;
  const csr = await makeRequest('any');
  const issue = (token: string) =>
    network.call('POST', 'C:/current-api-session/certificates', { token, body: { csr } });
  const alice = await scene.person('alice');
  const again = await scene.logIn('alice');
  t.match(await issue(alice.token), { status: 201 });
  t.match(await issue(again.token), { status: 201 });
  const refused = await issue(alice.token);
  t.match(refused, { status: 429, code: 'QUOTA_EXCEEDED', cause: { field: 'certificates' } });
  t.equal(scene.rows('sessionCertificate'), 2);
  t.match(await issue((await scene.person('robert')).token), { status: 201 });
  await network.must('DELETE', 'C:/current-api-session', undefined, again.token);
  t.match(await issue(alice.token), { status: 201 }, 'it went with its API session');
  await network.stop();
});
