// One frame of the log with what followed from it, the history of a record with its changes, and
// the last transitions of all instances.

import t from 'tap';
import type {
  FrameView,
  MachineView,
  RecentTransitions,
  TransitionPage,
} from '../../src/inspect/messages.ts';
import { flushed, furnishedNetwork, look, secretsOf } from '../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const historyOf = (network: Network, kind: string, id: string, more = '') =>
  network.must<TransitionPage>(
    'GET',
    `M:/inspect/machines/${kind}/instances/${id}/transitions${more}`,
  );
const frameAt = (network: Network, lsn: number, more = '') =>
  network.must<FrameView>('GET', `M:/inspect/log/${lsn}${more}`);
const recent = (network: Network, more = '') =>
  network.must<RecentTransitions>('GET', `M:/inspect/transitions${more}`);

t.test('the PATCH that opened a service is in its history', async (t) => {
  const network = await bootNetwork();
  const id = await network.create('services', { name: 'vault', encryptionRequired: true });
  await network.must('PATCH', `M:/services/${id}`, { roleAttributes: ['everybody'] });
  const { transitions, changes } = await historyOf(network, 'service', id);
  t.same(transitions, [], 'a service has no machine');
  t.match(changes, [
    {
      change: 'updated',
      actorName: 'admin',
      operation: 'patchService',
      requestId: /^\S{10}$/,
      fields: { roleAttributes: { before: null, after: ['everybody'] } },
    },
    { change: 'created', operation: 'createService', fields: { name: { after: 'vault' } } },
  ]);
  t.notOk('encryptionRequired' in (changes[0]?.fields ?? {}), 'only what differs');
  await network.stop();
});

t.test('the machines say which records no frame holds', async (t) => {
  const network = await bootNetwork();
  const machines = await network.must<MachineView[]>('GET', 'M:/inspect/machines');
  const volatile = machines.filter(({ isLive, isVolatile }) => isVolatile && !isLive);
  t.same(volatile.map(({ id }) => id).sort(), ['authRequest', 'circuit', 'link', 'routerPresence']);
  t.ok(machines.filter(({ isLive }) => isLive).every(({ isVolatile }) => isVolatile));
  await network.stop();
});

t.test('changes stand beside transitions, page by page', async (t) => {
  const network = await bootNetwork();
  const id = await network.createUser('berta', 'bertas-password');
  await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 5 });
  for (const tag of ['one', 'two', 'three']) {
    await network.must('PATCH', `M:/identities/${id}`, { tags: { tag } });
  }
  await network.must('DELETE', `M:/identities/${id}`);
  const whole = await historyOf(network, 'identity', id);
  t.same(
    whole.changes.map(({ change }) => change),
    ['deleted', 'updated', 'updated', 'updated', 'updated', 'created'],
  );
  t.same(
    whole.transitions.map(({ event }) => event),
    ['remove', 'disable', 'create'],
  );
  const lsns: number[] = [];
  let more = '?limit=2';
  for (let hasMore = true; hasMore; ) {
    const page = await historyOf(network, 'identity', id, more);
    t.ok(page.changes.length <= 2, 'a change without a transition is a row');
    lsns.push(...page.changes.map(({ lsn }) => lsn));
    hasMore = page.hasMore;
    more = `?limit=2&beforeLsn=${page.nextBeforeLsn}`;
  }
  t.same(
    lsns,
    whole.changes.map(({ lsn }) => lsn),
  );
  await network.stop();
});

t.test('a frame says who, which request, what changed, and what followed', async (t) => {
  const network = await bootNetwork({ bounds: { cascadeRowsMax: 2 } });
  const id = await network.createUser('berta', 'bertas-password');
  for (let i = 0; i < 5; i++) await network.login('berta', 'bertas-password');
  await network.must('DELETE', `M:/identities/${id}`);
  await network.advance(1000);
  const [gone] = (await historyOf(network, 'identity', id)).changes;
  const frame = await frameAt(network, gone?.lsn ?? 0);
  t.match(frame, {
    lsn: gone?.lsn,
    operation: 'deleteIdentity',
    actorName: 'admin',
    requestId: /^\S{10}$/,
    causeLsn: 0,
    transitions: [{ kind: 'identity', id, event: 'remove', to: 'deleted' }],
  });
  t.match(
    frame.changes.find(({ kind }) => kind === 'identity'),
    { id, name: 'berta', change: 'deleted', fields: { name: { before: 'berta' } } },
  );
  t.ok(frame.followers.length > 0, 'its sessions ended later');
  const [follower] = frame.followers;
  t.match(await frameAt(network, follower?.lsn ?? 0), { causeLsn: gone?.lsn, followers: [] });
  t.equal(frame.hasMore, false);
  t.equal(frame.followersUntilLsn, frame.lastLsn);
  const later = await frameAt(network, gone?.lsn ?? 0, `?afterLsn=${follower?.lsn}`);
  t.same(later.followers, frame.followers.slice(1));
  await network.stop();
});

t.test('logReadHistoryFramesMax bounds the search for what followed', async (t) => {
  const network = await bootNetwork({ bounds: { logReadHistoryFramesMax: 2 } });
  for (let i = 0; i < 6; i++) await network.create('routers', { name: `router ${i}` });
  const frame = await frameAt(network, 1);
  t.match(frame, { followers: [], followersUntilLsn: 3, hasMore: true });
  const more = await frameAt(network, 1, '?afterLsn=3');
  t.match(more, { followersUntilLsn: 5, hasMore: true });
  await network.stop();
});

t.test('logReadChangesMax bounds what is told of a frame, and all is counted', async (t) => {
  const network = await bootNetwork({ bounds: { logReadChangesMax: 2 } });
  const id = await network.createUser('berta', 'bertas-password');
  for (let i = 0; i < 5; i++) await network.login('berta', 'bertas-password');
  await network.must('DELETE', `M:/identities/${id}`);
  const [gone] = (await historyOf(network, 'identity', id)).changes;
  const frame = await frameAt(network, gone?.lsn ?? 0);
  t.equal(frame.changes.length, 2);
  t.equal(frame.transitions.length, 2);
  t.ok(frame.changesTotal >= 7 && frame.transitionsTotal >= 7);
  await network.stop();
});

t.test('a frame that changes nothing, and one that is not there', async (t) => {
  const network = await bootNetwork();
  await network.restart();
  await network.logInAdmin();
  await flushed(network);
  const { lines } = await look(network.disk, ['log']);
  const seal = lines.map((line) => JSON.parse(line)).find(({ operation }) => operation === 'seal');
  t.match(await frameAt(network, seal.lsn), { operation: 'seal', actor: '', changes: [] });
  for (const lsn of ['0', '999999', 'x', '-1', '1e3']) {
    t.match(await network.call('GET', `M:/inspect/log/${lsn}`), { status: 404 }, lsn);
  }
  t.match(await network.call('GET', 'M:/inspect/log/1?afterLsn=x'), { status: 400 });
  await network.stop();
});

t.test('no secret is in any frame or history', async (t) => {
  const network = await furnishedNetwork();
  const secrets = secretsOf(network);
  t.ok(secrets.length >= 8);
  const { lastLsn } = await frameAt(network, 1);
  let told = '';
  for (let lsn = 1; lsn <= lastLsn; lsn++) {
    told += (await network.call('GET', `M:/inspect/log/${lsn}`)).body.toString();
  }
  t.match(told, /"passwordHash":\{"after":"\*{6}"\}/, 'what is there is masked');
  for (const secret of [...secrets, network.admin]) {
    t.notOk(told.includes(JSON.stringify(secret).slice(1, -1)), 'a secret');
  }
  await network.stop();
});

t.test('the last transitions, newest first, filtered like the stream', async (t) => {
  const network = await bootNetwork({ bounds: { logReadRecentFramesMax: 3 } });
  for (let i = 0; i < 230; i++) await network.create('routers', { name: `router ${i}` });
  const all = await recent(network);
  t.equal(all.transitions.length, 200);
  const lsns = all.transitions.map(({ lsn }) => lsn);
  t.same(
    lsns,
    lsns.toSorted((a, b) => b - a),
  );
  const last = await network.create('routers', { name: 'the last' });
  const [newest] = (await recent(network, '?limit=1')).transitions;
  t.match(newest, { kind: 'enrollment', event: 'create', actorName: 'admin' });
  const filter = encodeURIComponent(`kind = "router" and id = "${last}"`);
  t.match(await recent(network, `?filter=${filter}`), {
    transitions: [{ id: last, event: 'create' }],
    fromLsn: 1,
  });
  const named = encodeURIComponent('kind = "router" and actorName = "admin"');
  t.equal((await recent(network, `?filter=${named}&limit=5`)).transitions.length, 5);
  t.match(await network.call('GET', 'M:/inspect/transitions?filter=nix%20%3D%201'), {
    status: 400,
    code: 'INVALID_FILTER',
  });
  await network.stop();
});

t.test('transitions that a filter had no steps left for are counted', async (t) => {
  const network = await bootNetwork({ limits: { filterStepsMax: 1000 } });
  for (let i = 0; i < 30; i++) await network.create('routers', { name: `router ${i}` });
  const chain = Array.from({ length: 50 }, (_, index) => `id = "${index}"`).join(' or ');
  const of = async (filter: string) => recent(network, `?filter=${encodeURIComponent(filter)}`);
  const short = await of('kind = "router"');
  t.match(short, { dropped: 0 });
  t.equal(short.transitions.length, 30);
  const long = await of(`${chain} or kind = "router"`);
  t.ok(long.transitions.length < 30);
  t.ok(long.dropped > 0, `${long.dropped} dropped`);
  await network.stop();
});
