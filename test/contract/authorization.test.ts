// Every operation against every kind of caller: who is let in; nobody else changes anything.

import t from 'tap';
import { basePaths } from '../../src/declare/operation.ts';
import { operations } from '../../src/resources/index.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const served = operations.flatMap((operation) =>
  operation.apis.map((api) => ({
    operation,
    title: `${operation.method} ${api} ${operation.path}`,
    path: basePaths[api] + operation.path.replace(/\{[^}]+\}/g, 'no-such-id'),
  })),
);

/** A body that no operation can read: who is let in gets 400 or 404, and changes nothing. */
const brokenBody = '{"broken';

/** Everything that is stored, but for when sessions were last active. */
function stored(network: Network): string {
  const lines: string[] = [];
  for (const { kind, id, lsn } of network.env.store.records()) lines.push(`${kind} ${id} ${lsn}`);
  return lines.sort().join('\n');
}

t.test('without a session, or with a dead one, only public operations answer', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const dead = await network.login('alice', 'alice-password');
  await network.call('DELETE', 'C:/current-api-session', { token: dead });
  const before = stored(network);
  for (const { operation, title, path } of served) {
    for (const token of [null, 'nonsense', dead, '__proto__', 'x'.repeat(4000)]) {
      const answer = await network.call(operation.method, path, { token, body: brokenBody });
      if (operation.access === 'public') {
        t.not(answer.status, 401, title);
        continue;
      }
      t.match(answer, { status: 401, code: 'UNAUTHORIZED' }, title);
      const error = token === null ? 'missing' : 'invalid';
      t.match(answer.headers['www-authenticate'], `zt-session realm="zt-session" error="${error}"`);
    }
  }
  t.equal(stored(network), before);
  await network.stop();
});

t.test('who is no administrator is kept out of what administrators do', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const before = stored(network);
  for (const { operation, title, path } of served) {
    if (operation.access !== 'admin' && operation.access !== 'admin-or-403') continue;
    const answer = await network.call(operation.method, path, { token, body: brokenBody });
    const status = operation.access === 'admin' ? 401 : 403;
    t.match(answer, { status, code: 'UNAUTHORIZED' }, title);
    t.notOk('www-authenticate' in answer.headers, title);
  }
  t.equal(stored(network), before);
  await network.stop();
});

t.test('who owes a second factor gets no further than it needs', async (t) => {
  const network = await bootNetwork();
  await network.must('PATCH', 'M:/auth-policies/default', { secondary: { requireTotp: true } });
  const before = stored(network);
  for (const { operation, title, path } of served) {
    if (operation.method === 'DELETE' && operation.path === '/current-api-session') continue;
    const answer = await network.call(operation.method, path, { body: brokenBody });
    const isOpen = operation.access === 'public' || operation.access === 'partial';
    if (isOpen) t.not(answer.status, 401, title);
    else t.match(answer, { status: 401, code: 'UNAUTHORIZED' }, title);
  }
  t.equal(stored(network), before);
  await network.stop();
});

t.test('a full queue of hashes is 429 wherever a password is set', async (t) => {
  const network = await bootNetwork({ limits: { authenticationsWaitingMax: 0 } });
  const alice = await network.createUser('alice', 'alice-password');
  const bob = await network.create('identities', { name: 'bob', type: 'Default', isAdmin: false });
  const { authenticators } = await network.must<{ authenticators: { updb: { id: string } } }>(
    'GET',
    `M:/identities/${alice}`,
  );
  network.hasher.hold();
  const login = { username: 'alice', password: 'alice-password' };
  const path = 'C:/authenticate?method=password';
  const running: Promise<unknown>[] = [];
  // As many as run at once on this machine, and one that finds no place.
  for (let refused = false; !refused; ) {
    const held = network.hasher.heldCount;
    running.push(network.call('POST', path, { body: login, token: null }));
    await network.clock.settle();
    refused = network.hasher.heldCount === held;
  }
  const wishes = [
    network.call('POST', path, { body: login, token: null }),
    network.call('POST', 'M:/authenticators', {
      body: { ...login, username: 'bobby', method: 'updb', identityId: bob },
    }),
    network.call('PUT', `M:/authenticators/${authenticators.updb.id}`, { body: login }),
    network.call('PATCH', `M:/authenticators/${authenticators.updb.id}`, {
      body: { password: 'other-password' },
    }),
  ];
  for (const wish of wishes) {
    t.match(await wish, { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  }
  network.hasher.release();
  await Promise.all(running);
  t.same(network.logged, []);
  await network.stop();
});
