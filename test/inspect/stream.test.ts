// The stream as inspectors see it, over simulated time: transitions, filter, pause, drops, ends.

import t, { type Test } from 'tap';
import type { StreamMessage } from '../../src/inspect/messages.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { enrollmentKind } from '../../src/records/enrollment.ts';
import { identityKind } from '../../src/records/identity.ts';
import { tokenHash } from '../../src/records/token-hash.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../simulated/network.ts';
import { type SimulatedSocket, upgrade } from '../simulated/socket.ts';

type Told = Extract<StreamMessage, { type: 'transitions' }>;

async function scene(t: Test, options: NetworkOptions = {}) {
  const network = await bootNetwork(options);
  t.teardown(() => network.stop());
  const ticket = async (token?: string) =>
    (await network.must<{ ticket: string }>('POST', 'M:/inspect/tickets', undefined, token)).ticket;
  const attach = async (query = '', token?: string): Promise<SimulatedSocket> => {
    const asked = `ticket=${await ticket(token)}${query}`;
    const { socket, body } = upgrade(network.core.sockets, asked);
    if (socket === undefined) throw new Error(body);
    return socket;
  };
  return { network, ticket, attach };
}

/** Makes identities; each is a transition. */
async function make(network: Network, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    ids.push(await network.create('identities', { name, type: 'User', isAdmin: false }));
  }
  return ids;
}

/** The messages of one type that came within `ms`. */
async function told(network: Network, socket: SimulatedSocket, ms = 100): Promise<Told[]> {
  await network.advance(ms);
  return socket.take<StreamMessage>().filter((message) => message.type === 'transitions');
}

t.test(
  'an inspector gets a greeting, transitions, and everything else once per second',
  async (t) => {
    const { network, attach } = await scene(t);
    const socket = await attach();
    t.same(socket.take(), [
      { type: 'attached', lsn: network.core.journal.lastLsn, timeMs: network.clock.now() },
    ]);
    await network.advance(100);
    t.same(
      socket.take<StreamMessage>().map(({ type }) => type),
      ['figures', 'processes'],
    );
    const [id] = await make(network, 'desk');
    const [message] = await told(network, socket);
    t.match(message, {
      type: 'transitions',
      dropped: 0,
      lsn: network.core.journal.durableLsn,
      transitions: [
        {
          kind: 'identity',
          id,
          event: 'create',
          from: 'none',
          to: 'enabled',
          actorName: 'admin',
          operation: 'createIdentity',
          causeLsn: 0,
        },
      ],
    });
    await network.create('config-types', { name: 'no machine', schema: {} });
    t.same(await told(network, socket, 800), [], 'nothing of what has no machine');
    const rest = await told(network, socket, 300);
    t.match(rest, [{ transitions: [], dropped: 0, lsn: network.core.journal.durableLsn }]);
    t.equal(network.core.sockets.path, '/edge/management/v1/inspect/stream');
    socket.leave();
  },
);

t.test('after the last has left nothing ticks', async (t) => {
  const { network, attach } = await scene(t);
  const timers = network.clock.timers;
  const socket = await attach();
  const other = await attach();
  t.equal(network.clock.timers, timers + 1);
  socket.leave();
  other.leave();
  t.equal(network.clock.timers, timers);
});

t.test('callers that may not open a stream', async (t) => {
  const { network, ticket } = await scene(t, { limits: { inspectorsMax: 1 } });
  const { sockets } = network.core;
  t.match(upgrade(sockets, ''), { status: 401 });
  t.match(upgrade(sockets, 'ticket=invented'), { status: 401 });
  const used = await ticket();
  const origin = { origin: 'https://evil.example' };
  t.match(upgrade(sockets, `ticket=${used}`, origin), { status: 403, socket: undefined });
  t.match(upgrade(sockets, `ticket=${used}&format=other`), { status: 400, body: /"format"/ });
  t.match(upgrade(sockets, `ticket=${used}`), { status: 401 }, 'used up by the refusal');
  const wrong = upgrade(sockets, `ticket=${await ticket()}&filter=nothing`);
  t.match(wrong, { status: 400, body: /INVALID_FILTER/ });
  const late = await ticket();
  await network.advance(30_000);
  t.match(upgrade(sockets, `ticket=${late}`), { status: 401 });
  const own = { origin: 'https://localhost:1280' };
  t.match(upgrade(sockets, `ticket=${await ticket()}`, own), { status: 101 });
  const one = upgrade(sockets, `ticket=${await ticket()}`);
  t.match(one, { status: 429, body: /RATE_LIMITED.*requestId/ }, 'inspectorsMax');
  const session = network.env.store
    .table(apiSessionKind)
    .findBy('tokenHash', tokenHash(network.admin));
  const after = await ticket();
  await network.must('DELETE', `M:/api-sessions/${session?.record.id}`);
  t.match(upgrade(sockets, `ticket=${after}`), { status: 401 }, 'its session has ended');
});

t.test('filter, pause and resume', async (t) => {
  const { network, attach } = await scene(t);
  const socket = await attach(`&filter=${encodeURIComponent('kind = "router"')}`);
  const other = await attach();
  await network.advance(100);
  await make(network, 'a');
  t.same(await told(network, socket), []);
  t.equal((await told(network, other, 0)).length, 1);
  const wanted = 'kind = "identity" and toState = "enabled"';
  socket.say({ type: 'filter', filter: wanted });
  socket.say({ type: 'pause' });
  await network.advance(100);
  t.match(socket.take<StreamMessage>(), [{ type: 'filtered', filter: wanted }]);
  await make(network, 'b');
  t.same(await told(network, socket, 2000), []);
  socket.say({ type: 'resume' });
  await make(network, 'c');
  const [message] = await told(network, socket);
  t.equal(message?.dropped, 0, 'what was missed in the pause is not counted');
  t.match(message?.transitions, [{ kind: 'identity' }]);
  socket.say({ type: 'filter', filter: 'name = "x"' });
  socket.say('no JSON');
  await network.advance(100);
  const refused = socket.take<StreamMessage>().filter(({ type }) => type === 'refused');
  t.match(refused, [
    { type: 'refused', reason: 'a message must be JSON', filter: undefined },
    { type: 'refused', reason: /name/, filter: 'name = "x"' },
  ]);
  await make(network, 'd');
  t.equal((await told(network, socket)).length, 1, 'the filter before stays');
});

t.test('one new filter is compiled per flush, the newest of each inspector', async (t) => {
  const { network, attach } = await scene(t);
  const sockets = [await attach(), await attach(), await attach()];
  await network.advance(100);
  for (const socket of sockets) socket.take();
  const filtered = () =>
    sockets.map((socket) =>
      socket
        .take<StreamMessage>()
        .flatMap((message) => (message.type === 'filtered' ? [message.filter] : [])),
    );
  for (const [index, socket] of sockets.entries()) {
    socket.say({ type: 'filter', filter: 'never compiled =' });
    socket.say({ type: 'filter', filter: `id = "${index}"` });
  }
  await make(network, 'a');
  t.same(filtered(), [[], [], []], 'nothing before the flush');
  await network.advance(100);
  t.same(filtered(), [['id = "0"'], [], []]);
  sockets[2]?.say({ type: 'filter', filter: 'id = "0"' });
  await network.advance(100);
  t.same(filtered(), [[], ['id = "1"'], ['id = "0"']], 'one that is there waits for nothing');
  sockets[0]?.say({ type: 'filter', filter: 'id = "8"' });
  sockets[1]?.say({ type: 'filter', filter: 'id = "9"' });
  sockets[0]?.leave();
  await network.advance(100);
  t.same(filtered(), [[], ['id = "9"'], []], 'who has left waits no more');
});

t.test(
  'an inspector that waits for a filter gets nothing, and no drop count of the former one',
  async (t) => {
    const { network, attach } = await scene(t, { bounds: { inspectorTransitionsMax: 1 } });
    const socket = await attach();
    const before = await attach();
    await network.advance(100);
    socket.reads = false;
    const limit = network.env.limits.inspectorBufferBytesMax;
    t.intercept(socket, 'bufferedBytes', { value: limit + 1, configurable: true, writable: true });
    await make(network, 'a', 'b', 'c');
    await network.advance(100);
    socket.say({ type: 'filter', filter: 'kind = "identity"' });
    await make(network, 'd');
    await network.advance(100);
    socket.reads = true;
    socket.take();
    Object.defineProperty(socket, 'bufferedBytes', { value: 0 });
    before.say({ type: 'filter', filter: 'kind = "router"' });
    await network.advance(100);
    const types = socket.take<StreamMessage>().map(({ type }) => type);
    t.same(
      types.filter((type) => type === 'filtered'),
      ['filtered'],
    );
    await make(network, 'e', 'f');
    t.match(await told(network, socket), [{ dropped: 1, transitions: { length: 1 } }]);
  },
);

t.test('a message is bounded by bytes, and what does not fit is dropped', async (t) => {
  const { network, attach } = await scene(t);
  const admin = network.env.store.table(identityKind);
  const [row] = [...admin.all()];
  const cause = { actor: row?.record.id ?? '', requestId: '', operation: 'test' };
  network.env.store.transact(cause, (tx) => {
    tx.put(admin, { ...row?.record, name: '\u0001'.repeat(1000) } as never);
  });
  await network.advance(100);
  const socket = await attach();
  socket.take();
  network.env.store.transact(cause, (tx) => {
    for (let n = 0; n < 150; n++) tx.logEvent(['ca', `x${n}`, 'create', 'none', 'unverified']);
  });
  await network.advance(100);
  const texts = socket.received.filter((text) => text.startsWith('{"type":"transitions"'));
  const message = JSON.parse(texts[0] ?? '') as Told;
  t.ok((texts[0]?.length ?? 0) < network.env.limits.inspectorBufferBytesMax + 10_000);
  t.ok(message.transitions.length > 15, String(message.transitions.length));
  t.equal(message.transitions.length + message.dropped, 150);
});

t.test('inspectorMessagesMax: an inspector that sends too much is closed', async (t) => {
  const { network, attach } = await scene(t, { bounds: { inspectorMessagesMax: 3 } });
  const socket = await attach();
  for (let second = 0; second < 3; second++) {
    for (let n = 0; n < 3; n++) socket.say({ type: 'resume' });
    await network.advance(1100);
  }
  t.ok(socket.isOpen);
  for (let n = 0; n < 4; n++) socket.say('wrong');
  t.match(socket.closedWith, { code: 1008, reason: 'too many messages' });
});

t.test('a slow reader is told less, and how much less', async (t) => {
  const { network, attach } = await scene(t, { limits: { inspectorBufferBytesMax: 1024 } });
  const slow = await attach();
  const quick = await attach();
  slow.reads = false;
  for (let n = 0; n < 30; n++) {
    await make(network, `n${n}`);
    await network.advance(100);
  }
  t.ok(slow.bufferedBytes < 4096, String(slow.bufferedBytes));
  const all = (await told(network, quick, 0)).flatMap(({ transitions }) => transitions);
  t.equal(all.length, 30, 'others are told all');
  slow.reads = true;
  await make(network, 'last');
  const messages = await told(network, slow);
  const count = messages.flatMap(({ transitions }) => transitions).length;
  const dropped = messages.reduce((sum, message) => sum + message.dropped, 0);
  t.equal(count + dropped, 31, 'nothing is missing in the count');
  t.ok(dropped > 20);
  slow.reads = false;
  for (let n = 0; n < 30; n++) {
    await make(network, `m${n}`);
    await network.advance(100);
  }
  slow.take();
  slow.reads = true;
  const later = await told(network, slow, 1100);
  t.ok(
    later.some((message) => message.dropped > 0),
    'also where nothing more happens',
  );
});

t.test('inspectorTransitionsMax and inspectorSendsMax: a message holds no more', async (t) => {
  const { network, attach } = await scene(t, {
    bounds: { inspectorTransitionsMax: 3, inspectorSendsMax: 100 },
  });
  const socket = await attach();
  await make(network, 'a', 'b', 'c', 'd', 'e');
  const [message] = await told(network, socket);
  t.match(message, { dropped: 2, transitions: { length: 3 } });
  const many = await Promise.all(Array.from({ length: 49 }, () => attach()));
  await make(network, 'f', 'g', 'h');
  t.match(await told(network, socket), [{ dropped: 1, transitions: { length: 2 } }]);
  for (const other of many) other.leave();
});

t.test('what is not durable is not told', async (t) => {
  const { network, attach } = await scene(t);
  const socket = await attach();
  socket.take();
  const { store } = network.env;
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  store.transact(cause, (tx) => tx.logEvent(['ca', 'x', 'create', 'none', 'unverified']));
  const lsn = network.core.journal.lastLsn;
  t.ok(network.core.journal.durableLsn < lsn);
  const [message] = await told(network, socket);
  t.equal(message?.transitions[0]?.lsn, lsn, 'told when it is');
});

t.test('the stream ends with the session that it belongs to', async (t) => {
  const { network, attach } = await scene(t);
  const users = ['logged-out', 'disabled', 'demoted', 'deleted', 'factor'];
  const ids = new Map<string, string>();
  const sockets = new Map<string, SimulatedSocket>();
  const tokens = new Map<string, string>();
  for (const name of users) {
    ids.set(name, await network.createUser(name, 'secret-secret', { isAdmin: true }));
    const token = await network.login(name, 'secret-secret');
    tokens.set(name, token);
    sockets.set(name, await attach('', token));
  }
  const admin = await attach();
  const ends = async (name: string) => {
    t.ok(sockets.get(name)?.isOpen, `${name} before`);
    await network.advance(100);
    t.match(sockets.get(name)?.closedWith, { code: 1008 }, name);
  };
  await network.call('DELETE', 'C:/current-api-session', { token: tokens.get('logged-out') ?? '' });
  await ends('logged-out');
  const path = (name: string) => `M:/identities/${ids.get(name)}`;
  await network.must('POST', `${path('disabled')}/disable`, { durationMinutes: 0 });
  await ends('disabled');
  await network.must('PATCH', path('demoted'), { isAdmin: false });
  await ends('demoted');
  await network.must('DELETE', path('deleted'));
  await ends('deleted');
  const primary = {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 0,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    },
  };
  const secondary = { requireTotp: true, requireExtJwtSigner: null };
  const authPolicyId = await network.create('auth-policies', { name: 'two', primary, secondary });
  await network.must('PATCH', path('factor'), { authPolicyId });
  await ends('factor');
  t.ok(admin.isOpen);
  await network.advance(31 * 60_000);
  t.match(admin.closedWith, { code: 1008 }, 'looking on is no use of a session');
});

t.test('all secrets of a furnished network stay where they are', async (t) => {
  const { network, attach } = await scene(t);
  const socket = await attach();
  const other = await attach('&format=stately');
  const identityId = await network.createUser('somebody', 'secret-secret');
  const token = await network.login('somebody', 'secret-secret');
  await network.create('enrollments', {
    identityId,
    method: 'ott',
    expiresAt: '2026-02-01T00:00:00Z',
  });
  await network.call('POST', 'C:/current-identity/mfa', { token });
  await network.advance(1100);
  const text = [...socket.received, ...other.received].join('\n');
  t.ok(text.includes('mfaEnrollment') && text.includes('enrollment'));
  const { store } = network.env;
  const secrets = [token, network.admin, 'secret-secret'];
  for (const row of store.table(enrollmentKind).all()) {
    const { token } = row.record as unknown as { token: string };
    secrets.push(token);
  }
  for (const secret of secrets) t.notOk(text.includes(secret));
});
