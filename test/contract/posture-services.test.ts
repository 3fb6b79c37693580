// Services and sessions under posture checks, in cases that need several requests.

import t from 'tap';
import { postureDataKind } from '../../src/records/posture-data.ts';
import { appCode } from '../simulated/authenticator-app.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

interface Scene {
  readonly network: Network;
  readonly alice: string;
  readonly token: string;
  /** Ids of three services. */
  readonly services: readonly string[];
}

/** Three services that alice may dial, over a router that everybody may use. */
async function boot(): Promise<Scene> {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'alice-password');
  const services = [];
  for (const name of ['one', 'two', 'three']) {
    const body = { name, encryptionRequired: true, roleAttributes: [name] };
    services.push(await network.create('services', body));
  }
  await network.create('edge-routers', { name: 'edge' });
  const all = { name: 'all', semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', { ...all, identityRoles: ['#all'] });
  await network.create('service-edge-router-policies', { ...all, serviceRoles: ['#all'] });
  return { network, alice, services, token: await network.login('alice', 'alice-password') };
}

const policy = (name: string, more: object = {}) => ({
  name,
  type: 'Dial',
  semantic: 'AnyOf',
  identityRoles: ['#all'],
  serviceRoles: ['#all'],
  ...more,
});

interface Shown {
  readonly id: string;
  readonly permissions: readonly string[];
  readonly postureQueries: readonly { readonly policyId: string; readonly isPassing: boolean }[];
}

/** The services as the list, the list with configs, a filtered list and the details show them. */
async function allForms({ network, token }: Scene): Promise<Shown[][]> {
  const get = <T>(path: string) => network.must<T>('GET', path, undefined, token);
  const list = await get<Shown[]>('C:/services');
  return [
    list,
    await get<Shown[]>('C:/services?configTypes=all'),
    await get<Shown[]>('C:/services?filter=true'),
    await Promise.all(list.map(({ id }) => get<Shown>(`C:/services/${id}`))),
  ];
}

t.test('every form of a service shows the same queries, whatever changes', async (t) => {
  const scene = await boot();
  const { network, token } = scene;
  const changes: [string, number, () => Promise<unknown>][] = [
    ['a policy', 1, () => network.create('service-policies', policy('dial'))],
    ['a check', 1, () => network.create('posture-checks', domain('first', ['corp.example']))],
    ['a guarded policy', 2, () => network.create('service-policies', guarded('guarded', '#one'))],
    ['a second check', 2, () => network.create('posture-checks', domain('second', ['a.example']))],
    ['a response', 2, () => network.must('POST', 'C:/posture-response', response, token)],
    ['policies beyond what is kept', 68, () => makeMany(network, 66)],
    ['a policy less', 67, () => remove(network, 'service-policies', 'guarded')],
    ['a check less', 67, () => remove(network, 'posture-checks', 'first')],
    ['no check', 0, () => remove(network, 'posture-checks', 'second')],
  ];
  for (const [what, sets, change] of changes) {
    await change();
    const [list = [], ...others] = await allForms(scene);
    for (const other of others) t.same(other, list, what);
    const one = list.find(({ id }) => id === scene.services[0]);
    if (sets > 1) t.equal(one?.postureQueries.length, sets, what);
    else t.match(one?.postureQueries, [{ isPassing: true }], what);
  }
  await network.stop();
});

const domain = (name: string, domains: string[]) => ({
  name,
  typeId: 'DOMAIN',
  domains,
  roleAttributes: ['strict'],
});
const guarded = (name: string, role: string) =>
  policy(name, { serviceRoles: [role], postureCheckRoles: ['#strict'] });
const response = { id: '', typeId: 'DOMAIN', domain: 'corp.example' };

async function makeMany(network: Network, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await network.create('service-policies', guarded(`p${i}`, '#one'));
}

async function remove(network: Network, plural: string, name: string): Promise<void> {
  const filter = encodeURIComponent(`name="${name}"`);
  const [found] = await network.must<{ id: string }[]>('GET', `M:/${plural}?filter=${filter}`);
  await network.must('DELETE', `M:/${plural}/${found?.id}`);
}

t.test('a session whose time is over is not answered again before it is gone', async (t) => {
  const { network, alice, token, services } = await boot();
  const mfa = { name: 'mfa', typeId: 'MFA', timeoutSeconds: 60, roleAttributes: ['strict'] };
  await network.create('posture-checks', mfa);
  await network.create('service-policies', guarded('guarded', '#all'));
  await network.must('POST', 'C:/current-identity/mfa', undefined, token);
  const path = 'C:/current-identity/mfa';
  const { provisioningUrl } = await network.must<{ provisioningUrl: string }>(
    ...(['GET', path, undefined, token] as const),
  );
  const codeNow = () => ({ code: appCode(provisioningUrl, network.clock.now()) });
  await network.must('POST', `${path}/verify`, codeNow(), token);
  const ask = () =>
    network.call('POST', 'C:/sessions', { token, body: { serviceId: services[0] } });
  t.match(await ask(), { status: 201 });
  // The wall clock is ahead of the timers: the deadline has not gone off yet.
  network.clock.jump(61_000);
  t.match(await ask(), { status: 400, code: 'INVALID_POSTURE' });
  const failed = await network.must('GET', `M:/identities/${alice}/failed-service-requests`);
  t.match(failed, [{ sessionType: 'Dial', policyFailures: [{ policyName: 'guarded' }] }]);
  await network.must('POST', 'C:/authenticate/mfa', codeNow(), token);
  t.match(await ask(), { status: 201 });
  await network.stop();
});

t.test('refused requests go with their identity, and with the process', async (t) => {
  const { network, alice, token, services } = await boot();
  await network.create('posture-checks', domain('first', ['corp.example']));
  await network.create('service-policies', guarded('guarded', '#all'));
  const [serviceId] = services;
  const ask = () => network.call('POST', 'C:/sessions', { token, body: { serviceId } });
  t.match(await ask(), { status: 400, code: 'INVALID_POSTURE' });
  const path = `M:/identities/${alice}/failed-service-requests`;
  t.match(await network.must('GET', path), [{ serviceName: 'one' }]);
  await network.restart();
  t.same(await network.must('GET', path), []);
  await ask();
  t.equal(network.env.failedRequests.size.identities, 1);
  await network.must('DELETE', `M:/identities/${alice}`);
  t.equal(network.env.failedRequests.size.identities, 0);
  await network.stop();
});

t.test('the last failedRequestsMax refused requests of an identity are shown', async (t) => {
  const { network, alice, token, services } = await boot();
  await network.create('posture-checks', domain('first', ['corp.example']));
  await network.create('service-policies', guarded('guarded', '#all'));
  for (let i = 0; i < 102; i++) {
    const body = { serviceId: services[i % 3] };
    await network.call('POST', 'C:/sessions', { token, body });
  }
  const path = `M:/identities/${alice}/failed-service-requests`;
  const shown = await network.must<{ serviceName: string }[]>('GET', path);
  t.equal(shown.length, 100);
  t.match(shown[0], { serviceName: 'three' });
  await network.stop();
});

t.test('what shows posture rests on the checks and responses behind it', async (t) => {
  const { network, alice, token, services } = await boot();
  const { store } = network.env;
  const checkId = await network.create('posture-checks', domain('first', ['corp.example']));
  await network.create('service-policies', guarded('guarded', '#all'));
  const [serviceId] = services;
  const writes = {
    postureCheck: () =>
      network.must('PATCH', `M:/posture-checks/${checkId}`, { typeId: 'DOMAIN', tags: { a: '1' } }),
    postureData: () => network.must('POST', 'C:/posture-response', response, token),
  };
  const reads: [string, string, string, object?][] = [
    ['GET', 'C:/services', token],
    ['GET', 'C:/services?configTypes=all', token],
    ['GET', `C:/services/${serviceId}`, token],
    ['GET', `M:/services?asIdentity=${alice}`, network.admin],
    ['GET', `M:/identities/${alice}/services`, network.admin],
    ['POST', 'C:/sessions', token, { serviceId }],
  ];
  await writes.postureData();
  await network.must('POST', 'C:/sessions', { serviceId }, token);
  for (const [method, path, caller, body] of reads) {
    for (const [kind, write] of Object.entries(writes)) {
      await write();
      const { lastLsn } = store.tableNamed(kind);
      await network.must(method, path, body, caller);
      t.ok(store.fence.lsn >= lastLsn, `${method} ${path} rests on the last change of ${kind}`);
    }
  }
  await writes.postureData();
  await network.must('GET', `M:/identities/${alice}/posture-data`);
  t.ok(store.fence.lsn >= store.table(postureDataKind).lastLsn);
  await network.stop();
});
