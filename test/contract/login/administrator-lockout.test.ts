// The effect of wrong passwords on administrators: they lose no session, and are not locked out
// from known addresses (behaviour/login#known-addresses).

import t from 'tap';
import { identityKind } from '../../../src/records/identity.ts';
import {
  type Answer,
  adminPassword,
  adminUser,
  bootNetwork,
  type Network,
} from '../../simulated/network.ts';

const home = '127.0.0.1';
const elsewhere = '198.51.100.7';
const minute = 60_000;
const day = 24 * 60 * minute;

function attempt(
  network: Network,
  password: string,
  address = home,
  username = adminUser,
): Promise<Answer> {
  const body = { username, password };
  return network.call('POST', 'C:/authenticate?method=password', { body, token: null, address });
}

async function lockAfter(network: Network, maxAttempts: number, lockoutDurationMinutes: number) {
  const primary = { updb: { maxAttempts, lockoutDurationMinutes } };
  await network.must('PATCH', 'M:/auth-policies/default', { primary });
}

async function guess(network: Network, times: number, address = elsewhere, username = adminUser) {
  for (let i = 0; i < times; i++) {
    t.equal((await attempt(network, 'wrong-password', address, username)).code, 'INVALID_AUTH');
  }
}

t.test('the default administrator keeps sessions and known addresses', async (t) => {
  const network = await bootNetwork();
  await lockAfter(network, 3, 0);
  await guess(network, 3);
  t.equal((await network.call('GET', 'M:/identities')).status, 200, 'the session lives on');
  t.equal(
    (await attempt(network, adminPassword)).status,
    200,
    'and a login from a known address works',
  );
  t.equal((await attempt(network, adminPassword, elsewhere)).code, 'INVALID_AUTH');
  await guess(network, 3);
  t.equal((await attempt(network, adminPassword)).status, 200);

  await network.advance(15 * minute - 1);
  t.equal((await attempt(network, adminPassword, elsewhere)).code, 'INVALID_AUTH');
  await network.advance(1);
  t.equal((await attempt(network, adminPassword, elsewhere)).status, 200, 'after 15 minutes');
  await network.stop();
});

t.test('wrong passwords from a known address lock out elsewhere alone', async (t) => {
  const network = await bootNetwork();
  await lockAfter(network, 2, 5);
  await guess(network, 7, home);
  t.equal((await network.call('GET', 'M:/identities')).status, 200);
  t.equal((await attempt(network, adminPassword)).status, 200);
  t.equal((await attempt(network, adminPassword, elsewhere)).code, 'INVALID_AUTH');
  await network.advance(5 * minute);
  t.equal((await attempt(network, adminPassword, elsewhere)).status, 200);
  await network.stop();
});

t.test('both outlive a restart and a crash', async (t) => {
  const network = await bootNetwork();
  await lockAfter(network, 3, 0);
  await guess(network, 3);
  for (const again of [() => network.restart(), () => network.crash()]) {
    await again();
    t.equal((await attempt(network, adminPassword, elsewhere)).code, 'INVALID_AUTH');
    t.equal((await attempt(network, adminPassword)).status, 200);
  }
  await network.stop();
});

t.test('an address is known for 30 days', async (t) => {
  const network = await bootNetwork();
  await lockAfter(network, 1, 0);
  await network.sleep(29 * day);
  await guess(network, 1);
  t.equal((await attempt(network, adminPassword)).status, 200);
  await network.sleep(32 * day);
  await guess(network, 1);
  t.equal((await attempt(network, adminPassword)).code, 'INVALID_AUTH');
  await network.stop();
});

t.test('another administrator is locked out elsewhere until enabled again', async (t) => {
  const network = await bootNetwork();
  const second = await network.createUser('second', 'second-password', { isAdmin: true });
  const token = await network.login('second', 'second-password');
  await lockAfter(network, 1, 0);
  await guess(network, 1, elsewhere, 'second');
  t.equal((await network.call('GET', 'M:/identities', { token })).status, 200);
  t.equal((await attempt(network, 'second-password', home, 'second')).status, 200);
  const fromElsewhere = () => attempt(network, 'second-password', elsewhere, 'second');
  await network.advance(20 * minute);
  t.equal((await fromElsewhere()).code, 'INVALID_AUTH');
  await network.must('POST', `M:/identities/${second}/enable`);
  t.equal((await fromElsewhere()).status, 200);
  await network.stop();
});

t.test('an address costs one write per day, with the frame of the login', async (t) => {
  const network = await bootNetwork();
  const { store } = network.env;
  const row = () => [...store.table(identityKind).all()].find(({ record }) => 'name' in record);
  const first = row()?.lsn;
  const before = store.journal.lastLsn;
  await network.logInAdmin();
  t.equal(store.journal.lastLsn, before + 1);
  t.equal(row()?.lsn, first, 'the identity is not written again');
  await guess(network, 3);
  t.equal(store.journal.lastLsn, before + 1, 'nobody writes without a password');
  await attempt(network, adminPassword, elsewhere);
  t.equal(store.journal.lastLsn, before + 2);
  t.equal(row()?.lsn, before + 2);
  await network.createUser('alice', 'alice-password');
  await network.login('alice', 'alice-password');
  const alice = [...store.table(identityKind).all()].find(
    ({ record }) => (record as { name?: string }).name === 'alice',
  );
  t.match(alice?.record, { knownAddresses: undefined }, 'ordinary identities have none');
  await network.stop();
});

t.test('guessing reveals neither who is an administrator nor the known addresses', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  await lockAfter(network, 2, 0);
  const seen = async (username: string, address: string) => {
    const before = network.hasher.calls.length;
    const answers: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const { status, headers, body } = await attempt(network, 'wrong-pass', address, username);
      const { error } = JSON.parse(body.toString()) as { error: { requestId?: string } };
      answers.push(status, Object.keys(headers), { ...error, requestId: '' });
    }
    const calls = network.hasher.calls.slice(before);
    return { answers, calls: calls.map(({ call, parameters }) => ({ call, parameters })) };
  };
  const nobody = await seen('nobody', elsewhere);
  t.same(await seen('alice', elsewhere), nobody);
  t.same(await seen(adminUser, elsewhere), nobody);
  t.same(await seen(adminUser, home), nobody);
  await network.stop();
});

t.test('addresses are shown nowhere in the API', async (t) => {
  const network = await bootNetwork();
  const { data } = await network.call('GET', 'M:/identities');
  t.notMatch(JSON.stringify(data), /knownAddresses|lockedOutUntil/);
  await network.stop();
});

t.test('the log tells of refused logins and of the lockout, without passwords', async (t) => {
  const network = await bootNetwork({ logLevel: 'info' });
  await lockAfter(network, 3, 5);
  await guess(network, 3);
  const lines = network.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  const told = lines.filter(({ message }) => /refused|locked out/.test(String(message)));
  t.match(told, [
    {
      level: 'info',
      message: 'a login was refused',
      method: 'password',
      address: elsewhere,
      username: adminUser,
    },
    { level: 'info', message: /was locked out/, username: adminUser, address: elsewhere },
  ]);
  await network.advance(minute);
  t.match(JSON.parse(network.logged.at(-1) ?? ''), { count: 2, message: /more of these/ });
  t.notMatch(network.logged.join(''), 'wrong-password');
  await network.stop();
});
