// Rates of one caller for logins, writes and filters; other callers are not affected.

import t from 'tap';
import { operations } from '../../../src/assembly/operations.ts';
import { CallerRates, countsWrites } from '../../../src/auth/caller-rates.ts';
import type { Caller } from '../../../src/declare/operations/operation.ts';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { identityKind } from '../../../src/records/identity.ts';
import { sessionKind } from '../../../src/records/session.ts';
import { bootScene, type Person, type Scene } from '../../posture/live-scene.ts';
import { makeRequest } from '../../simulated/certificates.ts';
import { type Answer, adminPassword, adminUser, type Network } from '../../simulated/network.ts';

const slowly = { writesPerSecondMax: 1, writesBurstMax: 6 };
const tooFast = { status: 429, code: 'RATE_LIMITED' };

async function bootStaff(limits: object): Promise<{ scene: Scene; services: string[] }> {
  const scene = await bootScene({ limits });
  await scene.policy('p');
  const services: string[] = [];
  for (let n = 0; n < 8; n++) services.push(await scene.service(`s${n}`));
  return { scene, services };
}

function tryDial({ network }: Scene, { token }: Pick<Person, 'token'>, serviceId = '') {
  return network.call('POST', 'C:/sessions', { token, body: { serviceId } });
}

function tryLogin(network: Network, name: string, path = 'C:/authenticate?method=password') {
  const body = { username: name, password: `${name}-password` };
  return network.call('POST', path, { token: null, body });
}

t.test('logins and writes of an ordinary identity come from one bucket', async (t) => {
  const { scene, services } = await bootStaff(slowly);
  const { network } = scene;
  const csr = await makeRequest('any');
  const alice = await scene.person('alice');
  const first = await scene.dial(alice, services[0] ?? '');
  for (let n = 0; n < 10; n++) t.equal(await scene.dial(alice, services[0] ?? ''), first);
  await scene.dial(alice, services[1] ?? '');
  const certificates = 'C:/current-api-session/certificates';
  const { token } = alice;
  t.match(await network.call('POST', certificates, { token, body: { csr } }), { status: 201 });
  const response = { typeId: 'DOMAIN', id: 'none', domain: 'corp.example' };
  const responses = 'C:/posture-response';
  t.match(await network.call('POST', responses, { token, body: response }), { status: 201 });
  const management = 'M:/authenticate?method=password';
  t.match(await tryLogin(network, 'alice', management), { status: 200 }, 'the sixth and last');

  const { journal } = network.core;
  const before = { lsn: journal.durableLsn, sessions: scene.rows('session') };
  const refused: Answer[] = [
    await tryDial(scene, alice, services[2]),
    await network.call('POST', certificates, { token, body: { csr } }),
    await network.call('POST', responses, { token, body: { ...response, domain: 'other' } }),
    await tryLogin(network, 'alice'),
    await tryLogin(network, 'alice', management),
  ];
  for (const answer of refused) {
    t.match(answer, { ...tooFast, headers: { 'retry-after': '1' } });
    t.notMatch(answer.body.toString(), 'alice');
  }
  t.same({ lsn: journal.durableLsn, sessions: scene.rows('session') }, before);
  t.equal(network.env.rates.refused.writes, refused.length);

  t.equal(await scene.dial(alice, services[0] ?? ''), first, 'what is there costs nothing');
  t.match(await network.call('DELETE', `C:/sessions/${first}`, { token }), { status: 200 });
  const robert = await scene.person('robert');
  t.ok(await scene.dial(robert, services[2] ?? ''), 'others have buckets of their own');
  for (let n = 0; n < 8; n++) await network.login(adminUser, adminPassword);
  for (let n = 0; n < 8; n++) await scene.service(`by the administrator ${n}`);

  network.clock.jump(-3_600_000);
  await network.advance(1000);
  t.match(await tryDial(scene, alice, services[2]), { status: 201 }, 'one came back');
  t.match(await tryDial(scene, alice, services[3]), tooFast);
  t.match(await network.call('DELETE', 'C:/current-api-session', { token }), { status: 200 });
  await network.stop();
});

t.test('MFA codes are not counted', async (t) => {
  const { scene, services } = await bootStaff({ writesPerSecondMax: 1, writesBurstMax: 3 });
  const { network } = scene;
  const alice = await scene.person('alice');
  const { token } = alice;
  await network.must('POST', 'C:/current-identity/mfa', undefined, token);
  await scene.dial(alice, services[0] ?? '');
  t.match(await tryDial(scene, alice, services[1]), tooFast);
  for (const path of ['C:/current-identity/mfa/verify', 'C:/authenticate/mfa']) {
    const answer = await network.call('POST', path, { token, body: { code: '000000' } });
    t.not(answer.status, 429, path);
  }
  await network.stop();
});

t.test('a rate of 0 counts nothing', async (t) => {
  const { scene, services } = await bootStaff({ writesPerSecondMax: 0, writesBurstMax: 1 });
  const alice = await scene.person('alice');
  for (const id of services) t.ok(await scene.dial(alice, id));
  await scene.network.stop();
});

t.test('an identity in the slot of another begins with a full bucket', async (t) => {
  const { scene, services } = await bootStaff({ writesPerSecondMax: 1, writesBurstMax: 2 });
  const { network } = scene;
  const alice = await scene.person('alice');
  const slotOf = (id: string) => network.env.store.table(identityKind).peek(id)?.slot;
  const slot = slotOf(alice.id);
  await scene.dial(alice, services[0] ?? '');
  t.match(await tryDial(scene, alice, services[1]), tooFast);
  await network.must('DELETE', `M:/identities/${alice.id}`);
  const robert = await scene.person('robert');
  t.equal(slotOf(robert.id), slot);
  t.ok(await scene.dial(robert, services[0] ?? ''));
  await network.stop();
});

t.test('writes by permission have a bucket of their own', async (t) => {
  const limits = { ...slowly, permittedWritesPerSecondMax: 10, permittedWritesBurstMax: 4 };
  const { scene } = await bootStaff(limits);
  const { network } = scene;
  const { id } = await scene.person('alice');
  const { store, clock } = network.env;
  const rates = new CallerRates({ store, clock, limits: network.config.limits });
  const identity = store.table(identityKind).find(id)?.record;
  const [session] = store.table(apiSessionKind).members('identityId', id);
  if (identity === undefined || session === undefined) throw new Error('alice is not there');
  const caller: Caller = {
    session,
    identity,
    token: '',
    access: undefined,
    isAdmin: false,
    isPartial: false,
    secondFactorUntil: undefined,
  };
  const counted = (access: 'admin' | 'full', isAdmin = false) => {
    try {
      rates.countWrite({ access }, { ...caller, isAdmin });
      return true;
    } catch {
      return false;
    }
  };
  const many = (access: 'admin' | 'full') =>
    Array.from({ length: 10 }, () => counted(access)).filter(Boolean).length;
  t.equal(many('admin'), 4);
  t.equal(many('full'), 6);
  await network.advance(100);
  t.equal(many('admin'), 1);
  t.same(rates.refused, { writes: 4, permittedWrites: 15, filterSteps: 0, adminFilterSteps: 0 });
  for (let n = 0; n < 10; n++) t.ok(counted('admin', true), 'administrators are exempt');
  await network.stop();
});

t.test('each operation says itself whether it is counted', (t) => {
  const counting = operations.filter(({ oidc }) => oidc === undefined);
  const free = counting.filter((one) => one.writes && !countsWrites(one));
  const named = free.filter(({ method }) => method !== 'DELETE').map(({ id }) => id);
  t.same([...new Set(named)].filter((id) => !id.startsWith('enroll')).sort(), [
    'authenticate',
    'authenticateMfa',
    // A caller without an invitation cannot cause a write.
    'clusterRedeemInvitation',
    'createTotpToken',
    'extendRouterEnrollment',
    'verifyMfa',
  ]);
  const written = operations.filter(({ rate }) => rate === 'written').map(({ id }) => id);
  t.same([...new Set(written)].sort(), [
    'createPostureResponse',
    'createPostureResponseBulk',
    'createSession',
  ]);
  t.end();
});

t.test('to list thousands of sessions counts as filter work', async (t) => {
  // An identity with 600 sessions, which no filter is asked of.
  const limits = { filterStepsPerSecondMax: 1000, filterStepsBurstMax: 30_000 };
  const { scene, services } = await bootStaff(limits);
  const { network } = scene;
  const alice = await scene.person('alice');
  const id = await scene.dial(alice, services[0] ?? '');
  const table = network.env.store.table(sessionKind);
  const record = table.find(id)?.record;
  if (record === undefined) throw new Error('there is no session');
  scene.write((tx) => {
    for (let n = 0; n < 600; n++) tx.put(table, { ...record, id: `s${n}`, apiSessionId: `a${n}` });
  });
  const list = () => network.call('GET', 'C:/sessions?limit=1', { token: alice.token });
  t.match([await list(), await list(), await list()], [{ status: 200 }, tooFast, tooFast]);
  const robert = await scene.person('robert');
  t.match(await network.call('GET', 'C:/sessions', { token: robert.token }), { status: 200 });
  await network.stop();
});

/** A filter that nobody has asked before, and so has to be taken apart. */
let asked = 0;
const query = () => `filter=${encodeURIComponent(`name != "no such ${asked++}"`)}`;

t.test(
  'a caller who has lists filtered all the time is told to wait, others are not',
  async (t) => {
    const { scene } = await bootStaff({ filterStepsPerSecondMax: 1000, filterStepsBurstMax: 1000 });
    const { network } = scene;
    const alice = await scene.person('alice');
    const list = ({ token }: Pick<Person, 'token'>, asking: string) =>
      network.call('GET', `C:/services?${asking}`, { token });
    const statuses: number[] = [];
    for (let n = 0; n < 20; n++) statuses.push((await list(alice, query())).status);
    const served = statuses.filter((status) => status === 200).length;
    t.ok(served >= 3 && served < 15, `${served} were served`);
    t.same([...new Set(statuses.slice(served))], [429]);
    t.match(await list(alice, query()), { ...tooFast, headers: { 'retry-after': '1' } });
    t.match(await list(alice, 'limit=5'), { status: 200 }, 'a list without a filter');
    t.match(await list(await scene.person('robert'), query()), { status: 200 });
    for (let n = 0; n < 20; n++) await network.must('GET', `M:/services?${query()}`);
    await network.advance(1000);
    t.match(await list(alice, query()), { status: 200 });
    t.ok(network.env.rates.refused.filterSteps > 0);
    await network.stop();
  },
);

t.test('a filter that takes more than a full budget is a bad request', async (t) => {
  const { scene } = await bootStaff({ filterStepsPerSecondMax: 1000, filterStepsBurstMax: 1000 });
  const { network } = scene;
  const { token } = await scene.person('alice');
  const filter = Array.from({ length: 30 }, (_, n) => `name != "${n}"`).join(' and ');
  const path = `C:/services?filter=${encodeURIComponent(filter)}`;
  const answer = await network.call('GET', path, { token });
  t.match(answer, { status: 400, code: 'INVALID_FILTER' });
  t.match(await network.call('GET', path, { token }), tooFast, 'what it took is counted');
  await network.stop();
});

t.test('administrators have a larger, but bounded share', async (t) => {
  const limits = { adminFilterStepsPerSecondMax: 1000, adminFilterStepsBurstMax: 2000 };
  const { scene } = await bootStaff(limits);
  const { network } = scene;
  const statuses: number[] = [];
  for (let n = 0; n < 40; n++) {
    statuses.push((await network.call('GET', `M:/services?${query()}`)).status);
  }
  t.ok(statuses.includes(200));
  t.equal(statuses.at(-1), 429);
  t.ok(network.env.rates.refused.adminFilterSteps > 0);
  await network.stop();
});
