// A log that is slow, stalled and writable again, as callers see it: the read fence, 503, and no
// lost write.

import t from 'tap';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { sessionKind } from '../../src/records/session.ts';
import { type InjectedAnswer, inject } from '../simulated/inject.ts';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

t.test('an answer waits for what it read, and for nothing else', async (t) => {
  const network = await bootNetwork();
  const { core, admin } = network;
  const headers = { 'zt-session': admin };
  const order: string[] = [];
  const note = (name: string) => (answer: InjectedAnswer) => {
    order.push(`${name} ${answer.status}`);
    return answer;
  };
  const base = '/edge/management/v1';
  // Nothing turns the event loop of the simulated clock, so the log is written when told.
  const write = inject(core.handler, {
    method: 'POST',
    url: `${base}/identities`,
    headers,
    body: identity('new'),
  }).then(note('write'));
  const list = inject(core.handler, { method: 'GET', url: `${base}/identities`, headers });
  const miss = inject(core.handler, { method: 'GET', url: `${base}/identities/none`, headers });
  const other = inject(core.handler, { method: 'GET', url: `${base}/services`, headers });
  const held = [list.then(note('list')), miss.then(note('miss'))];
  await other.then(note('other'));
  t.same(order, ['other 200'], 'services do not rest on the new identity');
  t.ok(core.journal.durableLsn < core.journal.lastLsn, 'the write is not durable yet');
  await core.journal.flush();
  await Promise.all([write, ...held]);
  t.same(order.slice(1).sort(), ['list 200', 'miss 404', 'write 201']);
  await network.stop();
});

t.test('a full disk: writes are refused, reads go on, service resumes by itself', async (t) => {
  const network = await bootNetwork();
  const before = await network.create('identities', identity('before'));
  network.disk.fill();
  const { core, admin } = network;
  const pending = inject(core.handler, {
    method: 'POST',
    url: '/edge/management/v1/identities',
    headers: { 'zt-session': admin },
    body: identity('in-doubt'),
  });
  await network.advance(200);
  t.equal(core.journal.health.state, 'stalled');
  const refused = await network.call('POST', 'M:/identities', { body: identity('refused') });
  t.match(refused, { status: 503, code: 'STORAGE_UNAVAILABLE' });
  const read = await network.call('GET', `M:/identities/${before}`);
  t.equal(read.status, 200, 'what is durable can be read');
  await network.advance(12_000);
  const doubtful = await pending;
  t.equal(doubtful.status, 503);
  t.match(doubtful.json(), { error: { code: 'OUTCOME_UNKNOWN' } });
  network.disk.free();
  await network.advance(5_000);
  t.equal(core.journal.health.state, 'writable');
  await network.create('identities', identity('after'));
  await network.crash();
  await network.logInAdmin();
  const names = (await network.must<{ name: string }[]>('GET', 'M:/identities?limit=100')).map(
    ({ name }) => name,
  );
  t.ok(names.includes('before') && names.includes('after'), 'nothing acknowledged is lost');
  t.notOk(names.includes('refused'), 'what was refused did not happen');
  t.ok(names.includes('in-doubt'), 'what was in doubt was written in the end');
  await network.stop();
});

t.test('a full disk: what is due waits, and is not logged for each API session', async (t) => {
  const network = await bootNetwork();
  const { core } = network;
  await network.createUser('user', 'password of user');
  const tokens: string[] = [];
  for (let n = 0; n < 20; n += 1) tokens.push(await network.login('user', 'password of user'));
  network.disk.fill();
  // A write makes the log notice it.
  void network.call('POST', 'M:/identities', { body: identity('in-doubt') });
  await network.advance(200);
  t.equal(core.journal.health.state, 'stalled');
  const before = network.logged.length;
  await network.advance(40 * 60_000);
  const sessions = network.env.store.table(apiSessionKind);
  t.ok(sessions.size >= tokens.length, 'they are still there');
  t.notMatch(network.logged.slice(before).join(''), /a deadline could not/);
  network.disk.free();
  await network.advance(10_000);
  t.equal(core.journal.health.state, 'writable');
  t.equal(sessions.size, 0);
  await network.stop();
});

t.test(
  'a disk without space for another segment: what is left is for administrators',
  async (t) => {
    const network = await bootNetwork({ limits: { segmentBytes: 8 * 1_048_576 } });
    const { core, disk } = network;
    await network.createUser('ordinary', 'password');
    const configTypeId = await network.create('config-types', { name: 'notes' });
    const config = (name: string) => ({ name, configTypeId, data: { note: 'x'.repeat(200_000) } });
    disk.fill('blocks');
    const created: string[] = [];
    let answer = await network.call('POST', 'M:/configs', { body: config('c0') });
    for (let n = 1; answer.status === 201 && n < 100; n++) {
      created.push((answer.data as { id: string }).id);
      answer = await network.call('POST', 'M:/configs', { body: config(`c${n}`) });
    }
    t.match(answer, { status: 429, code: 'STORAGE_LIMIT_REACHED' });
    t.strictSame(core.journal.health, { state: 'writable', isShort: true });
    t.equal(core.journal.durableLsn, core.journal.lastLsn, 'nothing is in doubt');
    const body = { username: 'ordinary', password: 'password' };
    const login = await network.call('POST', 'C:/authenticate?method=password', {
      body,
      token: '',
    });
    t.match(login, { status: 429, code: 'STORAGE_LIMIT_REACHED' });
    await network.logInAdmin();
    await network.must('GET', 'M:/inspect/machines');
    await network.must('DELETE', `M:/configs/${created[0]}`);
    await network.advance(10_000);
    t.match(core.journal.health, { isShort: true }, 'deletions free nothing at once');
    disk.free();
    await network.advance(500);
    t.strictSame(core.journal.health, { state: 'writable' });
    await network.must('POST', 'M:/configs', config('after'));
    await network.crash();
    await network.logInAdmin();
    await network.stop();
  },
);

t.test('too many passwords at once: 429, and the rest are answered', async (t) => {
  const network = await bootNetwork({ limits: { authenticationsWaitingMax: 1 } });
  network.hasher.hold();
  const login = () =>
    inject(network.core.handler, {
      method: 'POST',
      url: '/edge/client/v1/authenticate?method=password',
      body: { username: adminUser, password: adminPassword },
    });
  const many = Array.from({ length: 40 }, login);
  const settled: number[] = [];
  for (const one of many) void one.then(({ status }) => settled.push(status));
  await network.advance(10);
  t.ok(settled.length > 0 && settled.every((status) => status === 429), 'refused at once');
  network.hasher.release();
  const statuses = [];
  for (let i = 0; i < 50 && settled.length < 40; i++) await network.advance(10);
  for (const status of settled) statuses.push(status);
  t.equal(statuses.length, 40);
  t.ok(statuses.includes(200), 'those admitted are logged in');
  await network.stop();
});

t.test('sessions whose end met a full disk end once it is free', async (t) => {
  const network = await bootNetwork({ bounds: { cascadeRowsMax: 5 } });
  await network.createUser('alice', 'alice-password');
  await network.create('edge-routers', { name: 'edge-1' });
  const all = { semantic: 'AnyOf', name: 'all' };
  const [everybody, everything] = [{ identityRoles: ['#all'] }, { serviceRoles: ['#all'] }];
  const routers = { edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', { ...all, ...everybody, ...routers });
  await network.create('service-edge-router-policies', { ...all, ...everything, ...routers });
  const policy = await network.create('service-policies', {
    ...all,
    ...everybody,
    ...everything,
    type: 'Dial',
  });
  const serviceId = await network.create('services', { name: 'printer', encryptionRequired: true });
  for (let i = 0; i < 40; i++) {
    const token = await network.login('alice', 'alice-password');
    await network.must('POST', 'C:/sessions', { serviceId, type: 'Dial' }, token);
  }
  const rows = () => network.env.store.table(sessionKind).size;
  t.equal(rows(), 40);
  await network.must('DELETE', `M:/service-policies/${policy}`);
  network.disk.fill();
  // Long enough for a slice or two to be refused, too short for all of them.
  await network.advance(500);
  t.equal(network.core.journal.health.state, 'stalled');
  t.ok(rows() > 0, 'some are left to end');
  t.equal(network.env.store.table(sessionKind).count(), 0, 'and no reader sees them');
  network.disk.free();
  await network.advance(10_000);
  t.equal(rows(), 0);
  t.equal(network.env.store.deferredCascades.isOpen, false);
  await network.stop();
});
