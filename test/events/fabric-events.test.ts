// Events of what carries traffic, as commits and routers bring them.

import t, { type Test } from 'tap';
import type { MachineEvent } from '../../machines/machine.ts';
import { unmeasuredLatencyNs } from '../../src/records/link.ts';
import { terminatorKind } from '../../src/records/terminator.ts';
import { bootNetwork, type Network, noTraffic } from '../simulated/network.ts';
import { connectClient, type FabricClient, type ReadEvent } from './fabric-client.ts';

interface Scene {
  readonly network: Network;
  readonly client: FabricClient;
  /** Sends events to a machine, each in a transaction; answers the events that are told. */
  send(kind: string, id: string, ...events: object[]): Promise<ReadEvent[]>;
}

async function scene(t: Test, ...types: (string | object)[]): Promise<Scene> {
  const network = await bootNetwork({ traffic: noTraffic });
  t.teardown(() => network.stop());
  const client = connectClient(network);
  client.subscribe(...types);
  client.frames();
  const send: Scene['send'] = async (kind, id, ...events) => {
    const { store, send } = network.env;
    for (const event of events) {
      store.fence.begin();
      store.transact({ actor: '', requestId: '', operation: 'test' }, (tx) => {
        send(tx, kind, id, { ...event, now: tx.now } as MachineEvent);
      });
    }
    await network.advance(0);
    return client.events();
  };
  return { network, client, send };
}

t.test('routers, their terminators, and who connects', async (t) => {
  const { network, client } = await scene(t, 'router', 'terminator', 'connect');
  const router = await network.create('edge-routers', { name: 'edge-1' });
  const service = await network.create('services', { name: 's', encryptionRequired: false });
  const body = { service, router, binding: 'transport', address: 'tcp:h:1', cost: 7 };
  const terminator = await network.create('terminators', body);
  network.presence.connect(router, 'edge-1.example');
  await network.advance(0);
  const controller = network.env.trust.trustDomain;
  t.match(client.events(), [
    {
      namespace: 'connect',
      src_type: 'router',
      src_id: router,
      src_addr: '127.0.0.1',
      dst_type: 'ctrl',
      dst_id: controller,
      dst_addr: 'tls:localhost:6262',
    },
    { namespace: 'router', event_type: 'router-online', router_id: router, router_online: true },
    {
      namespace: 'terminator',
      event_type: 'router-online',
      terminator_id: terminator,
      service_id: service,
      router_id: router,
      host_id: '',
      instance_id: '',
      precedence: 'default',
      static_cost: 7,
      dynamic_cost: 0,
      total_terminators: 1,
      usable_default_terminators: 1,
      usable_required_terminators: 0,
    },
  ]);
  network.presence.disconnect(router);
  await network.advance(0);
  t.match(client.events(), [
    { namespace: 'router', event_type: 'router-offline', router_online: false },
    { namespace: 'terminator', event_type: 'router-offline', usable_default_terminators: 0 },
  ]);
});

t.test('routers of one service that come back read its terminators once', async (t) => {
  const { network, client } = await scene(t, 'terminator');
  const { store } = network.env;
  const service = await network.create('services', { name: 's', encryptionRequired: false });
  const routers: string[] = [];
  for (let at = 0; at < 50; at++) {
    const router = await network.create('edge-routers', { name: `edge-${at}` });
    const body = { service, router, binding: 'transport', address: 'tcp:h:1' };
    await network.create('terminators', body);
    routers.push(router);
  }
  const terminators = store.table(terminatorKind);
  let read = 0;
  for (const name of ['service', 'router']) {
    const group = terminators.group(name);
    const rows = group.rows.bind(group);
    t.capture(group, 'rows', (key: string) => {
      const all = [...rows(key)];
      read += all.length;
      return all;
    });
  }
  for (const [at, router] of routers.entries()) {
    network.presence.connect(router, `${router}.example`);
    await network.advance(0);
    t.match(client.events(), [{ total_terminators: 50, usable_default_terminators: at + 1 }]);
  }
  t.ok(read <= 4 * routers.length, `${read} terminators were read`);
  const [first = '', second = '', third = ''] = routers;
  const [row] = terminators.members('router', first);
  await network.must('DELETE', `M:/terminators/${row?.id}`);
  const more = { service, binding: 'transport', address: 'tcp:h:2', precedence: 'required' };
  await network.create('terminators', { ...more, router: second });
  network.presence.disconnect(third);
  await network.advance(0);
  t.match(client.events(), [
    { total_terminators: 50, usable_default_terminators: 48, usable_required_terminators: 1 },
  ]);
});

t.test('links: new, known, changed, broken and gone', async (t) => {
  const { network, send } = await scene(t, 'link');
  const sourceRouter = await network.create('edge-routers', { name: 'a' });
  const destRouter = await network.create('edge-routers', { name: 'b' });
  const latency = unmeasuredLatencyNs;
  const fields = {
    sourceRouter,
    destRouter,
    protocol: 'tls',
    dialAddress: 'tls:b:1',
    staticCost: 1,
    sourceLatency: latency,
    destLatency: latency,
  };
  const report = (iteration: number, isReachable: boolean, more: object = {}) => ({
    type: 'report',
    iteration,
    isReachable,
    isRefresh: false,
    refusal: '',
    fields: { ...fields, ...more },
  });
  const connections = [{ type: 'link.default', localAddress: 'tcp:a:9', remoteAddress: 'tcp:b:1' }];
  const kinds = async (...events: object[]) =>
    (await send('link', 'L1', ...events)).map((event) => event['event_type']);
  t.match(await send('link', 'L1', report(1, false)), [
    {
      event_type: 'routerLinkDisconnectedDest',
      link_id: 'L1',
      src_router_id: sourceRouter,
      dst_router_id: destRouter,
      protocol: 'tls',
      dial_address: 'tls:b:1',
      cost: 130_001,
    },
  ]);
  t.same(await kinds({ type: 'arrive' }), ['routerLinkNew']);
  t.match(await send('link', 'L1', report(1, true, { connections })), [
    {
      event_type: 'connectionsChanged',
      connections: [{ id: 'link.default', local_addr: 'tcp:a:9', remote_addr: 'tcp:b:1' }],
    },
  ]);
  t.same(await kinds(report(1, true, { connections })), ['routerLinkKnown']);
  t.same(await kinds({ type: 'fail', iteration: 1 }), ['fault']);
  t.same(await kinds(report(2, true)), ['routerLinkNew']);
  t.same(await kinds({ type: 'duplicate', iteration: 2 }), ['duplicate']);
  t.same(await kinds(report(3, true), { type: 'remove' }), ['routerLinkNew', 'fault']);
});

t.test(
  'circuits: created, moved, deleted; one that never carried traffic is not told',
  async (t) => {
    const { network, client, send } = await scene(t, 'circuit', 'service');
    const fields = {
      sessionId: 's',
      apiSessionId: 'a',
      identityId: 'client',
      serviceId: 'service',
      terminatorId: 'gone',
      hostId: 'host',
      routers: ['r1', 'r2'],
      links: ['l1'],
      ingressId: 'in',
      egressId: 'out',
    };
    t.same(await send('circuit', 'C0', { type: 'create', fields }, { type: 'end' }), []);
    t.same(await send('circuit', 'C1', { type: 'create', fields }), []);
    await network.advance(20);
    t.match(await send('circuit', 'C1', { type: 'confirm' }), [
      {
        namespace: 'circuit',
        version: 2,
        event_type: 'created',
        circuit_id: 'C1',
        client_id: 'client',
        service_id: 'service',
        terminator_id: 'gone',
        instance_id: '',
        creation_timespan: 20_000_000,
        path: { nodes: ['r1', 'r2'], links: ['l1'], ingress_id: 'in', egress_id: 'out' },
        link_count: 1,
        tags: { serviceId: 'service', clientId: 'client', hostId: 'host' },
      },
    ]);
    const moved = { type: 'rerouted', routers: ['r1', 'r3', 'r2'], links: ['l2', 'l3'] };
    t.match(await send('circuit', 'C1', { type: 'reroute' }, moved), [
      { event_type: 'pathUpdated', path: { nodes: ['r1', 'r3', 'r2'] }, link_count: 2 },
    ]);
    t.match(await send('circuit', 'C1', { type: 'end' }), [
      { event_type: 'deleted', circuit_id: 'C1' },
    ]);
    network.env.events.tell('circuit', { event_type: 'failed', service_id: 'service' });
    await network.advance(60_000);
    t.match(client.events(), [
      { event_type: 'failed' },
      {
        namespace: 'service',
        event_type: 'service.dial.success',
        service_id: 'service',
        terminator_id: 'gone',
        count: 1,
        interval_length: 60,
      },
      { event_type: 'service.dial.fail', service_id: 'service', terminator_id: '', count: 1 },
    ]);
  },
);

t.test('dials that fail, before and after a path was chosen', async (t) => {
  const { network, client } = await scene(t, 'circuit', 'service');
  const wanted = {
    router: { id: 'r1' },
    right: { identityId: 'client', serviceId: 'service' },
    instanceId: 'one',
  };
  const { code, retryHint } = { code: 1, retryHint: 0 } as const;
  const refusal = { code, retryHint, text: 'no', cause: 'NO_TERMINATORS' } as const;
  network.env.failedDials.note(wanted, refusal);
  await network.advance(0);
  t.match(client.events(), [
    {
      namespace: 'circuit',
      event_type: 'failed',
      failure_cause: 'NO_TERMINATORS',
      circuit_id: '',
      client_id: 'client',
      service_id: 'service',
      instance_id: 'one',
      path: { nodes: ['r1'], links: [] },
      tags: { serviceId: 'service', clientId: 'client', hostId: '' },
    },
  ]);
  const now = network.clock.now();
  const circuit = {
    id: 'C1',
    createdAt: now - 3,
    updatedAt: now,
    tags: {},
    state: 'routing',
    sessionId: undefined,
    apiSessionId: undefined,
    identityId: 'client',
    serviceId: 'service',
    terminatorId: 'T1',
    hostId: 'host',
    routers: ['r1', 'r2'],
    links: ['l1'],
    ingressId: 'in',
    egressId: 'out',
    attempt: 1,
    reroutes: 0,
  };
  network.env.failedDials.note(wanted, refusal, circuit);
  await network.advance(60_000);
  t.match(client.events(), [
    {
      event_type: 'failed',
      circuit_id: 'C1',
      terminator_id: 'T1',
      creation_timespan: 3_000_000,
      path: { nodes: ['r1', 'r2'], links: ['l1'], ingress_id: 'in', egress_id: 'out' },
    },
    { event_type: 'service.dial.fail', terminator_id: '', count: 1 },
    { event_type: 'service.dial.fail', terminator_id: 'T1', count: 1 },
  ]);
});

t.test('logins that succeed and fail, and whom they connect', async (t) => {
  const { network, client } = await scene(t, 'authentication', 'connect', 'session');
  await network.login('admin', 'admin-password');
  await network.call('POST', 'C:/authenticate?method=password', {
    body: { username: 'admin', password: 'wrong-password' },
    token: null,
  });
  await network.advance(0);
  const events = client.events();
  t.match(events, [
    {
      namespace: 'authentication',
      event_type: 'success',
      method: 'password',
      success: true,
      remote_address: '127.0.0.1',
    },
    { namespace: 'connect', src_type: 'identity', dst_type: 'ctrl', dst_addr: 'localhost:1280' },
    { namespace: 'authentication', event_type: 'fail', method: 'password', success: false },
  ]);
  t.notMatch(JSON.stringify(events[2]), /admin/);
});

t.test('own figures once a minute, while somebody wants them', async (t) => {
  const { network, client } = await scene(t, {
    type: 'metrics',
    options: { metricFilter: '^heapBytes$' },
  });
  await network.advance(60_000);
  t.match(client.events(), [
    {
      namespace: 'metrics',
      metric: 'heapBytes',
      metric_type: 'intValue',
      metrics: { value: Number },
      source_id: network.env.trust.trustDomain,
      version: 3,
    },
  ]);
  const { timers } = network.clock;
  client.socket.leave();
  t.ok(network.clock.timers < timers);
});
