// Events over the WebSocket of the fabric API, over simulated time.

import t, { type Test } from 'tap';
import { encodeFrame } from '../../src/channel/frame.ts';
import { headerKeys, uint32Value } from '../../src/channel/headers.ts';
import { decodeMessage, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { fabricTypes, validations } from '../../src/events/socket/fabric-types.ts';
import { identityKind } from '../../src/records/identity.ts';
import { bootNetwork, type NetworkOptions } from '../simulated/network.ts';
import { upgrade } from '../simulated/socket.ts';
import { connectClient } from './fabric-client.ts';

async function scene(t: Test, options: NetworkOptions = {}) {
  const network = await bootNetwork(options);
  t.teardown(() => network.stop());
  return network;
}

t.test('a change is told with its states, then that it is committed', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  client.subscribe('entityChange');
  t.same(client.results(), [[true, 'success']]);
  const id = await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.advance(0);
  const frames = client.frames();
  t.ok(frames.every(({ contentType }) => contentType === fabricTypes.event));
  t.equal(frames[0]?.headers.get(10)?.toString(), 'entity.change');
  t.same(
    frames.map(({ sequence }) => sequence),
    [2, 3],
  );
  const events = frames.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
  const lsn = network.core.journal.lastLsn;
  t.match(events, [
    {
      namespace: 'entityChange',
      event_src_id: network.env.trust.trustDomain,
      timestamp: /^2\d+-.*Z$/,
      eventId: `${lsn}.0`,
      eventType: 'created',
      entityType: 'services',
      isParentEvent: false,
      metadata: {
        author: { type: 'identity', name: 'admin' },
        source: { type: 'rest', method: 'createService' },
        version: /^v/,
      },
      finalState: { id, name: 'printer', encryptionRequired: true },
    },
    { eventId: `${lsn}.0`, eventType: 'committed' },
  ]);
  t.notOk(events[0] && 'initialState' in events[0]);
  t.notOk(events[1] && 'metadata' in events[1]);
  await network.must('PATCH', `M:/services/${id}`, { name: 'plotter' });
  await network.must('DELETE', `M:/services/${id}`);
  await network.advance(0);
  t.match(client.events(), [
    { eventType: 'updated', initialState: { name: 'printer' }, finalState: { name: 'plotter' } },
    { eventType: 'committed' },
    { eventType: 'deleted', initialState: { name: 'plotter' } },
    { eventType: 'committed' },
  ]);
});

t.test('nothing is told before its frame is durable', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  client.subscribe('entityChange');
  client.frames();
  const { store } = network.env;
  const identities = store.table(identityKind);
  const [row] = [...identities.all()];
  if (row === undefined) throw new Error('there is an administrator');
  const cause = { actor: row.id, requestId: 'r', operation: 'test' };
  store.fence.begin();
  store.transact(cause, (tx) => tx.put(identities, { ...row.record, name: 'renamed' }));
  t.ok(store.journal.lastLsn > store.journal.durableLsn);
  t.same(client.events(), []);
  await network.advance(0);
  t.match(client.events(), [
    // The name that its author has since then.
    { eventType: 'updated', metadata: { author: { name: 'renamed' } } },
    { eventType: 'committed' },
  ]);
});

t.test('tokens, passwords and keys are masked', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  client.subscribe('entityChange', 'apiSession', 'session');
  await network.createUser('clerk', 'clerk-password');
  const token = await network.login('clerk', 'clerk-password');
  const identity = { name: 'desk', type: 'User', isAdmin: false, enrollment: { ott: true } };
  const id = await network.create('identities', identity);
  const { enrollment } = await network.must<{ enrollment: { ott: { token: string } } }>(
    'GET',
    `M:/identities/${id}`,
  );
  await network.advance(0);
  const text = client.socket.received.join('\n');
  for (const secret of [token, network.admin, 'clerk-password', enrollment.ott.token]) {
    t.notMatch(text, secret);
  }
  const [login] = client.events().filter(({ namespace }) => namespace === 'apiSession');
  t.match(login, {
    event_type: 'created',
    type: 'legacy',
    token: '******',
    identity_id: String,
    ip_address: '127.0.0.1',
  });
});

t.test('only administrators and ops may listen', async (t) => {
  const network = await scene(t, { limits: { eventSubscribersMax: 1 } });
  const { fabricSockets } = network.core;
  const of = (headers: Record<string, string>) => {
    const { status, body, socket } = upgrade(fabricSockets, '', headers);
    socket?.leave();
    return [status, /"code":"(\w+)"/.exec(body)?.[1]];
  };
  t.same(of({}), [401, 'UNAUTHORIZED']);
  t.same(of({ 'zt-session': 'invented' }), [401, 'UNAUTHORIZED']);
  t.same(of({ authorization: 'Bearer invented' }), [401, 'UNAUTHORIZED']);
  for (const [name, permissions, expected] of [
    ['nobody', [], 401],
    ['reader', ['admin_readonly', 'ops.read'], 401],
    ['operator', ['ops'], 101],
  ] as const) {
    await network.createUser(name, 'a-password', { permissions });
    const token = await network.login(name, 'a-password');
    t.equal(of({ 'zt-session': token })[0], expected, name);
  }
  t.equal(of({ authorization: `Bearer ${network.admin}` })[0], 101);
  const origin = { 'zt-session': network.admin, origin: 'https://evil.example' };
  t.equal(of(origin)[0], 403);
  const client = connectClient(network);
  t.same(of({ 'zt-session': network.admin }), [429, 'RATE_LIMITED']);
  client.socket.leave();
  t.equal(of({ 'zt-session': network.admin })[0], 101, 'there is room again');
});

t.test('a session that ends is told nothing more', async (t) => {
  const network = await scene(t);
  await network.createUser('clerk', 'clerk-password', { permissions: ['ops'] });
  const token = await network.login('clerk', 'clerk-password');
  const client = connectClient(network, token);
  client.subscribe('entityChange');
  client.frames();
  await network.must('DELETE', 'C:/current-api-session', undefined, token);
  await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.advance(0);
  t.same(client.events(), []);
  t.match(client.socket.closedWith, { code: 1008 });
});

t.test('an open connection keeps its session', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  for (let minute = 0; minute < 40; minute++) {
    for (let second = 0; second < 60; second++) await network.advance(1000);
  }
  t.ok(client.socket.isOpen);
  client.socket.leave();
  await network.advance(31 * 60_000);
  t.equal((await network.call('GET', 'M:/services')).status, 401);
});

t.test('what a program may not send closes its connection', async (t) => {
  const network = await scene(t);
  const closedBy = (send: (client: ReturnType<typeof connectClient>) => void) => {
    const client = connectClient(network);
    send(client);
    const { closedWith } = client.socket;
    client.socket.leave();
    return closedWith?.code;
  };
  t.equal(
    closedBy(({ socket }) => socket.say('text')),
    1003,
  );
  t.equal(
    closedBy(({ socket }) => socket.sayBinary(Buffer.alloc(20))),
    1008,
    'no marker',
  );
  t.equal(
    closedBy(({ socket }) => socket.sayBinary(Buffer.alloc(3))),
    1008,
  );
  t.equal(
    closedBy((client) => {
      for (let sent = 0; sent < 20; sent++) client.ask(fabricTypes.ping);
    }),
    undefined,
  );
  t.equal(
    closedBy((client) => {
      for (let sent = 0; sent < 21; sent++) client.ask(fabricTypes.ping);
    }),
    1008,
  );
});

t.test('requests that are refused, and heartbeats', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  client.ask(fabricTypes.streamEvents, 'no JSON');
  client.ask(fabricTypes.streamEvents, { format: 'plain', subscriptions: [] });
  client.ask(fabricTypes.streamEvents, { format: 'json', subscriptions: 'all' });
  client.ask(fabricTypes.streamEvents, { format: 'json', subscriptions: [{ type: 'unknown' }] });
  client.ask(12_345);
  t.same(client.results(), [
    [false, 'the body must be a JSON object'],
    [false, 'the format must be json'],
    [false, 'subscriptions must be a list'],
    [true, 'success'],
    [false, 'requests of type 12345 are not served'],
  ]);
  const chunks: Buffer[] = [];
  const heartbeat = Buffer.alloc(8, 7);
  encodeFrame({ contentType: fabricTypes.heartbeat, sequence: 9, heartbeat }, chunks);
  client.socket.sayBinary(Buffer.concat(chunks));
  const [answer] = client.frames();
  t.equal(answer?.contentType, fabricTypes.heartbeat);
  t.same(answer?.headers.get(headerKeys.heartbeatResponse), heartbeat);
  const sequence = client.ask(fabricTypes.ping);
  t.same(client.frames()[0]?.headers.get(headerKeys.replyFor), uint32Value(sequence));
});

t.test('a program that does not read is told how much it misses, and closed', async (t) => {
  const network = await scene(t, { limits: { eventBufferBytesMax: 64 * 1024 } });
  const client = connectClient(network);
  const other = connectClient(network);
  client.subscribe('entityChange');
  other.subscribe('entityChange');
  client.socket.reads = false;
  const tags = { filler: 'x'.repeat(4000) };
  for (let made = 0; made < 20; made++) {
    await network.create('services', { name: `s${made}`, encryptionRequired: true, tags });
    await network.advance(0);
  }
  t.match(client.socket.closedWith, { code: 1008, reason: 'events are not read' });
  client.socket.reads = true;
  const events = client.events();
  t.match(events.at(-1), {
    namespace: 'alert',
    alert_source_type: 'controller',
    message: /^\d+ events were dropped, because they were not read$/,
  });
  t.equal(other.events().length, 40, 'the other one gets all');
  const figures = network.core.sources.core?.events;
  t.equal(figures?.subscribers, 1);
  t.ok((figures?.dropped['websocket'] ?? 0) > 0);
});

t.test('while the log is stalled, a bounded number of events is kept', async (t) => {
  const network = await scene(t, { bounds: { eventsKeptMax: 3 } });
  const client = connectClient(network);
  client.subscribe('entityChange');
  client.frames();
  const { store } = network.env;
  const identities = store.table(identityKind);
  for (let round = 0; round < 4; round++) {
    const [row] = [...identities.all()];
    if (row === undefined) throw new Error('there is an administrator');
    store.fence.begin();
    store.transact({ actor: '', requestId: '', operation: 'test' }, (tx) =>
      tx.put(identities, { ...row.record, name: `name ${round}` }),
    );
  }
  await network.advance(0);
  t.match(client.events(), [
    { namespace: 'alert', message: '5 events were dropped, because the log was stalled' },
    { eventType: 'updated', metadata: { author: { type: 'controller' } } },
    { eventType: 'committed' },
    { eventType: 'updated' },
  ]);
});

t.test('counts of entities come at once and at intervals', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  client.subscribe({ type: 'entityCount', options: { interval: '1m30s' } });
  client.frames();
  await network.advance(0);
  t.match(client.events(), [
    { namespace: 'entityCount', counts: { identities: 1, services: 0, 'routers.edge': 0 } },
  ]);
  await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.advance(89_000);
  t.same(client.events(), []);
  await network.advance(1000);
  t.match(client.events(), [{ counts: { services: 1 } }]);
  const { timers } = network.clock;
  client.socket.leave();
  t.equal(network.clock.timers, timers - 2, 'nothing ticks for it any more');
});

t.test('an inspection is answered, with secrets masked', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  const inspect = (requestedValues: string[], appRegex = '.*') =>
    client.ask(
      fabricTypes.inspect,
      encodeMessage(fabric.ProgramInspectRequest, { appRegex, requestedValues }),
    );
  inspect(['config', 'stackdump', 'unknown']);
  await network.advance(10);
  const [answer] = client.frames();
  t.equal(answer?.contentType, fabricTypes.inspectResponse);
  const told = decodeMessage(fabric.ProgramInspectResponse, answer?.body ?? Buffer.alloc(0));
  const appId = network.env.trust.trustDomain;
  t.match(told, {
    success: true,
    errors: [],
    values: [
      { appId, name: 'config', value: /"adminPassword"|"listen"/ },
      { appId, name: 'stackdump', value: /JavaScript/ },
    ],
  });
  inspect([], '(');
  await network.advance(10);
  const [failed] = client.frames();
  const failure = decodeMessage(fabric.ProgramInspectResponse, failed?.body ?? Buffer.alloc(0));
  t.match(failure, { success: false, errors: [/^.+: /] });
  inspect(Array.from({ length: 33 }, () => 'config'));
  inspect(['x'.repeat(201)]);
  client.ask(fabricTypes.inspect, Buffer.of(0x0a, 0x05, 1));
  client.ask(fabricTypes.streamTraces);
  await network.advance(10);
  t.same(client.results(), [
    [false, 'more than 32 values are requested'],
    [false, 'the name of a value is too long'],
    [false, 'the body is no such request'],
    [false, 'traces of messages are not recorded'],
  ]);
});

t.test('a request to validate is refused in the form that tools wait for', async (t) => {
  const network = await scene(t);
  const client = connectClient(network);
  const sequence = client.ask(validations.circuits);
  await network.advance(0);
  const [answer] = client.frames();
  t.equal(answer?.contentType, 10_119);
  t.same(answer?.headers.get(headerKeys.replyFor), uint32Value(sequence));
  t.match(decodeMessage(fabric.ValidationAnswer, answer?.body ?? Buffer.alloc(0)), {
    success: false,
    message: 'this controller does not validate circuits',
  });
});
