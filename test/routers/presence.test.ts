// Routers over their connections, as the API shows them.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { booleanHeader, headerKeys } from '../../src/channel/headers.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { AnswerCheck } from '../contract/harness/answer-check.ts';
import { bootNetwork, type CallOptions, type NetworkOptions } from '../simulated/network.ts';
import { type RouterTwin, twinMessages } from '../simulated/router-twin.ts';
import { Fleet } from './fleet.ts';

type View = Readonly<Record<string, unknown>>;

const at = (fleet: Fleet, id: string, path = 'edge-routers') =>
  fleet.network.must<View>('GET', `M:/${path}/${id}`);

const typesOf = (twin: RouterTwin) => twin.received.map(({ contentType }) => contentType);

async function boot(options: NetworkOptions = {}) {
  const network = await bootNetwork(options);
  return { network, fleet: new Fleet(network), stop: () => network.stop() };
}

t.test('an edge router is told where the controller is, and tells of itself', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  t.same(typesOf(twin), [
    contentTypes.updateCtrlAddresses,
    contentTypes.inspectRequest,
    contentTypes.serverHello,
    contentTypes.modelChanges,
    contentTypes.apiSessionAdded,
  ]);
  const [addresses, , hello] = twin.received;
  const { trustDomain } = network.core.authority;
  const address = 'tls:localhost:6262';
  t.match(decodeMessage(fabric.UpdateCtrlAddresses, addresses?.body ?? Buffer.alloc(0)), {
    addresses: [address],
    index: network.env.addresses.startedAt,
    isLeader: true,
    controllers: [{ id: trustDomain, endpoints: [{ address }] }],
  });
  t.match(decodeMessage(edge.ServerHello, hello?.body ?? Buffer.alloc(0)), {
    data: { instant: 'true', routerModel: 'true' },
  });
  t.ok(booleanHeader(hello?.headers ?? new Map(), 1024));
  t.match(await at(fleet, router.id), {
    isOnline: true,
    hostname: `${router.id}.example`,
    supportedProtocols: { tls: `tls://${router.id}.example:3022` },
    syncStatus: 'SYNC_DONE',
    versionInfo: { version: 'v2.1.0', revision: 'abc123', os: 'linux', arch: 'amd64' },
    capabilities: [
      'MULTI_CHANNEL',
      'CONNECT_V2',
      'SERVICE_SUBSCRIPTIONS',
      'POSTURE_CHECKS',
      'BIND_SUCCESS',
    ],
    interfaces: [],
  });
  twin.close();
  await fleet.settle();
  t.match(await at(fleet, router.id), {
    isOnline: false,
    hostname: '',
    supportedProtocols: {},
    syncStatus: 'SYNC_UNKNOWN',
    versionInfo: { version: '' },
  });
  await stop();
});

t.test('a router without clients is online at once and asked for no hello', async (t) => {
  const { fleet, stop } = await boot();
  const router = await fleet.router('transit', 'routers');
  const { twin } = await fleet.connect(router);
  t.same(typesOf(twin), [contentTypes.updateCtrlAddresses, contentTypes.inspectRequest]);
  t.match(await at(fleet, router.id, 'routers'), { isOnline: true });
  t.match(await at(fleet, router.id, 'transit-routers'), { isOnline: true });
  await stop();
});

t.test('an edge router that does not answer is asked three times', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  twin.close();
  const silent = fleet.dial(router);
  silent.twin.handle(contentTypes.serverHello, () => undefined);
  await fleet.settle();
  const status = async () => (await at(fleet, router.id))['syncStatus'];
  t.equal(await status(), 'SYNC_HELLO');
  await network.advance(10_000);
  t.equal(await status(), 'SYNC_HELLO_TIMEOUT');
  t.match(await at(fleet, router.id), { isOnline: true });
  await network.advance(11_000);
  t.equal(typesOf(silent.twin).filter((type) => type === contentTypes.serverHello).length, 3);
  t.notOk(silent.twin.isClosed);
  await network.advance(11_000);
  t.ok(silent.twin.isClosed);
  t.match(await at(fleet, router.id), { isOnline: false, syncStatus: 'SYNC_UNKNOWN' });
  await stop();
});

t.test('the newest connection wins', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const first = await fleet.connect(router);
  const second = await fleet.connect(router, { hostname: 'second.example' });
  t.ok(first.twin.isClosed);
  t.notOk(second.twin.isClosed);
  t.match(await at(fleet, router.id), { isOnline: true, hostname: 'second.example' });
  t.equal(network.core.routers.connected.size, 1);
  second.twin.close();
  await fleet.settle();
  t.match(await at(fleet, router.id), { isOnline: false });
  t.equal(network.core.routers.connected.size, 0);
  await stop();
});

for (const [what, method, path, body] of [
  ['disabled', 'PATCH', '', { disabled: true }],
  ['deleted', 'DELETE', '', undefined],
  ['enrolled again', 'POST', '/re-enroll', undefined],
] as const) {
  t.test(`the channel of a router that is ${what} is closed`, async (t) => {
    const { fleet, network, stop } = await boot();
    const router = await fleet.router('edge');
    const other = await fleet.connect(await fleet.router('other'));
    const { twin } = await fleet.connect(router);
    await network.must('PATCH', `M:/edge-routers/${router.id}`, { cost: 4 });
    await fleet.settle();
    t.notOk(twin.isClosed, 'other changes leave it');
    await network.must(method, `M:/edge-routers/${router.id}${path}`, body);
    await fleet.settle();
    t.ok(twin.isClosed);
    t.notOk(other.twin.isClosed);
    t.equal(network.core.routers.connected.size, 1);
    const { status, data } = await network.call('GET', `M:/edge-routers/${router.id}`);
    if (what === 'deleted') t.equal(status, 404);
    else t.match(data, { isOnline: false });
    const presence = network.env.store.tableNamed('routerPresence').peek(router.id);
    t.equal(presence === undefined, what === 'deleted', 'the presence goes with the router');
    await stop();
  });
}

t.test('another certificate closes the channel, unless the channel brought it', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const extend = async (actor: string, requestId: string) => {
    const certificate = await fleet.certificate(router.id);
    const { env } = network;
    env.store.transact({ actor, requestId, operation: 'extend' }, (tx) => {
      const table = env.store.tableNamed('router');
      const row = table.peek(router.id);
      const { fingerprint } = certificate;
      if (row !== undefined) tx.put(table, { ...row.record, fingerprint } as never);
    });
    await fleet.settle();
  };
  await extend(router.id, '');
  t.notOk(twin.isClosed);
  await extend(router.id, 'request');
  t.ok(twin.isClosed);
  await stop();
});

t.test('interfaces are shown', async (t) => {
  const { fleet, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const flags = 1 | 2 | 16 | 32;
  const card = { name: 'eth0', hardwareAddress: '00:11', mtu: 1500, index: 2, flags };
  const asked = twin.ask(twinMessages.interfaces([{ ...card, addresses: ['10.0.0.1/24'] }]));
  await fleet.settle();
  const { contentType, headers } = await asked;
  t.equal(contentType, contentTypes.result);
  t.ok(booleanHeader(headers, headerKeys.resultSuccess));
  const shown = {
    name: 'eth0',
    hardwareAddress: '00:11',
    mtu: 1500,
    index: 2,
    isBroadcast: true,
    isLoopback: false,
    isMulticast: true,
    isRunning: true,
    isUp: true,
    addresses: ['10.0.0.1/24'],
  };
  t.same((await at(fleet, router.id))['interfaces'], [shown]);
  t.same((await at(fleet, router.id, 'routers'))['interfaces'], [shown]);
  twin.send(twinMessages.interfaces(Array.from({ length: 300 }, () => card)));
  await fleet.settle();
  t.ok(twin.isClosed, 'more than any router has');
  await stop();
});

t.test('the identities whose clients are connected', async (t) => {
  const { fleet, network, stop } = await boot();
  const [one, two] = [await network.createUser('client', 'password'), 'nobody'];
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const statusOf = async (id: string) => {
    const view = await network.must<View>('GET', `M:/identities/${id}`);
    return [view['hasEdgeRouterConnection'], view['edgeRouterConnectionStatus']];
  };
  t.same(await statusOf(one), [false, 'offline']);
  const events = [
    { identityId: one, isConnected: true },
    { identityId: two, isConnected: true },
  ];
  twin.send(twinMessages.connectEvents(events));
  await fleet.settle();
  t.same(await statusOf(one), [false, 'offline'], 'it may not use this router');
  const usable = { semantic: 'AnyOf', identityRoles: [`@${one}`], edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', { name: 'usable', ...usable });
  twin.send(twinMessages.connectEvents(events));
  await fleet.settle();
  t.same(await statusOf(one), [true, 'online']);
  t.equal(network.env.identityConnections.statusOf(two), 'offline', 'there is no such identity');
  twin.close();
  await fleet.settle();
  t.same(await statusOf(one), [false, 'unknown']);
  const again = await fleet.connect(router);
  t.same(await statusOf(one), [true, 'online']);
  again.twin.send(twinMessages.connectEvents([{ identityId: one, isConnected: false }], false));
  await fleet.settle();
  t.same(await statusOf(one), [false, 'offline']);
  await network.must('DELETE', `M:/edge-routers/${router.id}`);
  await fleet.settle();
  t.equal(network.env.identityConnections.size, 0);
  await stop();
});

t.test(
  'a full state of any size within a frame is taken, before and after the welcome',
  async (t) => {
    const { fleet, network, stop } = await boot({ logLevel: 'info' });
    const client = await network.createUser('client', 'password');
    const usable = { semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: ['#all'] };
    await network.create('edge-router-policies', { name: 'usable', ...usable });
    const router = await fleet.router('edge');
    const connectTimes = [
      { connectTime: 1, srcAddr: 'tcp:192.0.2.1:1', dstAddr: 'tcp:192.0.2.2:2' },
    ];
    const events = (count: number) =>
      Array.from({ length: count }, (_, at) => {
        const identityId = at === count / 2 ? client : `nobody-${at}`;
        return { identityId, isConnected: true, connectTimes };
      });
    const status = () => network.env.identityConnections.statusOf(client);
    const { twin } = fleet.dial(router);
    twin.onResult = () => twin.send(twinMessages.connectEvents(events(2000)));
    await fleet.settle();
    t.equal(status(), 'online', 'it was sent with the hello');
    twin.send(twinMessages.connectEvents([]));
    await fleet.settle();
    t.equal(status(), 'offline');
    twin.send(twinMessages.connectEvents(events(60_000)));
    twin.send({ contentType: contentTypes.ping });
    await fleet.settle();
    t.equal(status(), 'online');
    t.notOk(twin.isClosed, 'it has 360,000 fields');
    const giant = Buffer.concat([Buffer.from([0x0a, 0xa2, 0x9c, 0x01]), Buffer.alloc(20_002, 1)]);
    giant.fill(Buffer.of(16, 1), 4);
    twin.send({ contentType: contentTypes.connectEvents, body: giant });
    await fleet.settle();
    t.ok(twin.isClosed, 'one event of 10,001 fields');
    t.match(network.logged.join('\n'), /more than 10000 fields/);
    await stop();
  },
);

t.test('small messages and their answers', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const ask = async (contentType: number, body?: Buffer) => {
    const asked = twin.ask({ contentType, body });
    await fleet.settle();
    return asked;
  };
  t.equal((await ask(contentTypes.ping)).contentType, contentTypes.result);
  const inspected = await ask(contentTypes.inspectRequest);
  t.match(decodeMessage(fabric.InspectResponse, inspected.body), { success: true, values: [] });
  const members = await ask(contentTypes.clusterMembersRequest);
  t.equal(members.contentType, contentTypes.updateCtrlAddresses);
  const connected = () => network.core.routers.connected.get(router.id);
  await ask(contentTypes.quiesceRouter);
  t.equal(connected()?.isQuiesced, true);
  await fleet.connect(router);
  t.equal(connected()?.isQuiesced, true, 'it is kept until the router says otherwise');
  await stop();
});

t.test('alerts are logged, some per minute', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const alert = (message: string) => ({ message, severity: 'error', sourceType: 'link' });
  const body = encodeMessage(fabric.Alerts, {
    alerts: Array.from({ length: 30 }, () => alert('x'.repeat(2000))),
  });
  twin.send({ contentType: contentTypes.alerts, body });
  await fleet.settle();
  const lines = () => network.logged.filter((line) => line.includes('sent an alert'));
  t.equal(lines().length, 10);
  t.ok(lines().every((line) => line.length < 1000));
  await network.advance(60_000);
  twin.send({ contentType: contentTypes.alerts, body });
  await fleet.settle();
  t.equal(lines().length, 20);
  await stop();
});

t.test('a router that is taken out of service deletes itself', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  await network.must('PATCH', `M:/edge-routers/${router.id}`, { isTunnelerEnabled: true });
  const { twin } = await fleet.connect(router);
  const asked = twin.ask({ contentType: contentTypes.decommissionRouter });
  // What arrives with it finds no router any more.
  twin.send({ contentType: contentTypes.quiesceRouter });
  twin.send(twinMessages.interfaces([]));
  await fleet.settle();
  t.ok(booleanHeader((await asked).headers, headerKeys.resultSuccess));
  t.ok(twin.isClosed);
  t.match(await network.call('GET', `M:/edge-routers/${router.id}`), { status: 404 });
  t.match(await network.call('GET', `M:/identities/${router.id}`), { status: 404 });
  await network.crash();
  await network.logInAdmin();
  t.match(await network.call('GET', `M:/edge-routers/${router.id}`), { status: 404 });
  await stop();
});

t.test('after a restart no router is online until it comes back', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  await network.restart();
  t.ok(twin.isClosed);
  await network.logInAdmin();
  t.match(await at(fleet, router.id), { isOnline: false, syncStatus: 'SYNC_UNKNOWN' });
  await fleet.connect(router, twin.secret === undefined ? {} : { secret: twin.secret });
  t.match(await at(fleet, router.id), { isOnline: true, syncStatus: 'SYNC_DONE' });
  await stop();
});

t.test('answers about a connected router are as published', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  await fleet.router('away');
  const all = { semantic: 'AnyOf', identityRoles: ['#all'] };
  await network.create('edge-router-policies', {
    name: 'usable',
    ...all,
    edgeRouterRoles: ['#all'],
  });
  await network.create('service-edge-router-policies', {
    name: 'carried',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    ...all,
    serviceRoles: ['#all'],
  });
  const serviceId = await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.createUser('client', 'password');
  const token = await network.login('client', 'password');
  const { twin } = await fleet.connect(router);
  twin.send(twinMessages.interfaces([{ name: 'lo', addresses: ['127.0.0.1/8'], mtu: 65536 }]));
  await fleet.settle();
  const check = new AnswerCheck();
  const ask = async (method: string, path: string, options: CallOptions = {}) => {
    const answer = await network.call(method, path, options);
    t.equal(check.problem(method, path, answer), undefined, path);
    return answer.data;
  };
  for (const path of ['edge-routers', 'routers', 'transit-routers']) {
    await ask('GET', `M:/${path}/${router.id}`);
    await ask('GET', `M:/${path}`);
  }
  await ask('GET', 'M:/identities');
  const shown = { isOnline: true, supportedProtocols: { tls: `tls://${router.id}.example:3022` } };
  t.match(await ask('GET', 'C:/current-identity/edge-routers?filter=online=true', { token }), [
    { name: 'edge', ...shown },
  ]);
  const body = { serviceId, type: 'Dial' };
  const session = async () =>
    (await ask('POST', 'C:/sessions', { token, body })) as { edgeRouters: readonly View[] };
  const [first, second] = (await session()).edgeRouters;
  t.match(first, { name: 'edge', ...shown, urls: shown.supportedProtocols });
  t.match(second, { name: 'away', isOnline: false, urls: {} });
  twin.close();
  await fleet.settle();
  t.ok((await session()).edgeRouters.every(({ isOnline }) => isOnline === false));
  await stop();
});

t.test('filters know who is connected', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  await fleet.router('away');
  await fleet.connect(router);
  const found = async (path: string, filter: string) => {
    const answer = await network.call('GET', `M:/${path}?filter=${encodeURIComponent(filter)}`);
    return (answer.data as { name: string }[]).map(({ name }) => name);
  };
  t.same(await found('edge-routers', 'online = true'), ['edge']);
  t.same(await found('edge-routers', 'connected = false'), ['away']);
  t.same(await found('routers', 'connected = true'), ['edge']);
  await stop();
});

t.test('the inspector shows the presence with its transitions', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const instances = 'M:/inspect/machines/routerPresence/instances';
  const [instance] = await network.must<View[]>('GET', instances);
  t.match(instance, { id: router.id, name: 'edge', state: 'online' });
  twin.close();
  await fleet.settle();
  const { transitions } = await network.must<{ transitions: View[] }>(
    'GET',
    `${instances}/${router.id}/transitions`,
  );
  t.same(
    transitions.map(({ event, to }) => [event, to]),
    [
      ['disconnect', 'offline'],
      ['finishSync', 'online'],
      ['beginSync', 'syncing'],
      ['greet', 'hello'],
      ['askHello', 'hello'],
      ['connect', 'hello'],
    ],
  );
  const charts = await network.must<View[]>('GET', 'M:/inspect/machines');
  t.ok(charts.some(({ id }) => id === 'routerPresence'));
  await stop();
});

t.test('each moment has its word', async (t) => {
  const { fleet, network, stop } = await boot();
  const router = await fleet.router('edge');
  const { env } = network;
  network.presence.connect(router.id, 'host');
  const after = async (...events: readonly (View & { readonly type: string })[]) => {
    env.store.fence.begin();
    env.store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
      for (const event of events) {
        env.send(tx, 'routerPresence', router.id, { ...event, now: tx.now });
      }
    });
    const { isOnline, syncStatus } = await at(fleet, router.id);
    return [isOnline, syncStatus];
  };
  const fields = { routerId: router.id, address: '', versionInfo: {}, capabilities: [] };
  const connect = { type: 'connect', isEdge: true, fields };
  t.same(await after(), [true, 'SYNC_DONE']);
  t.same(await after(connect), [true, 'SYNC_QUEUED']);
  t.same(await after({ type: 'askHello' }), [true, 'SYNC_HELLO']);
  t.same(await after({ type: 'askHello' }), [true, 'SYNC_HELLO_TIMEOUT']);
  const greet = { type: 'greet', hostname: 'h', supportedProtocols: {} };
  t.same(await after(greet), [true, 'SYNC_HELLO_WAIT']);
  t.same(await after({ type: 'beginSync' }), [true, 'SYNC_IN_PROGRESS']);
  t.same(await after({ type: 'askResync' }), [true, 'SYNC_RESYNC_WAIT']);
  t.same(await after({ type: 'beginSync' }, { type: 'finishSync' }), [true, 'SYNC_DONE']);
  t.same(await after({ type: 'close', reason: 'x' }), [false, 'SYNC_UNKNOWN']);
  t.same(await after({ type: 'disconnect', reason: 'x' }), [false, 'SYNC_UNKNOWN']);
  await stop();
});

t.test('metrics count routers, refusals and messages', async (t) => {
  const { fleet, network, stop } = await boot();
  const { sources } = network.core;
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  await fleet.connect({ id: 'nobody', certificates: router.certificates });
  twin.send({ contentType: 30_000 });
  await fleet.settle();
  const text = createMetrics(sources).text();
  for (let turns = 0; turns < 100; turns++) await fleet.settle();
  const lines = (await text).split('\n');
  for (const line of [
    'edge_control_routers_connected 1',
    'edge_control_machine_instances{kind="routerPresence",state="online"} 1',
    'edge_control_router_hellos_refused_total{reason="unknownRouter"} 1',
    'edge_control_router_hellos_refused_total{reason="disabled"} 0',
    'edge_control_router_messages_unhandled_total{reason="unknown"} 1',
    'edge_control_router_channels_ended_total{fault="memory"} 0',
    'edge_control_router_unroutes_waiting 0',
    'edge_control_service_health_checks_total{result="failed"} 0',
  ]) {
    t.ok(lines.includes(line), line);
  }
  await stop();
});
