// The maximum lifetime of an API session: it ends then, however busy it is, also across crashes.

import t from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const minuteMs = 60_000;
const auth = {
  endSessionsWithCredential: true,
  jwksFromPrivateAddresses: true,
  sessionLifetimeMaxMinutes: 45,
};

async function statusOf(network: Network, token: string): Promise<number> {
  return (await network.call('GET', 'C:/current-api-session', { token })).status;
}

/** A network of sessions that live 45 minutes, or rest 30, and one that is kept busy. */
async function withBusy() {
  const network = await bootNetwork({ config: { auth } });
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const busyFor = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      await network.advance(minuteMs);
      t.equal(await statusOf(network, token), 200);
    }
  };
  return { network, token, busyFor };
}

t.test('a busy session ends to the millisecond, its row at once', async (t) => {
  const { network, token, busyFor } = await withBusy();
  await busyFor(44);
  const answer = await network.call('GET', 'C:/current-api-session', { token });
  t.match(answer.data, { expiresAt: '2026-01-01T00:45:00.000Z', expirationSeconds: 60 });
  t.match(answer.headers, {
    'expires-at': '2026-01-01T00:45:00.000Z',
    'expiration-seconds': '60',
  });
  await network.advance(minuteMs - 1);
  t.equal(await statusOf(network, token), 200);
  await network.advance(1);
  t.equal(await statusOf(network, token), 401);
  t.equal(network.env.store.table(apiSessionKind).size, 0);
  await network.stop();
});

t.test('it is dead on time although its deadline was not handed out yet', async (t) => {
  const { network, token, busyFor } = await withBusy();
  await busyFor(44);
  network.clock.jump(minuteMs);
  t.equal(await statusOf(network, token), 401);
  await network.stop();
});

t.test('neither a stop nor a crash gives it more', async (t) => {
  const { network, token, busyFor } = await withBusy();
  await busyFor(40);
  await network.restart();
  t.equal(await statusOf(network, token), 200);
  await network.crash();
  await network.advance(4 * minuteMs);
  t.equal(await statusOf(network, token), 200, 'nor less');
  await network.crash();
  await network.advance(minuteMs);
  t.equal(network.env.store.table(apiSessionKind).size, 0);
  await network.stop();
});

t.test('a session that rests ends before, as ever; a start that first has it', async (t) => {
  const network = await bootNetwork();
  await network.advance(20 * minuteMs);
  t.equal(await statusOf(network, network.admin), 200);
  network.config = { ...network.config, auth: { ...auth, sessionLifetimeMaxMinutes: 35 } };
  await network.restart();
  await network.advance(10 * minuteMs);
  t.equal(await statusOf(network, network.admin), 200);
  await network.advance(5 * minuteMs);
  t.equal(await statusOf(network, network.admin), 401);
  await network.logInAdmin();
  await network.advance(30 * minuteMs);
  t.equal(await statusOf(network, network.admin), 401);
  await network.stop();
});
