// While the heap is full, requests that create records are refused, and requests that free memory
// are served.

import t from 'tap';
import { healthOf } from '../../../src/monitoring/health-checks.ts';
import { createMetrics } from '../../../src/monitoring/metrics.ts';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { valueIn } from '../../monitoring/exposition.ts';
import { appCode } from '../../simulated/authenticator-app.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const code = 'MEMORY_LIMIT_REACHED';

interface Scene {
  readonly network: Network;
  readonly token: string;
  readonly service: string;
  readonly provisioningUrl: string;
}

/** Alice may dial a service, and proves a second factor. */
async function boot(): Promise<Scene> {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const service = await network.create('services', { name: 's', encryptionRequired: true });
  await network.create('edge-routers', { name: 'edge' });
  const all = { semantic: 'AnyOf', identityRoles: ['#all'] };
  const routers = ['#all'];
  await network.create('edge-router-policies', { ...all, name: 'e', edgeRouterRoles: routers });
  await network.create('service-edge-router-policies', {
    name: 's',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: routers,
  });
  const dial = { ...all, name: 'd', type: 'Dial', serviceRoles: ['#all'] };
  await network.create('service-policies', dial);
  const token = await network.login('alice', 'alice-password');
  const mfa = 'C:/current-identity/mfa';
  await network.must('POST', mfa, undefined, token);
  const { provisioningUrl } = await network.must<{ provisioningUrl: string }>(
    ...(['GET', mfa, undefined, token] as const),
  );
  const first = { code: appCode(provisioningUrl, network.clock.now()) };
  await network.must('POST', `${mfa}/verify`, first, token);
  await network.advance(60_000);
  return { network, token, service, provisioningUrl };
}

t.test('creations are refused, and log-outs, deletions, codes and reads are not', async (t) => {
  const { network, token, service, provisioningUrl } = await boot();
  const password = { username: 'alice', password: 'alice-password' };
  const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });
  const domain = { id: 'd', typeId: 'DOMAIN', domain: 'corp.example' };
  const dialed = await network.call('POST', 'C:/sessions', { token, body: { serviceId: service } });
  const second = await network.login('alice', 'alice-password');
  const stale = await network.create('identities', identity('stale'));
  const known = await network.login('alice', 'alice-password');
  await network.must('POST', 'C:/authenticate/mfa', await codeNow(network, provisioningUrl), known);
  await network.must('POST', 'C:/posture-response', domain, known);

  network.heap.fill(900);
  const refused: [string, string, object, string | null][] = [
    ['POST', 'M:/identities', identity('more'), network.admin],
    ['POST', 'M:/services', { name: 'more', encryptionRequired: true }, network.admin],
    ['POST', 'C:/authenticate?method=password', password, null],
    ['POST', 'C:/sessions', { serviceId: service, type: 'Dial' }, known],
    ['POST', 'C:/current-api-session/certificates', { csr: 'any' }, token],
    ['POST', 'C:/posture-response', { ...domain, domain: 'a-longer.example' }, token],
    ['POST', 'C:/enroll?method=ott&token=any', {}, null],
  ];
  for (const [method, path, body, by] of refused) {
    const answer = await network.call(method, path, { body, token: by });
    t.match(answer, { status: 429, code }, path);
    t.equal(answer.headers['retry-after'], '5', path);
  }
  const bad = await network.call('POST', 'C:/authenticate?method=password', {
    token: null,
    body: { ...password, password: 'wrong-password' },
  });
  t.equal(bad.status, 401, 'who shows nothing is told nothing');
  t.match(await seen(network), { healthy: true, memory: false, live: 900, limit: 1000 });

  const taken: [string, string, object | undefined, string][] = [
    ['GET', 'C:/current-api-session', undefined, token],
    ['POST', 'C:/sessions', { serviceId: service, type: 'Dial' }, token],
    ['POST', 'C:/posture-response', domain, token],
    ['POST', 'C:/posture-response', { ...domain, domain: 'b.example' }, token],
    ['PATCH', `M:/identities/${stale}`, { name: 'patched' }, network.admin],
    ['DELETE', `M:/identities/${stale}`, undefined, network.admin],
    ['DELETE', 'C:/current-api-session', undefined, second],
  ];
  t.equal(dialed.status, 201);
  for (const [method, path, body, by] of taken) {
    const answer = await network.call(method, path, { token: by, ...(body && { body }) });
    t.ok(answer.status < 300, `${method} ${path}: ${answer.body.toString()}`);
  }
  await network.advance(60_000);
  const factor = await codeNow(network, provisioningUrl);
  t.equal((await network.call('POST', 'C:/authenticate/mfa', { token, body: factor })).status, 200);
  await network.logInAdmin();
  t.ok(network.admin, 'an administrator can log in, to delete something');

  network.heap.collect(800);
  t.match(await seen(network), { healthy: true, memory: true, live: 800 });
  t.ok(await network.create('identities', identity('more')));
  await network.stop();
});

async function codeNow(network: Network, provisioningUrl: string) {
  return { code: appCode(provisioningUrl, network.clock.now()) };
}

async function seen({ core }: Network) {
  const { healthy, checks } = healthOf(core.sources);
  const text = await createMetrics(core.sources).text();
  return {
    healthy,
    memory: checks.find(({ id }) => id === 'memory')?.healthy,
    live: valueIn(text, 'edge_control_heap_live_bytes'),
    limit: valueIn(text, 'edge_control_heap_limit_bytes'),
  };
}

t.test('what the controller does by itself is not refused', async (t) => {
  const { network, token } = await boot();
  network.heap.fill(900);
  await network.advance(31 * 60_000);
  t.equal((await network.call('GET', 'C:/current-api-session', { token })).status, 401);
  t.equal(network.env.store.table(apiSessionKind).size, 0, 'silent sessions end');
  await network.stop();
});
