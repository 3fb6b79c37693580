// Logging in by password: accepted and refused logins, the cost of guessing, and timing.

import t from 'tap';
import { wrongPasswordsKind } from '../../../src/records/wrong-passwords.ts';
import {
  type Answer,
  adminPassword,
  adminUser,
  bootNetwork,
  type Network,
} from '../../simulated/network.ts';

const password = 'alice-password';

function attempt(network: Network, username: string, secret: string): Promise<Answer> {
  const body = { username, password: secret };
  return network.call('POST', 'C:/authenticate?method=password', { body, token: null });
}

/** Verifications and hashes that the work in `during` asks for. */
async function callsOf(network: Network, during: () => Promise<unknown>): Promise<string[]> {
  const before = network.hasher.calls.length;
  await during();
  return network.hasher.calls
    .slice(before)
    .map(({ call, parameters }) => `${call} ${parameters.memoryKib}`);
}

async function lockAfter(network: Network, maxAttempts: number, lockoutDurationMinutes: number) {
  const primary = { updb: { maxAttempts, lockoutDurationMinutes } };
  await network.must('PATCH', 'M:/auth-policies/default', { primary });
}

t.test('the method is read from any form of the query', async (t) => {
  const network = await bootNetwork();
  const body = { username: adminUser, password: adminPassword };
  const answerTo = (query: string) =>
    network.call('POST', `C:/authenticate${query}`, { body, token: null });
  const usual = [
    '?method=password',
    '?method=pass%77ord',
    '?x=1&method=password',
    '?method=password&',
  ];
  for (const query of usual) t.equal((await answerTo(query)).status, 200, query);
  for (const query of ['', '?method=', '?method', '?x=1']) {
    t.match(await answerTo(query), { status: 400, cause: { field: 'method' } }, query);
  }
  for (const query of ['?method=Password', '?method=password%20', '?method=other']) {
    t.match(await answerTo(query), { status: 400, code: 'INVALID_AUTH_METHOD' }, query);
  }
  const found = [...(network.core.sources.core?.requests.authentications() ?? [])].map((entry) =>
    entry.join(' '),
  );
  t.same(found, ['password success 5', 'unknown invalid 7']);
});

t.test('every refused login costs the same hashing', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', password);
  const wrong = await callsOf(network, () => attempt(network, 'alice', 'wrong-password'));
  t.same(wrong, ['verify 19456']);
  t.same(await callsOf(network, () => attempt(network, 'nobody', 'wrong-password')), wrong);

  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
  t.same(await callsOf(network, () => attempt(network, 'alice', password)), wrong);
  t.match(await attempt(network, 'alice', password), { status: 401, code: 'INVALID_AUTH' });

  await network.must('POST', `M:/identities/${alice}/enable`);
  const policy = await network.must<object>('GET', 'M:/auth-policies/default');
  const authPolicyId = await network.create('auth-policies', { ...policy, name: 'no passwords' });
  await network.must('PATCH', `M:/identities/${alice}`, { authPolicyId });
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, {
    primary: { updb: { allowed: false } },
  });
  t.same(await callsOf(network, () => attempt(network, 'alice', password)), wrong);
  t.match(await attempt(network, 'alice', password), { status: 401, code: 'INVALID_AUTH' });
  await network.stop();
});

t.test('a new password that is refused does not forgive wrong ones', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', password);
  await lockAfter(network, 3, 10);
  await attempt(network, 'alice', 'wrong-password');
  const path = `M:/identities/${alice}/authenticators`;
  const [{ id } = { id: '' }] = await network.must<{ id: string }[]>('GET', path);
  const change = (username: string) =>
    network.call('PATCH', `M:/authenticators/${id}`, {
      body: { username, password: 'new-password' },
    });
  t.match(await change(adminUser), { status: 400 });
  const counted = () =>
    network.env.store.table(wrongPasswordsKind).findBy('authenticatorId', id)?.record.count;
  t.equal(counted(), 1);
  t.match(await change('alice-2'), { status: 200 });
  t.equal(counted(), undefined, 'none is counted any more');
  await network.stop();
});

t.test('too many wrong passwords lock out, for a time', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', password);
  const session = await network.login('alice', password);
  await lockAfter(network, 3, 10);

  await attempt(network, 'alice', 'wrong-password');
  await attempt(network, 'alice', 'wrong-password');
  await network.login('alice', password);
  // A right password has cleared the count.
  for (let i = 0; i < 2; i++) {
    t.equal((await attempt(network, 'alice', 'wrong-password')).code, 'INVALID_AUTH');
  }
  t.equal((await network.call('GET', 'C:/current-identity', { token: session })).status, 200);
  t.equal((await attempt(network, 'alice', 'wrong-password')).code, 'INVALID_AUTH');

  t.equal((await network.call('GET', 'C:/current-identity', { token: session })).status, 401);
  t.equal((await attempt(network, 'alice', password)).code, 'INVALID_AUTH');
  t.match(await network.must('GET', `M:/identities/${alice}`), {
    disabled: true,
    hasApiSession: false,
    disabledUntil: '2026-01-01T00:10:00.000Z',
  });

  await network.advance(10 * 60_000 - 1);
  t.equal((await attempt(network, 'alice', password)).code, 'INVALID_AUTH');
  await network.advance(1);
  t.equal((await attempt(network, 'alice', password)).status, 200);
  // Attempts while locked out were not counted.
  await attempt(network, 'alice', 'wrong-password');
  await attempt(network, 'alice', 'wrong-password');
  t.equal((await attempt(network, 'alice', password)).status, 200);
  await network.stop();
});

t.test('a lock-out without end lasts until somebody enables the identity', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', password);
  await lockAfter(network, 1, 0);
  await attempt(network, 'alice', 'wrong-password');
  await network.advance(24 * 3_600_000);
  await network.logInAdmin();
  t.equal((await attempt(network, 'alice', password)).code, 'INVALID_AUTH');
  await network.must('POST', `M:/identities/${alice}/enable`);
  t.equal((await attempt(network, 'alice', password)).status, 200);
  await network.stop();
});

t.test('a lock-out outlives a restart and a crash, and ends on time', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', password);
  await lockAfter(network, 1, 10);
  await attempt(network, 'alice', 'wrong-password');
  await network.advance(5 * 60_000);
  await network.crash();
  t.equal((await attempt(network, 'alice', password)).code, 'INVALID_AUTH');
  await network.restart();
  t.equal((await attempt(network, 'alice', password)).code, 'INVALID_AUTH');
  await network.advance(5 * 60_000);
  t.equal((await attempt(network, 'alice', password)).status, 200);
  await network.stop();
});

t.test('a login renews a hash that is weaker than configured', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', password);
  network.config = {
    ...network.config,
    argon2: { memoryKib: 65536, timeCost: 3, parallelism: 1 },
  };
  await network.restart();
  const first = await callsOf(network, () => attempt(network, 'alice', password));
  t.same(first, ['verify 19456', 'hash 65536']);
  const second = await callsOf(network, () => attempt(network, 'alice', password));
  t.same(second, ['verify 65536']);
  await network.restart();
  t.equal((await attempt(network, 'alice', password)).status, 200, 'the new hash is durable');
  // An unknown user costs what today's users cost.
  t.same(await callsOf(network, () => attempt(network, 'nobody', password)), ['verify 65536']);
  await network.stop();
});

t.test('logins beyond the queue are 429 and disturb nobody', async (t) => {
  const network = await bootNetwork({ limits: { authenticationsWaitingMax: 2 } });
  await network.createUser('alice', password);
  network.hasher.hold();
  const all = Array.from({ length: 12 }, () => attempt(network, 'alice', password));
  await network.clock.settle();
  t.equal((await network.call('GET', 'C:/current-identity')).status, 200);
  while (network.hasher.heldCount > 0) {
    network.hasher.letGo(network.hasher.heldCount);
    await network.clock.settle();
  }
  network.hasher.release();
  const statuses = (await Promise.all(all)).map(({ status, code }) => `${status} ${code ?? ''}`);
  t.ok(statuses.includes('200 '));
  t.ok(statuses.includes('429 SERVER_TOO_MANY_REQUESTS'));
  t.same(new Set(statuses), new Set(['200 ', '429 SERVER_TOO_MANY_REQUESTS']));
  t.equal((await attempt(network, 'alice', password)).status, 200);
  await network.stop();
});

t.test('a login whose authenticator is deleted meanwhile is refused', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', password);
  const { authenticators } = await network.must<{ authenticators: { updb: { id: string } } }>(
    'GET',
    `M:/identities/${alice}`,
  );
  network.hasher.hold();
  const login = attempt(network, 'alice', password);
  await network.clock.settle();
  await network.must('DELETE', `M:/authenticators/${authenticators.updb.id}`);
  network.hasher.release();
  t.match(await login, { status: 401, code: 'INVALID_AUTH' });
  await network.stop();
});

t.test('a login whose password changes meanwhile is evaluated by the new one', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', password);
  const { data } = await network.call('GET', 'M:/authenticators');
  const updb = (data as { id: string; username: string }[]).find((one) => one.username === 'alice');
  network.hasher.hold();
  const login = attempt(network, 'alice', password);
  const body = { password: 'another-password' };
  const change = network.call('PATCH', `M:/authenticators/${updb?.id}`, { body });
  await network.clock.settle();
  t.equal(network.hasher.heldCount, 2, 'a verification and a hash');
  network.hasher.release();
  t.equal((await change).status, 200);
  const { status } = await login;
  t.ok(status === 200 || status === 401, 'before the change or after it');
  t.equal((await attempt(network, 'alice', password)).code, 'INVALID_AUTH');
  t.equal((await attempt(network, 'alice', body.password)).status, 200);
  await network.stop();
});

t.test('a login is refused if its identity was disabled meanwhile', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', password);
  network.hasher.hold();
  const login = attempt(network, 'alice', password);
  await network.clock.settle();
  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 0 });
  network.hasher.release();
  t.equal((await login).code, 'INVALID_AUTH');
  t.match(await network.must('GET', `M:/identities/${alice}`), { hasApiSession: false });
  await network.stop();
});

t.test('a hash that hangs is a time-out, not a hung request', async (t) => {
  const network = await bootNetwork();
  network.hasher.hold();
  const login = attempt(network, adminUser, adminPassword);
  await network.clock.settle();
  await network.advance(10_000);
  t.match(await login, { status: 503, code: 'TIMEOUT' });
  network.hasher.release();
  await network.clock.settle();
  const { pagination } = await network.call('GET', 'M:/api-sessions');
  t.equal(pagination?.totalCount, 1, 'and no session behind the back of who was told so');
  await network.stop();
});

t.test(
  'of two requests for one user name at once, or for one identity, one is granted',
  async (t) => {
    const network = await bootNetwork();
    const make = (name: string) =>
      network.create('identities', { name, type: 'Default', isAdmin: false });
    const [one, two] = [await make('one'), await make('two')];
    const request = (identityId: string, username: string) =>
      network.call('POST', 'M:/authenticators', {
        body: { method: 'updb', identityId, username, password: 'some-password' },
      });
    network.hasher.hold();
    const name = [request(one, 'same-name'), request(two, 'same-name')];
    const identity = [request(one, 'one-name'), request(two, 'two-name')];
    await network.clock.settle();
    network.hasher.release();
    while (network.hasher.heldCount > 0) {
      network.hasher.release();
      await network.clock.settle();
    }
    const answers = await Promise.all([...name, ...identity]);
    t.same(
      answers.map(({ status }) => status),
      [201, 400, 409, 201],
    );
    t.match(answers[1]?.cause, { field: 'username', value: 'same-name' });
    await network.stop();
  },
);

t.test('a caller that lost its rights while a password was hashed does not set it', async (t) => {
  const network = await bootNetwork();
  await network.createUser('second', 'admin-password', { isAdmin: true });
  const token = await network.login('second', 'admin-password');
  const { data } = await network.call('GET', 'M:/authenticators');
  const all = data as { id: string; username: string }[];
  const admins = all.find(({ username }) => username === adminUser);
  network.hasher.hold();
  const body = { password: 'taken-over' };
  const change = network.call('PATCH', `M:/authenticators/${admins?.id}`, { body, token });
  await network.clock.settle();
  await network.call('DELETE', 'C:/current-api-session', { token });
  network.hasher.release();
  t.equal((await change).status, 401);
  t.equal((await attempt(network, adminUser, adminPassword)).status, 200);
  await network.stop();
});
