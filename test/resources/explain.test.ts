// Explanations of what cases can't show: connected routers, MFA over time, ids that are on their
// way out, and every bound.

import { generateSync } from 'otplib';
import t from 'tap';
import type { Explanation } from '../../src/explain/schema.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../simulated/network.ts';

const anyOf = { semantic: 'AnyOf' } as const;

interface Net {
  readonly network: Network;
  readonly alice: string;
  readonly printer: string;
  /** What an explanation of the two says now. */
  explain(query?: string): Promise<Explanation>;
}

/** Alice of the staff, and a printer; no policies. */
async function boot(options: NetworkOptions = {}): Promise<Net> {
  const network = await bootNetwork(options);
  const alice = await network.createUser('alice', 'alice-password', { roleAttributes: ['staff'] });
  const service = { name: 'printer', encryptionRequired: true, roleAttributes: ['printers'] };
  const printer = await network.create('services', service);
  const path = `M:/identities/${alice}/services/${printer}/explain`;
  return { network, alice, printer, explain: (query = '') => network.must('GET', path + query) };
}

function servicePolicy({ network }: Net, name: string, more: object = {}): Promise<string> {
  const roles = { identityRoles: ['#staff'], serviceRoles: ['#printers'] };
  return network.create('service-policies', { ...anyOf, name, type: 'Dial', ...roles, ...more });
}

/** As many routers as names, all of them open to both. */
async function commonRouters({ network }: Net, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await network.create('edge-routers', { name }));
  const edgeRouterRoles = ['#all'];
  await network.create('edge-router-policies', {
    ...anyOf,
    name: 'erp',
    identityRoles: ['#all'],
    edgeRouterRoles,
  });
  await network.create('service-edge-router-policies', {
    ...anyOf,
    name: 'serp',
    serviceRoles: ['#all'],
    edgeRouterRoles,
  });
  return ids;
}

t.test('common routers: offline, then one of them connected', async (t) => {
  const net = await boot();
  await servicePolicy(net, 'dial');
  const [north = '', south = ''] = await commonRouters(net, ['north', 'south']);
  const offline = await net.explain();
  t.equal(
    offline.summary[1],
    "All 2 common edge routers are offline: 'north' and 'south'. " +
      "Not enrolled yet: 'north' and 'south'.",
  );
  t.equal(offline.routers.onlineTotal, 0);
  net.network.presence.connect(south, 'south.example');
  const online = await net.explain();
  t.match(online.routers, { onlineTotal: 1, common: { total: 2 } });
  t.match(online.routers.common.shown, [
    { id: south, isOnline: true, syncStatus: 'SYNC_DONE' },
    { id: north, isOnline: false, syncStatus: 'SYNC_UNKNOWN' },
  ]);
  t.notOk(online.summary.some((sentence) => sentence.includes('offline')));
  await net.network.stop();
});

/** A code of the caller's secret now, `steps` of 30 s later. */
function codeAt({ network }: Net, secret: string, steps: number): string {
  return generateSync({ secret, epoch: Math.floor(network.clock.now() / 1000) + 30 * steps });
}

t.test('MFA counts an API session, runs out, and asks after waking', async (t) => {
  const net = await boot();
  const { network } = net;
  const check = { name: 'code', typeId: 'MFA', timeoutSeconds: 900, promptOnWake: true };
  const checkId = await network.create('posture-checks', check);
  await servicePolicy(net, 'dial', { postureCheckRoles: [`@${checkId}`] });
  await commonRouters(net, ['north']);
  const token = await network.login('alice', 'alice-password');
  const path = 'C:/current-identity/mfa';
  await network.must('POST', path, undefined, token);
  const { provisioningUrl } = await network.must<{ provisioningUrl: string }>(
    ...(['GET', path, undefined, token] as const),
  );
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  t.match(await net.explain(), { dial: { isAllowed: false } });
  await network.must('POST', `${path}/verify`, { code: codeAt(net, secret, 0) }, token);
  const { id: coded } = await network.must<{ id: string }>(
    ...(['GET', 'C:/current-api-session', undefined, token] as const),
  );
  const passed = await net.explain();
  t.match(passed, {
    identityState: { isMfaEnrolled: true },
    dial: { isAllowed: true, sessionCreate: { status: 201 } },
  });
  const failsAt = '2026-01-01T00:15:00.001Z';
  t.equal(passed.dial.failsAt, failsAt, 'the first ms that is too late');
  t.ok(passed.summary.includes(`Posture allows Dial until ${failsAt}.`));
  t.equal(passed.servicePolicies.shown[0]?.postureChecks.shown[0]?.failsAt, failsAt);

  await network.advance(60_000);
  await network.login('alice', 'alice-password');
  const other = await net.explain();
  t.match(other, { dial: { isAllowed: false, sessionCreate: { status: 401 } } });
  t.match(other.identityState.apiSessions.used, { isTotpOwed: true, mfaPassedAt: null });
  const asked = await net.explain(`?apiSessionId=${coded}`);
  t.match(asked, { dial: { isAllowed: true, sessionCreate: { status: 201 } } });
  t.match(asked.identityState.apiSessions.used, { mfaPassedAt: '2026-01-01T00:00:00.000Z' });

  const woken = { id: checkId, typeId: 'MFA', woken: true };
  await network.must('POST', 'C:/posture-response', woken, token);
  t.match(await net.explain(), { dial: { isAllowed: true, failsAt: '2026-01-01T00:06:00.001Z' } });
  await network.advance(300_001);
  const slept = await net.explain(`?apiSessionId=${coded}`);
  t.match(slept, { dial: { isAllowed: false, sessionCreate: { code: 'INVALID_POSTURE' } } });
  t.match(
    slept.summary[1],
    /^Posture: 'code' of policy 'dial' fails. Passed MFA 6 minutes ago; it/,
  );
  await network.advance(540_000);
  const late = await net.explain(`?apiSessionId=${coded}`);
  t.match(late.summary[1], /fails. Passed MFA 15 minutes ago, which is too long/);
  await network.stop();
});

t.test('ids that are still on their way out of the lists are told as gone', async (t) => {
  const net = await boot({ bounds: { cascadeRowsMax: 1 } });
  const body = { name: 'bob', type: 'Default', isAdmin: false };
  const bob = await net.network.create('identities', body);
  const router = await net.network.create('edge-routers', { name: 'north' });
  for (const name of ['a', 'b', 'c']) {
    await servicePolicy(net, name, { identityRoles: [`@${bob}`, '#sales'] });
    await net.network.create('edge-router-policies', {
      ...anyOf,
      name,
      identityRoles: ['#all'],
      edgeRouterRoles: [`@${router}`],
    });
  }
  await net.network.must('DELETE', `M:/identities/${bob}`);
  const { servicePolicies, summary } = await net.explain();
  const gone = servicePolicies.shown.filter(({ identity }) => identity.gone.total > 0);
  t.ok(gone.length > 0, 'the rest of the work waits');
  t.same(gone[0]?.identity.gone, { total: 1, shown: [`@${bob}`] });
  t.match(
    summary.at(-1),
    new RegExp(`^Policy '.' names identities that do not exist any more: @${bob}.$`),
  );
  await net.network.must('DELETE', `M:/edge-routers/${router}`);
  const { edgeRouterPolicies } = await net.explain();
  const left = edgeRouterPolicies.selecting.shown.filter((policy) => policy.gone.total > 0);
  t.same(left[0]?.gone.shown, [`@${router}`]);
  await net.network.stop();
});

t.test('explainPoliciesMax: linking ones first, the others in turns', async (t) => {
  const net = await boot({ bounds: { explainPoliciesMax: 3 } });
  for (const name of ['a', 'b']) await servicePolicy(net, name, { identityRoles: ['#sales'] });
  for (const name of ['c', 'd']) await servicePolicy(net, name, { serviceRoles: ['#cameras'] });
  await servicePolicy(net, 'e', { type: 'Bind' });
  for (const name of ['a', 'b', 'c', 'd']) {
    const edgeRouterRoles = ['#all'];
    await net.network.create('edge-router-policies', {
      ...anyOf,
      name,
      identityRoles: ['#staff'],
      edgeRouterRoles,
    });
    await net.network.create('service-edge-router-policies', {
      ...anyOf,
      name,
      serviceRoles: ['#printers'],
      edgeRouterRoles,
    });
  }
  const found = await net.explain();
  const { linkingTotal, identityOnlyTotal, serviceOnlyTotal, neitherTotal } = found.servicePolicies;
  t.same([linkingTotal, identityOnlyTotal, serviceOnlyTotal, neitherTotal], [1, 2, 2, 0]);
  t.same(
    found.servicePolicies.shown.map(({ name }) => name),
    ['e', 'a', 'c'],
  );
  t.match(
    found.summary[0],
    /^No Dial policy links .* 3 more Dial policies select only one of them.$/,
  );
  for (const { selecting } of [found.edgeRouterPolicies, found.serviceEdgeRouterPolicies]) {
    t.equal(selecting.total, 4);
    t.equal(selecting.shown.length, 3);
  }
  await net.network.stop();
});

t.test('explainEntriesMax and explainChecksMax', async (t) => {
  const net = await boot({ bounds: { explainEntriesMax: 2, explainChecksMax: 2 } });
  const roleAttributes = ['staff', 'x', 'y'];
  await net.network.must('PATCH', `M:/identities/${net.alice}`, { roleAttributes });
  for (const name of ['a', 'b', 'c']) {
    const check = { name, typeId: 'DOMAIN', domains: ['corp'], roleAttributes: ['desk'] };
    await net.network.create('posture-checks', check);
  }
  await servicePolicy(net, 'far', {
    identityRoles: ['#k', '#l', '#m'],
    postureCheckRoles: ['#desk'],
  });
  const { summary, identityState, servicePolicies } = await net.explain();
  t.same(identityState.roleAttributes, { total: 3, shown: ['staff', 'x'] });
  t.match(summary[0], /which has none of #k, #l and 1 more\.$/);
  const { identity, postureChecks } = servicePolicies.shown[0] ?? {};
  t.same(identity?.lacks, { total: 3, shown: ['#k', '#l'] });
  t.match(postureChecks, { total: 3, shown: { length: 2 } });
  await net.network.stop();
});

t.test('explainRoutersMax: connected ones are shown first', async (t) => {
  const net = await boot({ bounds: { explainRoutersMax: 2 } });
  const ids = await commonRouters(net, ['a', 'b', 'c', 'd']);
  net.network.presence.connect(ids[3] ?? '', 'd.example');
  const { routers } = await net.explain();
  t.match(routers, { identityTotal: 4, serviceTotal: 4, onlineTotal: 1, common: { total: 4 } });
  t.same(
    routers.common.shown.map(({ name }) => name),
    ['d', 'a'],
  );
  await net.network.stop();
});

t.test('explainSessionsMax: the latest are shown', async (t) => {
  const net = await boot({ bounds: { explainSessionsMax: 2 } });
  await servicePolicy(net, 'dial');
  await commonRouters(net, ['north']);
  for (let i = 0; i < 3; i++) {
    const token = await net.network.login('alice', 'alice-password');
    await net.network.must('POST', 'C:/sessions', { serviceId: net.printer }, token);
    await net.network.advance(1000);
  }
  const { sessions, identityState } = await net.explain();
  const latest = ['2026-01-01T00:00:02.000Z', '2026-01-01T00:00:01.000Z'];
  t.equal(sessions.total, 3);
  t.same(
    sessions.shown.map(({ createdAt }) => createdAt),
    latest,
  );
  t.equal(identityState.apiSessions.total, 3);
  t.same(
    identityState.apiSessions.shown.map(({ lastActivityAt }) => lastActivityAt),
    latest,
  );
  await net.network.stop();
});

t.test('explainApiSessionsMax: says when it has not read all of them', async (t) => {
  const net = await boot({ bounds: { explainApiSessionsMax: 2 } });
  const tokens: string[] = [];
  for (let i = 0; i < 2; i++) tokens.push(await net.network.login('alice', 'alice-password'));
  t.match((await net.explain()).identityState.apiSessions, { total: 2, isWhole: true });
  await net.network.login('alice', 'alice-password');
  const { apiSessions } = (await net.explain()).identityState;
  t.match(apiSessions, { total: 3, isWhole: false, shown: { length: 2 } });
  await net.network.stop();
});
