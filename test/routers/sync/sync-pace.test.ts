// Full states to many routers, and to routers that take nothing.

import t from 'tap';
import { type RecordedRouter, recordedRouter } from '../../simulated/routers.ts';
import { password, SyncedNetwork, syncStateOf, told } from './synced-network.ts';

const mebibyte = 1024 * 1024;

t.test('a router that does not drain gets everything again when it has', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  const router = await synced.router('r');
  told(router);
  router.channel.unsentBytes = 2 * mebibyte;
  const anna = await synced.user('anna', ['here']);
  const bert = await synced.user('bert', ['here']);
  t.strictSame(told(router), [], 'additions are not queued');
  t.strictSame(synced.status.slice(2), ['r resync']);
  await synced.network.must('DELETE', 'C:/current-api-session', undefined, bert.token);
  t.strictSame(told(router), [`removed ${bert.token}`], 'what takes access is');
  await synced.network.advance(5000);
  t.strictSame(told(router), []);
  router.channel.unsentBytes = 0;
  await synced.settle();
  t.strictSame(told(router), [`full 0 last ${anna.token}`]);
  t.strictSame(synced.status.slice(3), ['r in progress', 'r done']);
  await synced.network.stop();
});

/** A router of which nothing leaves but what a test takes. */
function stuckRouter(id: string): RecordedRouter {
  const router = recordedRouter(id);
  const { sent } = router.channel;
  const bytes = () => sent.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
  Object.defineProperty(router.channel, 'unsentBytes', { get: bytes });
  return router;
}

t.test('full states wait for each other, and pass by routers that are stuck', async (t) => {
  const bounds = { syncBytesMax: 15_000, syncRouterBytesMax: 5000 };
  const synced = await SyncedNetwork.boot({ freeze: false, bounds });
  await synced.allow('#here', '#all');
  await synced.network.createUser('anna', password, { roleAttributes: ['here'] });
  for (let count = 0; count < 150; count++) await synced.login('anna');
  const routers: RecordedRouter[] = [];
  for (const name of ['r1', 'r2', 'r3', 'r4']) {
    routers.push(stuckRouter(await synced.network.create('edge-routers', { name })));
  }
  for (const router of routers) await synced.connect(router.id, router);
  const counts = () => routers.map(({ channel }) => channel.sent.length);
  t.strictSame(counts(), [1, 1, 0, 0], 'as much as may be unsent');
  const bodies = routers.map(({ channel }) => channel.sent[0]?.body);
  t.equal(bodies[0], bodies[1], 'the same buffer');
  await synced.network.advance(1100);
  t.strictSame(counts(), [1, 1, 1, 1], 'the first two no longer count');
  const [first] = routers;
  if (first === undefined) throw new Error('there are routers');
  const { id } = syncStateOf(first.channel.sent[0]?.headers);
  told(first);
  await synced.network.advance(1100);
  t.match(syncStateOf(first.channel.sent[0]?.headers), { id, sequence: 1, isLast: true });
  t.strictSame(counts(), [1, 1, 1, 1], 'it goes on where it was');
  for (const router of routers) synced.disconnect(router);
  await synced.settle();
  t.strictSame(counts(), [1, 1, 1, 1], 'and ends with the connections');
  await synced.network.stop();
});

t.test('a policy that changes while a full state is sent begins it again', async (t) => {
  const bounds = { syncRouterBytesMax: 1000 };
  const synced = await SyncedNetwork.boot({ freeze: false, bounds });
  await synced.allow('#here', '#west');
  await synced.network.createUser('anna', password, { roleAttributes: ['here'] });
  const bert = await synced.user('bert', ['there']);
  for (let count = 0; count < 150; count++) await synced.login('anna');
  const id = await synced.network.create('edge-routers', { name: 'r', roleAttributes: ['west'] });
  const router = await synced.connect(id, stuckRouter(id));
  const [before] = router.channel.sent;
  await synced.allow('#there', '#west');
  await synced.settle();
  told(router);
  await synced.network.advance(1100);
  const [after] = router.channel.sent;
  t.ok(syncStateOf(after?.headers).id > syncStateOf(before?.headers).id);
  t.equal(syncStateOf(after?.headers).sequence, 0);
  const known = new Set<string>();
  for (let rounds = 0; rounds < 4; rounds++) {
    for (const text of told(router)) for (const word of text.split(' ')) known.add(word);
    await synced.network.advance(1100);
  }
  t.ok(known.has(bert.token));
  t.equal([...known].filter((word) => word.length > 30).length, 151);
  await synced.network.stop();
});
