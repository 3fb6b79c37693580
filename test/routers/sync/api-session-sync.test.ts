// Routers learn of the API sessions that may use them (behaviour/control-channel#api-session-sync).

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import { run } from '../../integrity/scene.ts';
import { password, SyncedNetwork, syncStateOf, told } from './synced-network.ts';

t.test('a greeted router gets the API sessions of identities that may use it', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#west');
  const anna = await synced.user('anna', ['here']);
  await synced.user('else', ['there']);
  const west = await synced.router('west', ['west']);
  const [message] = west.channel.sent;
  const body = message?.body ?? Buffer.alloc(0);
  const { apiSessions, isFullState } = edge.ApiSessionAdded.decode(body);
  t.ok(isFullState);
  t.match(apiSessions, [
    { token: anna.token, id: anna.apiSessionId, identityId: anna.id, certFingerprints: [] },
  ]);
  t.strictSame(told(west), [`full 0 last ${anna.token}`]);
  const other = await synced.router('other', ['east']);
  t.strictSame(told(other), ['full 0 last'], 'an empty state is said, too');
  t.strictSame(synced.status, ['west in progress', 'west done', 'other in progress', 'other done']);
  await synced.network.stop();
});

t.test('a router that was not greeted gets nothing, and none of a lost connection', async (t) => {
  const synced = await SyncedNetwork.boot();
  const id = await synced.network.create('edge-routers', { name: 'r' });
  const router = await synced.connect(id);
  told(router);
  synced.disconnect(router);
  synced.feature.disconnected?.(router);
  await synced.allow('#all', '#all');
  await synced.user('anna', []);
  t.strictSame(told(router), []);
  await synced.network.stop();
});

t.test('of one connection after the other, the newest one is told', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#all', '#all');
  const former = await synced.router('r');
  told(former);
  const newest = await synced.connect(former.id);
  synced.feature.disconnected?.(former);
  told(newest);
  const anna = await synced.user('anna', []);
  t.strictSame(told(former), []);
  t.strictSame(told(newest), [`added ${anna.token}`]);
  await synced.network.stop();
});

t.test('full states are chunks of a hundred, the last one marked, of any number', async (t) => {
  const synced = await SyncedNetwork.boot({ freeze: false });
  await synced.allow('#here', '#all');
  await synced.network.createUser('anna', password, { roleAttributes: ['here'] });
  const router = await synced.router('r');
  told(router);
  for (const [total, sizes] of [
    [99, ['full 0 last 99']],
    [100, ['full 0 last 100']],
    [101, ['full 0 100', 'full 1 last 1']],
    [200, ['full 0 100', 'full 1 last 100']],
  ] as const) {
    const { size } = synced.network.env.store.tableNamed('apiSession');
    for (let at = size - 1; at < total; at++) await synced.login('anna');
    const again = await synced.connect(router.id);
    const ids = again.channel.sent.map(({ headers }) => syncStateOf(headers).id);
    t.equal(new Set(ids).size, 1, 'all of one sync');
    const shown = told(again).map((text) => {
      const words = text.split(' ');
      const tokens = words.filter((word) => word.length > 30);
      return [...words.filter((word) => word.length <= 30), tokens.length].join(' ');
    });
    t.strictSame(shown, sizes);
  }
  await synced.network.stop();
});

t.test('a login is announced when it is durable, before its answer', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#all', '#all');
  await synced.network.createUser('anna', password);
  const router = await synced.router('r');
  told(router);
  const { durable } = synced.context;
  const announced: string[] = [];
  const send = router.channel.send.bind(router.channel);
  router.channel.send = (message) => {
    announced.push(`sent at ${durable.lsn >= synced.network.core.journal.durableLsn}`);
    send(message);
  };
  let created = 0;
  synced.network.env.store.follow(({ lsn, changes }) => {
    if (!changes.some(({ table }) => table.kind === 'apiSession')) return;
    created = lsn;
    announced.push(durable.lsn < lsn ? 'created' : 'durable already');
    durable.when(lsn, () => {
      const { sent, flushed } = router.channel;
      announced.push(sent.length === flushed ? 'answered' : 'answered too early');
    });
  });
  const { token } = await synced.login('anna');
  t.ok(durable.lsn >= created);
  t.strictSame(announced, ['created', 'sent at true', 'answered']);
  t.strictSame(told(router), [`added ${token}`]);
  await synced.network.stop();
});

t.test('logins of one turn are one message, encoded once for all routers', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#all', '#all');
  await synced.network.createUser('anna', password);
  await synced.network.createUser('bert', password);
  const routers = [await synced.router('r1'), await synced.router('r2')];
  for (const router of routers) told(router);
  const logins = await Promise.all(['anna', 'bert'].map((name) => synced.login(name)));
  const bodies = routers.map(({ channel }) => channel.sent.map(({ body }) => body));
  t.equal(bodies[0]?.[0], bodies[1]?.[0], 'the same buffer');
  const tokens = logins.map(({ token }) => token).sort();
  const all = routers.map((router) => told(router).flatMap((text) => text.split(' ')));
  for (const words of all) {
    t.strictSame(words.filter((word) => word !== 'added').sort(), tokens);
  }
  await synced.network.stop();
});

t.test('what ends an API session leaves at once', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#west');
  const [west, east] = [await synced.router('w', ['west']), await synced.router('e', ['east'])];
  const users = [];
  for (const name of ['anna', 'bert', 'carl']) users.push(await synced.user(name, ['here']));
  const [anna, bert, carl] = users;
  if (anna === undefined || bert === undefined || carl === undefined) throw new Error('users');
  told(west);
  told(east);
  await synced.network.must('DELETE', 'C:/current-api-session', undefined, anna.token);
  t.strictSame(told(west), [`removed ${anna.token}`]);
  await synced.network.must('DELETE', `M:/identities/${bert.id}`);
  t.strictSame(told(west), [`removed ${bert.token}`]);
  await synced.network.must('POST', `M:/identities/${carl.id}/disable`, { durationMinutes: 0 });
  t.strictSame(told(west), [`removed ${carl.token}`]);
  t.strictSame(told(east), [], 'a router that they may not use is not told');
  const next = await synced.connect(west.id);
  t.strictSame(told(next), ['full 0 last']);
  await synced.network.stop();
});

t.test('an API session that was idle too long is taken', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  const anna = await synced.user('anna', ['here']);
  const router = await synced.router('r');
  told(router);
  await synced.network.advance(40 * 60_000);
  t.strictSame(told(router), [`removed ${anna.token}`]);
  await synced.network.stop();
});

t.test('policies give and take API sessions of routers', async (t) => {
  const synced = await SyncedNetwork.boot();
  const router = await synced.router('r', ['west']);
  const anna = await synced.user('anna', ['here']);
  t.strictSame(told(router), ['full 0 last']);
  const policy = await synced.allow('#here', '#west');
  await synced.settle();
  t.strictSame(told(router), [`added ${anna.token}`], 'a new policy');
  const path = `M:/edge-router-policies/${policy}`;
  await synced.network.must('PATCH', path, { edgeRouterRoles: ['#east'] });
  await synced.settle();
  t.strictSame(told(router), [`removed ${anna.token}`], 'other routers');
  await synced.network.must('PATCH', path, { edgeRouterRoles: ['#west'] });
  await synced.settle();
  t.strictSame(told(router), [`added ${anna.token}`]);
  await synced.network.must('PATCH', path, { identityRoles: ['#there'] });
  await synced.settle();
  t.strictSame(told(router), [`removed ${anna.token}`], 'other identities');
  await synced.network.must('PATCH', `M:/identities/${anna.id}`, { roleAttributes: ['there'] });
  await synced.settle();
  t.strictSame(told(router), [`added ${anna.token}`], 'attributes of the identity');
  await synced.network.must('PATCH', `M:/edge-routers/${router.id}`, { roleAttributes: ['east'] });
  await synced.settle();
  t.strictSame(told(router), [`removed ${anna.token}`], 'attributes of the router');
  await synced.network.must('PATCH', `M:/edge-routers/${router.id}`, { roleAttributes: ['west'] });
  await synced.settle();
  told(router);
  await synced.network.must('PATCH', path, { name: 'another' });
  await synced.settle();
  t.strictSame(told(router), [], 'a name gives nothing');
  await synced.allow('#all', '#west');
  await synced.settle();
  const all = told(router).join(' ');
  t.notMatch(all, anna.token, 'a second policy gives nothing twice');
  t.match(all, synced.network.admin);
  await synced.network.must('DELETE', path);
  await synced.settle();
  t.strictSame(told(router), []);
  await synced.network.stop();
});

t.test('a router that asks gets everything again under a greater id', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  const anna = await synced.user('anna', ['here']);
  const router = await synced.router('r');
  const before = syncStateOf(router.channel.sent[0]?.headers).id;
  told(router);
  const reason = encodeMessage(edge.RequestClientReSync, { reason: 'a test' });
  for (let times = 0; times < 5; times++) {
    synced.receive(router, contentTypes.requestClientReSync, reason);
  }
  await synced.settle();
  t.strictSame(told(router), [], 'not more often than once per second');
  await synced.network.advance(1000);
  const after = syncStateOf(router.channel.sent[0]?.headers).id;
  t.ok(after > before);
  t.strictSame(told(router), [`full 0 last ${anna.token}`]);
  const steps = ['in progress', 'done', 'resync', 'in progress', 'done'];
  t.strictSame(
    synced.status,
    steps.map((step) => `r ${step}`),
  );
  await synced.network.stop();
});

t.test('partial API sessions are not told, until their last factor is given', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  const anna = await synced.user('anna', ['here']);
  const { store } = synced.network.env;
  const table = store.tableNamed('apiSession');
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  const become = (state: string) =>
    store.transact(cause, (tx) => {
      const record = table.peek(anna.apiSessionId)?.record;
      if (record !== undefined) tx.put(table, { ...record, state } as typeof record);
    });
  become('partial');
  const router = await synced.router('r');
  t.strictSame(told(router), ['full 0 last']);
  become('full');
  await synced.settle();
  t.strictSame(told(router), [`added ${anna.token}`]);
  become('partial');
  t.strictSame(told(router), [`removed ${anna.token}`]);
  await synced.network.stop();
});

t.test('routers learn what is right when an integrity run rebuilds access', async (t) => {
  const synced = await SyncedNetwork.boot();
  const { network } = synced;
  await synced.allow('#here', '#west');
  const anna = await synced.user('anna', ['here']);
  const east = await network.create('edge-routers', { name: 'e', roleAttributes: ['east'] });
  const west = await network.create('edge-routers', { name: 'w', roleAttributes: ['west'] });
  // Access takes each for the other, behind the store's back.
  const { access, store } = network.env;
  for (const [id, is, seems] of [
    [east, 'east', 'west'],
    [west, 'west', 'east'],
  ] as const) {
    const slot = store.tableNamed('router').peek(id)?.slot ?? -1;
    access.changeMember('router', slot, id, [is], [seems]);
  }
  const wrong = await synced.connect(east);
  const right = await synced.connect(west);
  t.strictSame(told(wrong), [`full 0 last ${anna.token}`]);
  t.strictSame(told(right), ['full 0 last']);
  await run(network, true);
  await synced.settle();
  t.strictSame(told(wrong), [`removed ${anna.token}`]);
  t.strictSame(told(right), [`added ${anna.token}`]);
  network.logged.length = 0;
  await network.stop();
});
