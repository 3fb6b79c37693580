// What tells two API sessions of one identity apart, and who a login says has logged in.

import t from 'tap';
import type {
  InstanceDetail,
  InstanceRow,
  RecentTransitions,
  TransitionPage,
} from '../../src/inspect/messages.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const sessions = 'M:/inspect/machines/apiSession/instances';

interface Device {
  readonly address: string;
  readonly sdkInfo?: Readonly<Record<string, string>>;
  readonly agent?: string;
}

const phone: Device = {
  address: '192.0.2.7',
  sdkInfo: { type: 'ziti-sdk-swift', version: '0.30.1', appId: 'mobile', appVersion: '4.1' },
  agent: 'ignored/1',
};
const desk: Device = { address: '198.51.100.9', agent: 'curl/8.5.0' };

async function logIn(
  network: Network,
  { address, sdkInfo, agent }: Device,
  password = 'her-password',
) {
  const body = { username: 'alice', password, ...(sdkInfo === undefined ? {} : { sdkInfo }) };
  const { data, status } = await network.call('POST', 'C:/authenticate?method=password', {
    token: null,
    body,
    address,
    headers: agent === undefined ? {} : { 'user-agent': agent },
  });
  return { status, ...(data as { readonly id: string; readonly token: string }) };
}

async function clientsOf(network: Network): Promise<Map<string, InstanceRow['client']>> {
  const filter = encodeURIComponent('name = "alice"');
  const rows = await network.must<InstanceRow[]>('GET', `${sessions}?filter=${filter}`);
  return new Map(rows.map(({ id, client }) => [id, client]));
}

t.test('two sessions differ by address, SDK, client and last activity', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'her-password');
  const first = await logIn(network, phone);
  const second = await logIn(network, desk);
  await network.advance(60_000);
  await network.must('GET', 'C:/current-api-session', undefined, second.token);
  const clients = await clientsOf(network);
  t.same(clients.get(first.id), {
    address: '192.0.2.7',
    sdk: 'ziti-sdk-swift 0.30.1',
    version: 'mobile 4.1',
    lastActivityAt: '2026-01-01T00:00:00.000Z',
  });
  t.same(clients.get(second.id), {
    address: '198.51.100.9',
    sdk: '',
    version: 'curl/8.5.0',
    lastActivityAt: '2026-01-01T00:01:00.000Z',
  });
  const detail = await network.must<InstanceDetail>('GET', `${sessions}/${first.id}`);
  t.same(detail.client, clients.get(first.id));
  const owner = `M:/inspect/machines/identity/instances/${alice}`;
  const { referrers } = await network.must<InstanceDetail>('GET', owner);
  const some = referrers.find(({ kind }) => kind === 'apiSession')?.some ?? [];
  t.same(new Map(some.map(({ id, client }) => [id, client])), clients);
  const shown = await network.must<object>('GET', `M:/api-sessions/${first.id}`);
  t.notOk('sdk' in shown || 'client' in shown, 'the API of the field stays as it is');
  await network.restart();
  await network.logInAdmin();
  const { sdk, version } = (await clientsOf(network)).get(first.id) ?? {};
  t.same([sdk, version], ['ziti-sdk-swift 0.30.1', 'mobile 4.1'], 'they are kept');
  await network.stop();
});

t.test('the last activity is that of the API', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'her-password');
  const { id } = await logIn(network, phone);
  const { store, activity } = network.env;
  const slot = store.table(apiSessionKind).find(id)?.slot ?? -1;
  for (const aheadMs of [-60_000, 60_000]) {
    activity.restore(slot, network.clock.now() + aheadMs);
    const path = `M:/api-sessions/${id}`;
    const { cachedLastActivityAt } = await network.must<Record<string, unknown>>('GET', path);
    t.equal((await clientsOf(network)).get(id)?.lastActivityAt, cachedLastActivityAt);
  }
  await network.stop();
});

t.test('clientTextMax: what a client says of itself is cut', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'her-password');
  const { id } = await logIn(network, { ...desk, agent: 'a'.repeat(5000) });
  t.equal((await clientsOf(network)).get(id)?.version, 'a'.repeat(200));
  await network.stop();
});

t.test('what is cut ends with a whole character', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'her-password');
  const sdkInfo = { appId: `${'a'.repeat(199)}😀` };
  const { id } = await logIn(network, { ...desk, sdkInfo });
  const version = (await clientsOf(network)).get(id)?.version;
  t.equal(version, 'a'.repeat(199));
  await network.restart();
  await network.logInAdmin();
  t.equal((await clientsOf(network)).get(id)?.version, version);
  await network.stop();
});

t.test('while a cluster is upgraded, a login writes what the former release reads', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'her-password');
  const table = network.env.store.table(apiSessionKind);
  table.writtenVersion = 4;
  const { id, status } = await logIn(network, phone);
  t.equal(status, 200);
  t.match((await clientsOf(network)).get(id), { address: '192.0.2.7', sdk: '', version: '' });
  const record = table.find(id)?.record;
  if (record === undefined) throw new Error('no session');
  const { codec } = table;
  t.same(codec.decode(id, 4, codec.encode(record, 4)), codec.compact(record), 'the same again');
  t.throws(() => codec.encode({ ...record, sdk: 'x' }, 4));
  await network.stop();
});

t.test('a login says who logged in, and a refused one names nobody', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'her-password');
  const { id } = await logIn(network, phone);
  const { transitions } = await network.must<TransitionPage>(
    'GET',
    `${sessions}/${id}/transitions`,
  );
  t.match(transitions, [
    { event: 'authenticate', actor: alice, actorName: 'alice', operation: 'authenticate' },
  ]);
  await network.must('PATCH', 'M:/auth-policies/default', {
    primary: { updb: { maxAttempts: 1, lockoutDurationMinutes: 5 } },
  });
  t.equal((await logIn(network, phone, 'wrong-password')).status, 401);
  t.equal((await logIn(network, phone, 'wrong-password')).status, 401);
  const filter = encodeURIComponent('event = "lockOut"');
  const recent = await network.must<RecentTransitions>(
    'GET',
    `M:/inspect/transitions?filter=${filter}`,
  );
  t.match(recent.transitions, [{ id: alice, actor: 'anonymous', actorName: '' }]);
  await network.stop();
});
