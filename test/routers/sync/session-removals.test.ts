// Routers learn which sessions have ended, and say which ones they use
// (behaviour/control-channel#api-session-sync).

import t from 'tap';
import { MalformedMessage } from '../../../src/channel/channel-api.ts';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import { receivedFrame } from '../../simulated/routers.ts';
import { password, SyncedNetwork, told, type User } from './synced-network.ts';

/** A service that users with `here` may dial through routers with `west`; answers its ids. */
async function served(synced: SyncedNetwork): Promise<{ service: string; policy: string }> {
  const { network } = synced;
  await synced.allow('#here', '#west');
  const service = await network.create('services', { name: 's', encryptionRequired: false });
  const policy = await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#here'],
    serviceRoles: [`@${service}`],
  });
  await network.create('service-edge-router-policies', {
    name: 'all',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  return { service, policy };
}

async function sessionOf(synced: SyncedNetwork, user: User, serviceId: string): Promise<string> {
  const body = { serviceId, type: 'Dial' };
  return (await synced.network.must<{ id: string }>('POST', 'C:/sessions', body, user.token)).id;
}

t.test('a session that ends is told at once to the routers that it was for', async (t) => {
  const synced = await SyncedNetwork.boot();
  const { service, policy } = await served(synced);
  const [west, east] = [await synced.router('w', ['west']), await synced.router('e', ['east'])];
  const anna = await synced.user('anna', ['here']);
  const first = await sessionOf(synced, anna, service);
  told(west);
  told(east);
  await synced.network.must('DELETE', `M:/sessions/${first}`);
  t.strictSame(told(west), [`ended ${first}`]);
  const second = await sessionOf(synced, anna, service);
  await synced.network.must('DELETE', `M:/service-policies/${policy}`);
  t.strictSame(told(west), [`ended ${second}`], 'its policy is gone');
  t.strictSame(told(east), []);
  await synced.network.stop();
});

t.test('log-out and deletion of the identity end its sessions, too', async (t) => {
  const synced = await SyncedNetwork.boot();
  const { service } = await served(synced);
  const west = await synced.router('w', ['west']);
  const [anna, bert] = [await synced.user('anna', ['here']), await synced.user('bert', ['here'])];
  const ofAnna = await sessionOf(synced, anna, service);
  const ofBert = await sessionOf(synced, bert, service);
  told(west);
  await synced.network.must('DELETE', 'C:/current-api-session', undefined, anna.token);
  t.strictSame(told(west), [`ended ${ofAnna}`, `removed ${anna.token}`]);
  await synced.network.must('DELETE', `M:/identities/${bert.id}`);
  t.strictSame(told(west), [`ended ${ofBert}`, `removed ${bert.token}`]);
  await synced.network.stop();
});

t.test('many sessions that end in one frame are one message', async (t) => {
  const synced = await SyncedNetwork.boot();
  const { service, policy } = await served(synced);
  const west = await synced.router('w', ['west']);
  const ids = [];
  for (const name of ['anna', 'bert', 'carl', 'dora']) {
    ids.push(await sessionOf(synced, await synced.user(name, ['here']), service));
  }
  told(west);
  await synced.network.must('DELETE', `M:/service-policies/${policy}`);
  t.strictSame(told(west), [['ended', ...ids.sort()].join(' ')]);
  await synced.network.stop();
});

t.test('of the sessions that a router uses, it learns which are dead', async (t) => {
  const synced = await SyncedNetwork.boot();
  const { service } = await served(synced);
  const [west, east] = [await synced.router('w', ['west']), await synced.router('e', ['east'])];
  const anna = await synced.user('anna', ['here']);
  const session = await sessionOf(synced, anna, service);
  told(west);
  told(east);
  const ask = (sessionTokens: string[]) =>
    encodeMessage(edge.ValidateSessionsRequest, { sessionTokens });
  synced.receive(west, contentTypes.validateSessions, ask(['unknown', session, 'x'.repeat(5000)]));
  t.strictSame(told(west), [`ended unknown ${'x'.repeat(5000)}`]);
  synced.receive(east, contentTypes.validateSessions, ask([session]));
  t.strictSame(told(east), [`ended ${session}`], 'it gives no right at that router');
  synced.receive(west, contentTypes.validateSessions, ask([]));
  synced.receive(west, contentTypes.validateSessions, ask([session]));
  t.strictSame(told(west), []);
  await synced.network.must('DELETE', `M:/sessions/${session}`);
  told(west);
  synced.receive(west, contentTypes.validateSessions, ask([session]));
  t.strictSame(told(west), [`ended ${session}`]);
  await synced.network.stop();
});

t.test(
  'at the first start after a migration, a router keeps sessions of the former one',
  async (t) => {
    const synced = await SyncedNetwork.boot();
    synced.feature.succeedFormer?.();
    const { service } = await served(synced);
    const [west, east] = [await synced.router('w', ['west']), await synced.router('e', ['east'])];
    const session = await sessionOf(synced, await synced.user('anna', ['here']), service);
    told(west);
    told(east);
    const { validateSessions } = contentTypes;
    const ask = encodeMessage(edge.ValidateSessionsRequest, { sessionTokens: ['former', session] });
    for (const router of [west, west, east]) synced.receive(router, validateSessions, ask);
    t.strictSame(told(west), []);
    t.strictSame(told(east), [`ended ${session}`], 'what gives no right is dead');
    synced.disconnect(west);
    const again = await synced.connect(west.id);
    told(again);
    synced.receive(again, validateSessions, ask);
    t.strictSame(told(again), ['ended former'], 'what ended meanwhile cannot be told from it');
    await synced.network.stop();
  },
);

t.test('a heartbeat keeps API sessions alive, and unknown tokens are answered', async (t) => {
  const synced = await SyncedNetwork.boot();
  await served(synced);
  const [west, east] = [await synced.router('w', ['west']), await synced.router('e', ['east'])];
  const anna = await synced.user('anna', ['here']);
  const bert = await synced.user('bert', ['here']);
  told(west);
  told(east);
  const beat = (tokens: string[]) => encodeMessage(edge.ApiSessionHeartbeat, { tokens });
  for (let minutes = 0; minutes < 60; minutes += 1) {
    await synced.network.advance(60_000);
    synced.receive(west, contentTypes.apiSessionHeartbeat, beat([anna.token]));
    synced.receive(east, contentTypes.apiSessionHeartbeat, beat([bert.token]));
  }
  t.strictSame(told(west), [`removed ${bert.token}`], 'the other one was idle');
  t.strictSame(new Set(told(east)), new Set([`removed ${bert.token}`]));
  t.strictSame(new Set(synced.heard), new Set([anna.id]));
  synced.receive(west, contentTypes.apiSessionHeartbeat, beat(['unknown', anna.token]));
  t.strictSame(told(west), ['removed unknown']);
  const { data } = await synced.network.call('GET', 'C:/current-api-session', {
    token: anna.token,
  });
  t.match(data, { id: anna.apiSessionId });
  await synced.network.stop();
});

t.test('many tokens are looked up in steps', async (t) => {
  const synced = await SyncedNetwork.boot();
  const router = await synced.router('r');
  told(router);
  const tokens = Array.from({ length: 10_000 }, (_, at) => `token-${at}`);
  const beat = encodeMessage(edge.ApiSessionHeartbeat, { tokens });
  const { apiSessionHeartbeat } = contentTypes;
  const handler = synced.feature.handlers.get(apiSessionHeartbeat);
  let steps = 0;
  for (const _ of handler?.(router, receivedFrame(apiSessionHeartbeat, beat)) ?? []) steps += 1;
  t.ok(steps > 20, `${steps} steps`);
  const words = told(router).flatMap((text) => text.split(' ').slice(1));
  t.strictSame(words.sort(), tokens.sort());
  const types = [apiSessionHeartbeat, contentTypes.validateSessions];
  for (const type of types) {
    const broken = Buffer.from('0aff', 'hex');
    t.throws(() => synced.receive(router, type, broken), MalformedMessage);
    const huge = Buffer.alloc(1024 * 1024 + 1);
    t.throws(() => synced.receive(router, type, huge), MalformedMessage);
  }
  await synced.network.stop();
});

t.test('nothing is told of what a crash undoes', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  await synced.network.createUser('anna', password, { roleAttributes: ['here'] });
  const anna = await synced.login('anna');
  const { network } = synced;
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  const become = (state: string) => {
    const table = network.env.store.tableNamed('apiSession');
    network.env.store.transact(cause, (tx) => {
      const record = table.peek(anna.apiSessionId)?.record;
      if (record !== undefined) tx.put(table, { ...record, state } as typeof record);
    });
  };
  become('partial');
  await network.advance(10);
  const router = await synced.router('r');
  told(router);
  become('full');
  t.strictSame(told(router), [], 'the frame is not durable yet');
  await network.crash();
  const { record } = network.env.store.tableNamed('apiSession').peek(anna.apiSessionId) ?? {};
  t.equal(record?.['state' as never], 'partial');
  const restarted = new SyncedNetwork(network);
  const again = await restarted.connect(router.id);
  t.strictSame(told(again), ['full 0 last']);
  become('full');
  await network.advance(10);
  t.strictSame(told(again), [`added ${anna.token}`]);
  await network.crash();
  const { record: kept } = network.env.store.tableNamed('apiSession').peek(anna.apiSessionId) ?? {};
  t.equal(kept?.['state' as never], 'full', 'what was told is durable');
  await network.stop();
});
